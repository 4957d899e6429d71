import { addressOf } from '../../../../../operator/addressing/address';
import { MemoryIntentRows } from '../../../../support/memory-intent-rows';
import type { V2Calls, V2Result } from '../../../../../operator/backends/ipam-api-client/v2/v2-call';
import type { AddressBook, Grant } from '../../../../../operator/ports/address-book';
import { ask, claimant, CUSTOM, granted, live, liveServices, refusal, sharing } from '../../../../support/ledger-world';
import { VITISTACK_FAULTS, type SeenCall } from '../../../../support/fake-vitistack-api';
import { spaceOf, takingBoth } from '../../../../support/claim-requests';
import { inet, RemoteWorld } from '../../../../support/remote-world';

const IN = { zone: 'inet' };
const first = (method: string) => (seen: readonly SeenCall[]) =>
  seen.filter((each) => each.method === method).length === 1;

describe('remote claims of version 2', () => {
  let world: RemoteWorld;
  let book: AddressBook;
  beforeEach(async () => {
    world = new RemoteWorld();
    await world.api.start();
    book = world.process().book;
  });
  afterEach(() => world.dispose());

  const has = async (...request: Parameters<typeof ask>): Promise<Grant> =>
    granted(await book.reserve(ask(...request)));
  const owns = async (label: string, uid: string, change: Parameters<typeof ask>[1] = IN): Promise<Grant> =>
    granted(await book.bind({ claimant: { ...claimant(label), serviceUid: uid }, grant: await has(label, change) }));

  test('registers once, however often and by however many processes it is asked', async () => {
    const other = world.process().book;
    const grants = await Promise.all([book, other, book, other].map((each) => each.reserve(ask('a/web', IN))));
    expect(new Set(grants.map((each) => granted(each).address.toString()))).toEqual(new Set(['83.118.168.0']));
    expect(world.api.holders()).toEqual(['83.118.168.0/32 web']);
    expect(world.api.store.records).toHaveLength(1);
    expect(world.phases()).toEqual(['held']);
  });

  test('gives back what was undone, and what a deleted Service had, with its retention', async () => {
    await book.undo(await has('a/try', IN));
    await owns('a/web', 'u1', { ...IN, options: { retentionPeriodDays: 3, denyExternalCleanup: true } });
    granted(await book.releaseByUid({ serviceUid: 'u1' }));
    await world.settled();
    expect(world.api.holders()).toEqual([]);
    const kept = world.api.store.records.flatMap(({ services }) => services).find(({ name }) => name === 'web');
    expect(kept).toMatchObject({ retention: 3, deny: true });
    expect(world.phases()).toEqual([]);
    world.api.store.expire(Date.now());
    expect((await has('a/web', IN)).address).toEqual(inet(kept === undefined ? 0 : 1));
  });

  test('gives the first family back where the IPAM-API fails at the second one', async () => {
    const fault: V2Result = {
      as: 'failed',
      doubt: 'no',
      refusal: { code: 'store/unavailable', message: 'the IPAM-API is away' },
    };
    const calls = (real: V2Calls): V2Calls => ({
      register: (call, ms) => (call.family === 6 ? Promise.resolve(fault) : real.register(call, ms)),
      release: (call, ms) => real.release(call, ms),
      closedBecause: () => real.closedBecause(),
    });
    const { store, book: own } = world.process({ calls });
    // the process has to know the secret behind a hash
    const { network, address } = granted(await own.reserve(ask('a/other', { ...IN, secret: CUSTOM })));
    const { secret } = (await store.get({ network, address }))!;
    const pair = takingBoth('web', { pool: 'inet', secret, space: spaceOf('83.118.168.0/22', '2a05:1234::/64') });
    await expect(store.take(pair)).rejects.toMatchObject({ code: 'store/unavailable' });
    await world.settled();
    expect([world.api.holders(), world.phases()]).toEqual([['83.118.168.0/32 other'], ['held']]);
  });

  test('W-04 gives back what was released while the IPAM-API was away', async () => {
    await owns('a/web', 'u1');
    await world.api.stop();
    expect(granted(await book.releaseByUid({ serviceUid: 'u1' })).released).toHaveLength(1);
    expect(await book.holdings(claimant('a/web'))).toEqual([]);
    await world.api.start();
    await world.settled();
    expect(world.api.holders()).toEqual([]);
  });

  test('leaves no row behind when the IPAM-API cannot be reached', async () => {
    await world.api.stop();
    await expect(book.reserve(ask('a/web', IN))).rejects.toMatchObject({ code: 'store/unavailable' });
    expect(world.intents.rows.size).toBe(0);
  });

  test('finds the address of an answer that was lost', async () => {
    world.api.fault = () => (first('POST')(world.api.seen) ? { kind: 'reset', committed: true } : undefined);
    expect((await has('a/web', IN)).address).toEqual(inet(0));
    expect(world.api.holders()).toEqual(['83.118.168.0/32 web']);
  });

  test('W-02 does not ask twice while the first call may be at work', async () => {
    const slow = world.process({ budgetMs: 400 }).book;
    world.api.fault = () => (first('POST')(world.api.seen) ? { kind: 'slow', ms: 800 } : undefined);
    await expect(slow.reserve(ask('a/web', IN))).rejects.toMatchObject({ code: 'store/unavailable' });
    await expect(slow.reserve(ask('a/web', IN))).rejects.toThrow('still be at work');
    expect(world.api.seen).toHaveLength(1);
  });

  test('EXT-01 ends by the sweep what a process asked for before it died', async () => {
    const dying = world.process({
      budgetMs: 300,
      calls: (calls) => ({ ...bound(calls), register: neverAnswers(calls) }),
    }).book;
    void dying.reserve({ ...ask('a/web', IN) }).catch(() => undefined);
    await until(() => world.api.holders().length === 1);
    const { store } = world.process({ budgetMs: 9_000 });
    expect(await store.sweepLostAsks(Date.now() + 1_000_000)).toBe(1);
    await world.settled();
    expect(world.api.holders()).toEqual([]);
    expect(world.phases()).toEqual([]);
  });

  test('does not believe 404 for a release', async () => {
    await owns('a/web', 'u1');
    world.api.fault = ({ method }) =>
      method === 'DELETE' && first('DELETE')(world.api.seen) ? VITISTACK_FAULTS.releaseFailed : undefined;
    granted(await book.releaseByUid({ serviceUid: 'u1' }));
    await world.settled();
    expect(world.api.holders()).toEqual([]);
    expect(world.api.seen.map(({ method }) => method)).toEqual(['POST', 'DELETE', 'POST', 'DELETE']);
  });

  test('takes a release as done when another secret owns the address by now', async () => {
    const { address } = await owns('a/web', 'u1');
    world.api.store.records = world.api.store.records.map((each) => ({ ...each, secret: 'somebody-elses' }));
    granted(await book.releaseByUid({ serviceUid: 'u1' }));
    await world.settled();
    expect(world.phases()).toEqual([]);
    expect(world.api.holders()).toEqual([`${address.toString()}/32 web`]);
  });

  test('keeps the address of a Service that comes back before its release was told', async () => {
    const { address } = await owns('a/web', 'u1');
    await has('a/other', IN);
    granted(await book.releaseByUid({ serviceUid: 'u1' }));
    const again = await owns('a/web', 'u2');
    await world.settled();
    expect(again.address).toEqual(address);
    expect(world.api.holders()).toEqual(['83.118.168.0/32 web', '83.118.168.1/32 other']);
  });

  test('rotates, also when the answer was lost, and refuses it while another cluster shares', async () => {
    const shared = { ...IN, secret: CUSTOM };
    const grant = await owns('a/web', 'u1', shared);
    const who = { ...claimant('a/web'), serviceUid: 'u1' };
    const to = (value: string) =>
      book.bind({
        claimant: who,
        grant,
        terms: { ...ask('a/web'), secret: { value, scope: 'shared' } },
      });
    let isLost = false;
    world.api.fault = ({ body }) => {
      if (body.new_secret === undefined || isLost) return undefined;
      isLost = true;
      return { kind: 'reset', committed: true };
    };
    granted(await to('the-next-secret'));
    expect(world.api.store.records[0]?.secret).toBe('the-next-secret');
    world.api.store.register({ ...bodyOf('far', '83.118.168.0/32'), secret: 'the-next-secret' });
    expect(refusal(await to('the-third-secret')).code).toBe('secret/shared');
    expect(world.api.store.records[0]?.secret).toBe('the-next-secret');
    expect(world.phases()).toEqual(['held']);
  });

  test('joins an address of another cluster with its secret, and is refused without', async () => {
    world.api.store.register({ ...bodyOf('far', '83.118.168.9/32'), secret: CUSTOM.value });
    const at = { ...IN, at: '83.118.168.9', secret: CUSTOM };
    expect(
      refusal(await book.reserve(ask('a/web', { ...at, secret: { value: 'wrong-secret', scope: 'shared' } }))),
    ).toMatchObject({
      code: 'secret/wrong',
    });
    expect((await has('a/web', at)).address).toEqual(inet(9));
    expect(world.api.holders()).toEqual(['83.118.168.9/32 far', '83.118.168.9/32 web']);
  });

  test('shares inside the cluster by the rules of its rows', async () => {
    const key = (port: string) => sharing('k', { ports: [port] });
    const udp = await owns('a/udp', 'u1', { ...IN, sharing: key('53/UDP') });
    const at = udp.address.toString();
    // of the same namespace and secret: it waits for the port
    expect(refusal(await book.reserve(ask('a/two', { ...IN, at, sharing: key('53/UDP') }))).code).toBe(
      'address/in-use',
    );
    expect((await has('a/tcp', { ...IN, at, sharing: key('53/TCP') })).sharedWith).toEqual(['a/udp']);
    expect(world.api.holders()).toEqual(['83.118.168.0/32 tcp', '83.118.168.0/32 udp']);
  });

  test('W-16 tells options that changed', async () => {
    const grant = await owns('a/web', 'u1');
    const options = { retentionPeriodDays: 5, denyExternalCleanup: true };
    const who = { ...claimant('a/web'), serviceUid: 'u1' };
    granted(await book.bind({ claimant: who, grant, terms: { options, writtenKeys: [] } }));
    await world.settled();
    expect(world.api.store.records[0]?.services).toMatchObject([{ retention: 5, deny: true }]);
  });

  test('gives an address back that the zones document does not know', async () => {
    world.api.fault = () =>
      first('POST')(world.api.seen)
        ? { kind: 'answer', status: 200, body: JSON.stringify({ message: 'x', address: '10.9.9.9/32' }) }
        : undefined;
    expect(refusal(await book.reserve(ask('a/web', IN))).code).toBe('address/outside-zone');
    await until(() => world.api.seen.some(({ method }) => method === 'DELETE'));
  });

  test('has nothing for a Service without a name', async () => {
    const unnamed = claimant('a/', { reservation: 'r1' });
    expect(refusal(await book.reserve(ask(unnamed, IN))).code).toBe('claim/nameless');
    expect(world.api.seen).toEqual([]);
  });

  test('sweeps leases that nobody stored, and binds those that somebody did', async () => {
    await has('a/gone', IN);
    const kept = await has('a/web', IN);
    const startedMs = Date.now() + 400_000;
    const services = [live('a/web', 'u1', [kept.address.toString()])];
    const swept = await world.process().book.sweep({ clusterUid: 'c1', startedMs, live: liveServices(...services) });
    expect(swept).toEqual({ released: 1, bound: 1 });
    await world.settled();
    expect(world.api.holders()).toEqual(['83.118.168.1/32 web']);
  });

  test('keeps secrets out of what it logs', async () => {
    world.api.fault = ({ body }) => ({
      kind: 'answer',
      status: 500,
      body: JSON.stringify({ message: `bad ${body.secret}` }),
    });
    await expect(book.reserve(ask('a/web', { ...IN, secret: CUSTOM }))).rejects.toThrow('[secret]');
    expect(world.logger.text).not.toContain(CUSTOM.value);
  });

  test('stops calling an IPAM-API that is away, and begins again', async () => {
    world.api.fault = () => VITISTACK_FAULTS.panicked;
    await expect(book.reserve(ask('a/web', IN))).rejects.toMatchObject({ code: 'store/unavailable' });
    const calls = world.api.seen.length;
    expect(calls).toBe(5);
    await expect(book.reserve(ask('a/web', IN))).rejects.toThrow('is away');
    expect(world.api.seen).toHaveLength(calls);
    world.api.fault = () => undefined;
    await until(async () => (await book.reserve(ask('a/web', IN)).catch(() => ({ ok: false }))).ok);
    expect(world.logger.text).toContain('the IPAM-API answers again');
  });

  test('reads what other processes wrote before it opened', async () => {
    const grant = await has('a/web', IN);
    const late = world.process({ rows: new MemoryIntentRows(world.intents) }).book;
    expect(await late.holdings(claimant('a/web'))).toMatchObject([{ address: grant.address }]);
    expect(await late.owners('c1')).toMatchObject([{ address: addressOf('83.118.168.0'), name: 'web' }]);
  });
});

function bound(calls: V2Calls): V2Calls {
  return {
    register: (...given) => calls.register(...given),
    release: (...given) => calls.release(...given),
    closedBecause: () => calls.closedBecause(),
  };
}

/** Calls, and tells nobody what was answered, as a process that dies. */
function neverAnswers(calls: V2Calls): V2Calls['register'] {
  return async (...given) => {
    await calls.register(...given);
    return new Promise(() => undefined);
  };
}

function bodyOf(name: string, address: string) {
  return {
    ...({ zone: 'inet', ip_family: 'ipv4', address } as const),
    service: { service_name: name, namespace_id: 'n9', cluster_id: 'c9' },
  };
}

async function until(check: () => boolean | Promise<boolean>, timeoutMs = 100_000): Promise<void> {
  const endMs = Date.now() + timeoutMs;
  while (!(await check())) {
    if (Date.now() > endMs) throw new TypeError('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
