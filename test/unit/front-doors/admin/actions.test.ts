import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import { runCommand } from '../../../../operator/cli/program';
import { accept, refuse } from '../../../../operator/errors/outcome';
import { IpamError } from '../../../../operator/errors/ipam-error';
import { addActions, type AdminActions } from '../../../../operator/front-doors/admin/actions';

const folder = mkdtempSync(join(tmpdir(), 'ipam-actions-'));
const socket = join(folder, 's');
let app: FastifyInstance;
let asked: unknown[];

const note = <T>(answer: T) => {
  return (request: unknown): Promise<T> => {
    asked.push(request);
    return Promise.resolve(answer);
  };
};

async function serve(actions: AdminActions): Promise<void> {
  app = Fastify();
  addActions(app, actions);
  await app.listen({ path: socket });
}

async function run(...argv: readonly string[]): Promise<{ readonly exit: number; readonly text: string }> {
  let text = '';
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  const terminal = { env: {}, input: () => Promise.resolve(refuse('internal', 'none')), drafts: new Set<string>() };
  const exit = await runCommand(['--socket', socket, ...argv], { ...terminal, output, errors: output } as never);
  return { exit, text };
}

beforeEach(() => {
  asked = [];
});
afterEach(() => app.close());
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('what only an administrator does', () => {
  test('FU-04 evict names the Service, and only tells without --yes', async () => {
    await serve({ evict: note(accept({ addresses: ['10.0.0.5'] })) });

    const told = await run('evict', 'shop/web');
    expect(told).toMatchObject({ exit: 0, text: expect.stringContaining('nothing was changed') as string });
    expect(await run('evict', 'shop/web', '--yes')).toMatchObject({ exit: 0 });
    const service = { namespace: 'shop', name: 'web' };
    expect(asked).toEqual([
      { ...service, dryRun: true },
      { ...service, dryRun: false },
    ]);
    expect((await run('evict', 'web')).exit).toBe(1);
  });

  test('FU-05 rename-cluster takes identities of any characters', async () => {
    await serve({ renameCluster: note(accept({ claims: 3 })) });

    const { exit, text } = await run('rename-cluster', 'a/b', 'c d', '--yes');
    expect([exit, text]).toEqual([0, expect.stringContaining('renamed 3 claims from a/b to c d')]);
    expect(asked).toEqual([{ from: 'a/b', to: 'c d', dryRun: false }]);
  });

  test('FU-06 cluster forget tells why it is refused', async () => {
    await serve({ forgetCluster: note(refuse('api/not-found', 'no such cluster', { value: 'u' })) });

    expect(await run('cluster', 'forget', 'u', '--yes')).toEqual({
      exit: 3,
      text: 'ipam: no such cluster (api/not-found)\n',
    });
    expect(asked).toEqual([{ uid: 'u', dryRun: false }]);
  });

  test('answers what the cluster throws, and 404 for what cannot be done here', async () => {
    await serve({ evict: () => Promise.reject(new IpamError('cluster/unavailable', 'the API server is away')) });

    expect((await run('evict', 'shop/web')).text).toContain('the API server is away');
    expect((await run('cluster', 'forget', 'u')).exit).toBe(3);
  });
});
