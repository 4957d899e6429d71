import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBackEnd } from '../../../../../operator/cli/inject/back-ends/open-back-end';
import { accept, refuse } from '../../../../../operator/errors/outcome';
import { tokenCallers } from '../../../../../operator/front-doors/networks/grpc/callers';
import { X509_CERTIFICATES } from '../../../../../operator/server/x509-certificates';
import { openGrpcBackEnd } from '../../../../../operator/cli/inject/back-ends/grpc';
import type { InjectionBackEnd } from '../../../../../operator/cli/inject/back-ends/back-end';
import { NEPHIO } from '../../../../../operator/contract/nephio';
import { AllocServer } from '../../../../support/alloc-server';
import { GrpcWorld } from '../../../../support/grpc-world';
import { requestFor } from '../../../../support/injection-back-end-suite';

const selector = {
  matchLabels: { [NEPHIO.networkInstance]: 'vpc-1', [NEPHIO.networkName]: 'net1' },
  matchExpressions: [{ key: NEPHIO.networkName, operator: 'In', values: ['net1'] }],
};
const byExpressions = requestFor('n3', { spec: { selector } });

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function otherServer(): Promise<AllocServer> {
  const server = new AllocServer();
  await server.start();
  closing.push(() => {
    server.stop();
  });
  return server;
}

async function backEndAt(server: string): Promise<InjectionBackEnd> {
  const backEnd = await openGrpcBackEnd({ server, isPlaintext: true, waitMs: 20_000 });
  closing.unshift(() => backEnd.close());
  return backEnd;
}

describe('a request with matchExpressions', () => {
  test('is refused before a server that knows none is asked, and what the name has stays', async () => {
    const server = await otherServer();
    const backEnd = await backEndAt(server.address);
    const given = await backEnd.take(requestFor('n3'));
    const refused = await backEnd.take(byExpressions);
    expect(refused).toMatchObject({ refusal: { code: 'request/invalid', field: 'spec.selector.matchExpressions' } });
    expect(server.requests).toHaveLength(1);
    expect(await backEnd.take(requestFor('other'))).not.toMatchObject(given);
    expect(await backEnd.take(requestFor('n3'))).toEqual(given);
  });

  test('is given by the Networks door', async () => {
    const world = new GrpcWorld();
    closing.push(() => world.close());
    world.f2();
    await world.serve();
    await world.ready('prefix', 'net1-p1');
    const backEnd = await backEndAt(world.address);
    const given = await backEnd.take(byExpressions);
    expect(given).toMatchObject({ value: { parentPrefix: '10.0.1.0/24' } });
    expect(await backEnd.take(byExpressions)).toEqual(given);
  });

  test('is not sent to a server that cannot be reached', async () => {
    const backEnd = await backEndAt('localhost:1');
    expect(await backEnd.take(byExpressions)).toMatchObject({ refusal: { code: 'store/unavailable' } });
  });
});

test('an answer without a prefix is a refusal, and what the name has stays', async () => {
  const server = await otherServer();
  const backEnd = await backEndAt(server.address);
  const given = await backEnd.take(requestFor('n3'));
  server.isEmpty = true;
  expect(await backEnd.take(requestFor('n3'))).toMatchObject({ refusal: { code: 'cluster/refused' } });
  server.isEmpty = false;
  expect(await backEnd.take(requestFor('other'))).not.toMatchObject(given);
});

describe('over TLS with a login', () => {
  let folder: string;
  let world: GrpcWorld;
  let asked: string[];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ipam-inject-'));
    world = new GrpcWorld();
    closing.push(() => world.close());
    asked = [];
    const nowMs = Date.now();
    const authority = await X509_CERTIFICATES.makeAuthority(nowMs);
    writeFileSync(join(folder, 'ca.crt'), authority.certificate);
    writeFileSync(join(folder, 'other.crt'), (await X509_CERTIFICATES.makeAuthority(nowMs)).certificate);
    world.f2();
    const user = { username: 'plan', uid: '1', groups: [], extra: {} };
    const access = {
      userOf: (token: string) => {
        asked.push(token);
        return Promise.resolve(token === 'good' ? accept(user) : refuse('api/unauthenticated', 'unknown token'));
      },
      allows: () => Promise.resolve(accept(undefined)),
    };
    await world.serve({
      certificate: await X509_CERTIFICATES.issue(authority, { names: ['localhost'], nowMs }),
      callers: tokenCallers(access, world.clock),
    });
    await world.ready('prefix', 'net1-p1');
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  async function opened(token: string, ca = 'ca.crt'): Promise<InjectionBackEnd> {
    // as an editor leaves it
    writeFileSync(join(folder, 'token'), `${token}\n`);
    const login = { tokenFile: join(folder, 'token'), caFile: join(folder, ca) };
    const unused = () => {
      throw new TypeError('not for this back end');
    };
    const found = await openBackEnd(
      'grpc',
      { grpcServer: world.address, plaintext: false },
      { env: {}, input: unused, waitMs: 20_000, connect: unused, login },
    );
    if (!found.ok) throw new TypeError(found.refusal.message);
    closing.unshift(() => found.value.close());
    return found.value;
  }

  test('an allocation is given to a valid token, and released', async () => {
    const backEnd = await opened('good');
    const request = requestFor('n3');
    expect(await backEnd.take(request)).toMatchObject({ ok: true, value: { prefix: '10.0.1.2/32' } });
    expect(await backEnd.release(request)).toEqual(accept(true));
    expect(world.record().some((each) => each.startsWith('10.0.1.2='))).toBe(false);
    expect(asked).toEqual(['good']);
  });

  test('a token that the API server does not know is refused', async () => {
    const backEnd = await opened('bad');
    expect(await backEnd.take(requestFor('n3'))).toMatchObject({ refusal: { code: 'api/unauthenticated' } });
  });

  test('a server of another CA is not talked to, and learns no token', async () => {
    const backEnd = await opened('good', 'other.crt');
    expect(await backEnd.take(requestFor('n3'))).toMatchObject({ refusal: { code: 'store/unavailable' } });
    expect(asked).toEqual([]);
  });
});
