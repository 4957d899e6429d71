import { NEPHIO } from '../../../../operator/contract/nephio';
import { accept, refuse, type Outcome } from '../../../../operator/errors/outcome';
import { addressOf, briefly, type AllocClient } from '../../../support/alloc-client';
import { ManualClock } from '../../../support/manual-clock';
import { GrpcWorld } from '../../../support/grpc-world';

let world: GrpcWorld;
let client: AllocClient;

beforeEach(async () => {
  world = new GrpcWorld();
  world.f2();
  client = await world.serve();
  await world.ready('prefix', 'net1-p1');
});

afterEach(() => world.close());

const NAMED = { namespace: 'default', name: 'g1' };

describe('Get', () => {
  test('tells what a name was given, with its labels', async () => {
    await client.allocate({ ...addressOf('g1'), labels: { region: 'a' } });
    await expect(client.get(NAMED)).resolves.toEqual({
      ...NAMED,
      networkInstance: 'vpc-1',
      prefixkind: 'network',
      labels: { region: 'a' },
      statusCode: 'Valid',
      allocatedPrefix: '10.0.1.2/32',
      gateway: '10.0.1.1',
      parentPrefix: '10.0.1.0/24',
    });
  });

  test('finds nothing for another name, nor for an IPAllocation of the name', async () => {
    world.allocation('g1');
    await world.ready('allocation', 'g1');
    await expect(client.get(NAMED)).resolves.toMatchObject({ status: 'NOT_FOUND', refusal: 'claim/not-found' });
  });
});

describe('List', () => {
  const names = ['g1', 'g2', 'g3', 'g4', 'g5'];

  beforeEach(async () => {
    world.instance('vpc-2');
    world.create('prefix', 'other', { spec: { kind: 'aggregate', prefix: '10.0.0.0/8', networkInstance: 'vpc-2' } });
    await world.ready('prefix', 'other');
    for (const name of names) await client.allocate(addressOf(name));
    const selector = { [NEPHIO.networkInstance]: 'vpc-2' };
    await client.allocate({
      namespace: 'default',
      name: 'p1',
      spec: { prefixkind: 'pool', prefixLength: 16, selector },
    });
    world.allocation('a1');
    await world.ready('allocation', 'a1');
  });

  test('tells what all clients of a namespace have, and nothing of objects', async () => {
    const answer = await client.list({ namespace: 'default' });
    const claims = 'claims' in answer ? answer.claims : [];
    expect(claims.map(({ name }) => name)).toEqual([...names, 'p1']);
    expect(answer).toMatchObject({ nextPageToken: '' });
    await expect(client.list({ namespace: 'other' })).resolves.toMatchObject({ claims: [] });
    await expect(client.list({ namespace: 'default', networkInstance: 'vpc-2' })).resolves.toMatchObject({
      claims: [{ name: 'p1', networkInstance: 'vpc-2', allocatedPrefix: '10.0.0.0/16' }],
    });
  });

  test('goes on with the next page', async () => {
    const found: string[] = [];
    let pageToken = '';
    let pages = 0;
    do {
      const answer = await client.list({ namespace: 'default', pageSize: 2, pageToken });
      if (!('claims' in answer)) throw new RangeError(JSON.stringify(answer));
      found.push(...answer.claims.map(({ name }) => name));
      pageToken = answer.nextPageToken;
      pages += 1;
    } while (pageToken !== '');
    expect(found).toEqual([...names, 'p1']);
    expect(pages).toBe(3);
  });

  test('refuses a token that it did not make', async () => {
    await expect(client.list({ namespace: 'default', pageToken: 'abc' })).resolves.toMatchObject({
      status: 'INVALID_ARGUMENT',
    });
  });
});

describe('Watch', () => {
  test('tells what is there, then that this is all, then each change', async () => {
    await client.allocate(addressOf('g1'));
    const watch = client.watch({ namespace: 'default' });
    await watch.until(({ messages }) => messages.some(({ synced }) => synced));
    await client.allocate(addressOf('g2'));
    await client.deallocate(NAMED);
    await watch.until(({ messages }) => messages.length >= 4);
    expect(watch.told()).toEqual(['g1 10.0.1.2/32 Valid', 'synced', 'g2 10.0.1.3/32 Valid', 'g1 10.0.1.2/32 Unknown']);
    watch.cancel();
  });

  test('of one name tells nothing of others', async () => {
    const watch = client.watch(NAMED);
    await watch.until(({ messages }) => messages.length > 0);
    await client.allocate(addressOf('g2'));
    await client.allocate(addressOf('g1'));
    await watch.until(({ messages }) => messages.length >= 2);
    expect(watch.told()).toEqual(['synced', 'g1 10.0.1.3/32 Valid']);
    watch.cancel();
  });

  test('tells the end of a host that was selected by label', async () => {
    world.prefix('net1-p10', '10.0.1.10/24', { network: 'net1', labels: { [NEPHIO.interface]: 'n3' } });
    await world.ready('prefix', 'net1-p10');
    const selector = { ...addressOf('g1').spec?.selector, [NEPHIO.interface]: 'n3' };
    const watch = client.watch(NAMED);
    await watch.until(({ messages }) => messages.length > 0);
    expect(briefly(await client.allocate({ ...NAMED, spec: { prefixkind: 'network', selector } }))).toBe(
      '10.0.1.10/32',
    );
    await client.deallocate(NAMED);
    await watch.until(({ messages }) => messages.length >= 3);
    expect(watch.told()).toEqual(['synced', 'g1 10.0.1.10/32 Valid', 'g1 10.0.1.10/32 Unknown']);
    watch.cancel();
  });

  test('tells that an instance waits for the release, and the gateway that a subnet gets later', async () => {
    world.prefix('net2-p1', '10.2.0.0/24', { network: 'net2' });
    await world.ready('prefix', 'net2-p1');
    await client.allocate(addressOf('g1', 'net2'));
    const watch = client.watch(NAMED);
    await watch.until(({ messages }) => messages.length >= 2);
    world.prefix('net2-gw', '10.2.0.9/24', { network: 'net2', labels: { [NEPHIO.gateway]: 'true' } });
    await watch.until(({ messages }) => messages.at(-1)?.claim?.gateway === '10.2.0.9');
    await world.remove('instance', 'vpc-1');
    await watch.until(({ messages }) => messages.at(-1)?.claim?.statusCode === 'InValid');
    expect(watch.told().at(-1)).toBe('g1 10.2.0.1/32 InValid');
    watch.cancel();
  });

  test('of more names than may be unread tells them as fast as they are read', async () => {
    await world.close();
    client = await world.serve({ limits: { mostUnread: 4 } });
    const names = Array.from({ length: 20 }, (_, index) => `g${String(index + 10)}`);
    for (const name of names) await client.allocate(addressOf(name));
    const watch = client.watch({ namespace: 'default' });
    await watch.until(({ messages, ended }) => ended !== undefined || messages.some(({ synced }) => synced));
    expect(watch.messages.map(({ claim }) => claim?.name)).toEqual([...names, undefined]);
    watch.cancel();
  });

  test('goes over no list of NetworkInstances for a change', async () => {
    const { instances } = world.latest!.parts;
    const watches = ['default', 'other'].map((namespace) => client.watch({ namespace }));
    for (const watch of watches) await watch.until(({ messages }) => messages.length > 0);
    const list = jest.spyOn(instances, 'list');
    await client.allocate(addressOf('g1'));
    await watches[0]!.until(({ messages }) => messages.length > 1);
    expect(list).not.toHaveBeenCalled();
    for (const watch of watches) watch.cancel();
  });

  test('ends once its token or its right does, and not where the API server cannot tell', async () => {
    await world.close();
    const answers = [accept('alice'), new Error('no answer'), refuse('api/forbidden', 'no right')];
    let asked = 0;
    const judge = (): Promise<Outcome<string>> => {
      const answer = answers[Math.min(asked++, 2)]!;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    };
    const clock = new ManualClock();
    client = await world.serve({ callers: { judge }, clock });
    const watch = client.watch(NAMED);
    await watch.until(({ messages }) => messages.length > 0);
    while (watch.ended === undefined) {
      clock.advance(10_000);
      await client.health();
    }
    expect(asked).toBe(3);
    expect(watch.ended).toMatchObject({ status: 'PERMISSION_DENIED', refusal: 'api/forbidden' });
  });

  test('is one of 20 of its user, and leaves the others to other users', async () => {
    await world.close();
    let user = 'alice';
    client = await world.serve({ callers: { judge: () => Promise.resolve(accept(user)) } });
    const watches = Array.from({ length: 20 }, () => client.watch(NAMED));
    for (const watch of watches) await watch.until(({ messages }) => messages.length > 0);
    const more = client.watch(NAMED);
    await more.until(({ ended }) => ended !== undefined);
    expect(more.ended).toMatchObject({ refusal: 'api/too-many-streams' });
    user = 'bob';
    const other = client.watch(NAMED);
    await other.until(({ messages }) => messages.length > 0);
    user = 'alice';
    watches[0]!.cancel();
    await watches[0]!.until(({ ended }) => ended !== undefined);
    let next = client.watch(NAMED);
    await next.until(({ messages, ended }) => messages.length > 0 || ended !== undefined);
    while (next.messages.length === 0) {
      next = client.watch(NAMED);
      const now = next;
      await now.until(({ messages, ended }) => messages.length > 0 || ended !== undefined);
    }
    for (const watch of [...watches, other, next]) watch.cancel();
  });

  test('of a name that nothing can have is refused', async () => {
    const watch = client.watch({ namespace: 'default', name: '../..' });
    await watch.until(({ ended }) => ended !== undefined);
    expect(watch.ended).toMatchObject({ status: 'INVALID_ARGUMENT', refusal: 'request/invalid' });
  });

  test('ends with the server', async () => {
    const watch = client.watch(NAMED);
    await watch.until(({ messages }) => messages.length > 0);
    const closing = world.close();
    await watch.until(({ ended }) => ended !== undefined);
    await closing;
    expect(watch.ended).toBe('OK');
  });
});
