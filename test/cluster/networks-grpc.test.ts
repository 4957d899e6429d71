import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NEPHIO } from '../../operator/contract/nephio';
import { addressOf, AllocClient, briefly } from '../support/alloc-client';
import { eventually } from './support/eventually';
import { GrpcScene } from './support/grpc-scene';
import { NetworkScene } from './support/network-scene';
import { pythonWithGrpc, runPythonClient } from './support/python-client';
import { useControlPlane } from './support/use-control-plane';

const plane = useControlPlane({
  prepare: async (control) => {
    await grpc.install(control);
  },
});
const grpc = new GrpcScene(plane);
const scene = new NetworkScene(plane, 'test');
let client: AllocClient;

const address = (name: string) => addressOf(name, 'net1', 'test');

/** Releases everything that clients have. */
async function releaseAll(): Promise<void> {
  const answer = await client.list({ namespace: 'test' });
  for (const claim of 'claims' in answer ? answer.claims : []) await client.deallocate(claim);
}

beforeAll(async () => {
  await grpc.namespace('test');
  await grpc.start('one');
  await scene.f2();
  await scene.ready('prefix', 'net1-p1');
  client = await grpc.client();
}, 240_000);

afterEach(async () => {
  await releaseAll();
}, 120_000);

afterAll(() => {
  grpc.close();
});

describe('a caller', () => {
  test('without a token, or with one for another audience, is not known', async () => {
    const leader = await grpc.leader();
    const unknown = 'UNAUTHENTICATED api/unauthenticated';
    expect(briefly(await grpc.connect(leader).allocate(address('g1')))).toBe(unknown);
    const other = await grpc.token('test', 'client', 'https://kubernetes.default.svc');
    expect(briefly(await grpc.connect(leader, other).allocate(address('g1')))).toBe(unknown);
    expect(briefly(await grpc.connect(leader, 'abc').deallocate({ namespace: 'test', name: 'g1' }))).toBe(unknown);
  });

  test('without the right on IPAllocations of the namespace may not call', async () => {
    const leader = await grpc.leader();
    const stranger = grpc.connect(leader, await grpc.token('test', 'stranger'));
    const forbidden = 'PERMISSION_DENIED api/forbidden';
    expect(briefly(await stranger.allocate(address('g1')))).toBe(forbidden);
    expect(await stranger.get({ namespace: 'test', name: 'g1' })).toMatchObject({ status: 'PERMISSION_DENIED' });
    expect(briefly(await client.allocate(addressOf('g1', 'net1', 'default')))).toBe(forbidden);
  });

  test('in plain text reaches nothing', async () => {
    const { port } = await grpc.leader();
    const plain = new AllocClient({ port });
    const answer = await plain.health();
    plain.close();
    expect(answer).toMatchObject({ status: 'UNAVAILABLE' });
  });

  test('may ask for health without a token', async () => {
    expect(await grpc.connect(await grpc.leader()).health()).toEqual({ status: 'SERVING' });
    expect(await client.health('alloc.Allocation')).toEqual({ status: 'SERVING' });
    expect(await client.health('other')).toMatchObject({ status: 'NOT_FOUND' });
  });
});

describe('what is given', () => {
  test('NET-T100 NET-T101 of a /24 to 260 calls at once is 253 addresses', async () => {
    const names = Array.from({ length: 260 }, (_, index) => `g${String(index)}`);
    const answers = await Promise.all(names.map(async (name) => briefly(await client.allocate(address(name)))));
    const given = answers.filter((each) => each.startsWith('10.0.1.'));
    expect(new Set(given).size).toBe(253);
    expect(given).toHaveLength(253);
    expect(answers.filter((each) => each === 'RESOURCE_EXHAUSTED pool/exhausted')).toHaveLength(7);
    expect((await scene.record()).filter((each) => /=g\d+$/u.test(each))).toHaveLength(253);
  }, 300_000);

  test('NET-T102 NET-T103 NET-T104 is the same for a repeat, and free after its release', async () => {
    const answer = { allocatedPrefix: '10.0.1.2/32', gateway: '10.0.1.1', parentPrefix: '10.0.1.0/24' };
    expect(await client.allocate(address('g1'))).toEqual(answer);
    expect(await client.allocate(address('g1'))).toEqual(answer);
    expect(briefly(await client.deallocate({ namespace: 'test', name: 'g1' }))).toBe('');
    expect(briefly(await client.deallocate({ namespace: 'test', name: 'g1' }))).toBe('');
    expect(await client.allocate(address('g2'))).toEqual(answer);
  });

  test('NET-T105 NET-T106 NET-T107 is nothing for a call that is wrong, and the server lives', async () => {
    const wrong = (spec: object) => client.allocate({ ...address('g1'), spec: { ...address('g1').spec, ...spec } });
    expect(briefly(await wrong({ prefixkind: '' }))).toBe('INVALID_ARGUMENT request/invalid');
    expect(briefly(await wrong({ prefix: 'abc' }))).toBe('INVALID_ARGUMENT prefix/malformed');
    const selector = { [NEPHIO.networkInstance]: 'vpc-9', [NEPHIO.networkName]: 'net1' };
    expect(briefly(await wrong({ selector }))).toBe('NOT_FOUND instance/not-found');
    const reserved = { ...address('g1').spec?.selector, [NEPHIO.allocationName]: 'net1-p1' };
    expect(briefly(await wrong({ selector: reserved }))).toBe('INVALID_ARGUMENT label/reserved');
    expect(briefly(await client.allocate(address('g1')))).toBe('10.0.1.2/32');
  });

  test('is told to a watch', async () => {
    const watch = client.watch({ namespace: 'test' });
    await watch.until(({ messages }) => messages.length > 0);
    await client.allocate(address('g1'));
    await client.deallocate({ namespace: 'test', name: 'g1' });
    await watch.until(({ messages }) => messages.length >= 3);
    expect(watch.told()).toEqual(['synced', 'g1 10.0.1.2/32 Valid', 'g1 10.0.1.2/32 Unknown']);
    watch.cancel();
  });
});

describe('a client in Python', () => {
  test('that is generated from alloc.proto has its calls answered', async () => {
    const found = await pythonWithGrpc();
    if (typeof found === 'string') {
      process.stderr.write(`${found}\n`);
      return;
    }
    const { port } = await grpc.leader();
    const folder = await mkdtemp(join(tmpdir(), 'alloc-'));
    const caFile = join(folder, 'ca.crt');
    await writeFile(caFile, grpc.ca);
    const args = [`127.0.0.1:${String(port)}`, caFile, 'ipam-networks-grpc.ipam-system.svc', 'test'];
    const lines = await runPythonClient(found.python, { folder, args, token: await grpc.token('test') });
    const given = (host: number) => ({ prefix: `10.0.1.${String(host)}/32`, gateway: '10.0.1.1' });
    expect(lines).toEqual([
      ...[given(2), given(2), given(3)],
      { status: 'INVALID_ARGUMENT', refusal: 'request/invalid' },
      { status: 'NOT_FOUND', refusal: 'selector/no-candidate' },
      given(3),
      { names: ['py1', 'py2'] },
      ...[
        { name: 'py1', synced: false },
        { name: '', synced: true },
      ],
      ...[
        { prefix: '', gateway: '' },
        { prefix: '', gateway: '' },
      ],
      { status: 'NOT_FOUND', refusal: 'claim/not-found' },
    ]);
    await rm(folder, { recursive: true });
  }, 900_000);
});

describe('a process', () => {
  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'NET-T99 that ends by %s loses nothing',
    async (signal) => {
      expect(briefly(await client.allocate(address('g1')))).toBe('10.0.1.2/32');
      const { operator, podIp } = await grpc.leader();
      await operator.kill(signal);
      // one that ends in order takes itself out first
      expect(await grpc.announced()).toEqual(signal === 'SIGTERM' ? [] : [podIp]);
      await scene.allocation('meanwhile');
      await operator.restart();
      await scene.ready('allocation', 'meanwhile', '10.0.1.3/32');
      client = await grpc.client();
      await eventually(async () => briefly(await client.allocate(address('g1'))) === '10.0.1.2/32');
      expect(briefly(await client.allocate(address('g2')))).toBe('10.0.1.4/32');
      await scene.remove('allocation', 'meanwhile');
      await scene.gone('allocation', 'meanwhile');
    },
    180_000,
  );

  test('that does not lead does not listen, and the Service leads to the one that does', async () => {
    const first = await grpc.leader();
    const second = await grpc.start('two');
    expect(briefly(await client.allocate(address('g1')))).toBe('10.0.1.2/32');
    expect(await grpc.connect(second).health()).toMatchObject({ status: 'UNAVAILABLE' });
    await first.operator.kill('SIGTERM');
    const leader = await grpc.leader((each) => each !== first);
    expect(leader).toBe(second);
    client = await grpc.client();
    expect(briefly(await client.allocate(address('g1')))).toBe('10.0.1.2/32');
    expect(briefly(await client.allocate(address('g2')))).toBe('10.0.1.3/32');
    await first.operator.restart();
    expect(await grpc.leader()).toBe(second);
  }, 180_000);
});

describe('the end of a namespace', () => {
  test('ends what clients have in it', async () => {
    await grpc.namespace('gone');
    const gone = new NetworkScene(plane, 'gone');
    await gone.f2();
    await gone.ready('prefix', 'net1-p1');
    const other = await grpc.client('gone');
    expect(briefly(await other.allocate(addressOf('g1', 'net1', 'gone')))).toBe('10.0.1.2/32');
    await plane().client.request('DELETE', '/api/v1/namespaces/gone');
    await eventually(async () => (await plane().client.attempt('GET', '/api/v1/namespaces/gone')).status === 404);
    expect((await scene.record()).filter((each) => each.includes('=g1'))).toEqual([]);
  }, 180_000);
});
