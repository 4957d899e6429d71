import { addressOf } from '../../../../operator/addressing/address';
import type { LiveObject } from '../../../../operator/ports/address-book';
import type { Claimant, Grant } from '../../../../operator/ports/address-book';
import type { OwnStore } from '../../../../operator/ports/store';
import {
  ask,
  askByApi,
  claimant,
  CountingStore,
  CUSTOM,
  granted,
  LedgerWorld,
  live,
  liveServices,
  refusal,
  sharing,
} from '../../../support/ledger-world';

const LEASE = 300_000;

/** A store that lets a claim through only when a gate opens. */
class LateStore extends CountingStore {
  constructor(store: OwnStore, gate: Promise<void>) {
    super(store);
    this.take = (request) => gate.then(() => store.take(request));
    this.takeFirst = (request) => gate.then(() => store.takeFirst?.(request));
  }
}

function sweepOf(world: LedgerWorld, services: readonly LiveObject[] = [], clusterUid = 'c1') {
  return world.book.sweep({ clusterUid, startedMs: world.clock.nowMs(), live: liveServices(...services) });
}

function bindOf(world: LedgerWorld, who: Claimant & { serviceUid: string }, grant: Grant) {
  return world.book.bind({ claimant: who, grant });
}

const stored = (label: string, serviceUid: string, reservation?: string) => ({
  ...claimant(label),
  serviceUid,
  ...(reservation === undefined ? {} : { reservation }),
});

describe('two leases on one address', () => {
  test('FU-91 end one by one, each at its own time', async () => {
    const world = new LedgerWorld();
    const key = (port: string) => ({ sharing: sharing('k', { ports: [port] }) });
    const first = await world.has(ask('a/udp', key('53/UDP')));
    world.clock.advance(200_000);
    await world.has(ask('a/tcp', { ...key('53/TCP'), at: first.address.toString() }));
    const held = async () =>
      (await world.store.list({ by: 'cluster', cluster: 'c1' })).flatMap(({ holders }) =>
        holders.map(({ owner }) => owner.name),
      );
    expect(await held()).toEqual(['udp', 'tcp']);
    world.clock.advance(LEASE - 200_000 + 1);
    expect(await sweepOf(world)).toEqual({ released: 1, bound: 0 });
    expect(await held()).toEqual(['tcp']);
    world.clock.advance(200_000);
    expect(await sweepOf(world)).toEqual({ released: 1, bound: 0 });
    expect(await held()).toEqual([]);
  });
});

describe('one user action', () => {
  test('WH-04 makes one reservation, however often admission runs', async () => {
    const world = new LedgerWorld();
    const first = await world.has(ask('a/web'));
    const second = await world.has(ask('a/web', { at: first.address.toString() }));
    expect(second).toEqual({ ...first, created: false });
    expect(await world.tally()).toEqual({ held: 1, quarantined: 0 });
  });

  test('WH-04 makes one reservation when two calls run at the same moment', async () => {
    const world = new LedgerWorld();
    const calls = Array.from({ length: 20 }, () => world.book.reserve(ask('a/web')));
    const grants = (await Promise.all(calls)).map(granted);
    expect(new Set(grants.map(({ holderId }) => holderId)).size).toBe(1);
    expect(grants.filter(({ created }) => created)).toHaveLength(1);
    expect(await world.tally()).toEqual({ held: 1, quarantined: 0 });
  });

  test('WH-08 leaves one record when the first of three tries reaches the store last', async () => {
    const world = new LedgerWorld();
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const slow = world.restarted(new LateStore(world.store, gate));
    const late = slow.reserve(ask('a/web'));
    await world.has(ask('a/web'));
    const second = await world.owns(ask('a/web'), 'u1');
    open();
    expect(granted(await late)).toMatchObject({ holderId: second.holderId, created: false });
    expect(await world.tally()).toEqual({ held: 1, quarantined: 0 });
  });

  test('WH-07 stops at 64 unbound reservations of a namespace, and the grace gives all of them back', async () => {
    const world = new LedgerWorld();
    const codes = new Map<string, number>();
    for (let i = 0; i < 300; i += 1) {
      const outcome = await world.book.reserve(ask(`a/try-${i}`));
      const code = outcome.ok ? 'reserved' : outcome.refusal.code;
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
    expect([...codes]).toEqual([
      ['reserved', 64],
      ['reservation/limit', 236],
    ]);
    expect((await world.has(ask('b/other'))).address.toString()).toBe('192.0.2.64');

    world.clock.advance(LEASE);
    expect(await sweepOf(world)).toEqual({ released: 0, bound: 0 });
    world.clock.advance(1);
    expect(await sweepOf(world)).toEqual({ released: 65, bound: 0 });
    expect(await world.tally()).toEqual({ held: 0, quarantined: 0 });
  });

  test('binds no reservation that another object of the name got meanwhile, by an older look at the record', async () => {
    const world = new LedgerWorld();
    const seen = await world.has(ask('a/web'));
    granted(await bindOf(world, stored('a/web', 'u2'), seen));
    expect(refusal(await bindOf(world, stored('a/web', 'u1'), seen)).code).toBe('reservation/missing');
    expect((await world.record(seen.address.toString()))?.holders[0]?.owner.uid).toBe('u2');
    expect(granted(await bindOf(world, stored('a/web', 'u2'), seen)).state).toBe('bound');
  });

  test('WH-07 leaves the address with the Service whose name a refused CREATE repeated', async () => {
    const world = new LedgerWorld();
    const old = await world.owns(ask('a/web', { sharing: sharing('k') }), 'u1');
    const refused = await world.has(ask('a/web', { sharing: sharing('j'), writtenKeys: [] }));
    await world.book.undo(refused);
    world.clock.advance(LEASE + 1);
    await sweepOf(world, [live('a/web', 'u1', [old.address.toString()])]);
    const holder = (await world.record(old.address.toString()))?.holders[0];
    expect(holder).toMatchObject({ state: 'bound', owner: { uid: 'u1' }, sharing: { key: 'k' } });
    expect(holder?.writtenKeys).toEqual(old.writtenKeys);

    granted(await world.book.releaseByUid({ serviceUid: 'u1' }));
    expect(await world.tally()).toEqual({ held: 0, quarantined: 1 });
  });

  test('WH-07 gives the address of an old object to nobody else when its successor is never stored', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web'), 'u1');
    await world.has(ask('a/web'));
    granted(await world.book.releaseByUid({ serviceUid: 'u1' }));
    expect(await world.tally()).toEqual({ held: 1, quarantined: 0 });
    world.clock.advance(LEASE + 1);
    expect(await sweepOf(world)).toEqual({ released: 1, bound: 0 });
    expect(await world.tally()).toEqual({ held: 0, quarantined: 1 });
  });

  test('CONC-02 gives 254 Services in ten namespaces 254 addresses at once, and the next one none', async () => {
    const world = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/24'], excluded: ['192.0.2.0', '192.0.2.255'] }]);
    const calls = Array.from({ length: 254 }, (_, i) => world.book.reserve(ask(`n${i % 10}/s${i}`)));
    const grants = (await Promise.all(calls)).map(granted);
    expect(new Set(grants.map(({ address }) => address.toString())).size).toBe(254);
    expect(refusal(await world.book.reserve(ask('n0/one-more'))).code).toBe('pool/exhausted');
  });

  test('CONC-02 chooses the lowest free address, whatever others wished for', async () => {
    const world = new LedgerWorld();
    await world.has(ask('a/wish', { at: '192.0.2.200' }));
    expect((await world.has(ask('a/next'))).address.toString()).toBe('192.0.2.0');
  });

  test('CONC-01 leaves a holder its address through restarts while another one waits', async () => {
    const world = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.1/32'] }]);
    const held = await world.owns(ask('a/a'), 'ua');
    for (let i = 0; i < 50; i += 1) {
      const again = world.restarted();
      expect(refusal(await again.reserve(ask('a/b'))).code).toBe('pool/exhausted');
      const grant = granted(await again.reserve(ask(claimant('a/a', { serviceUid: 'ua' }))));
      expect(grant.address).toEqual(held.address);
    }
    await world.book.releaseByUid({ serviceUid: 'ua' });
    world.clock.advance(300_000);
    expect((await world.has(ask('a/b'))).address).toEqual(held.address);
  });
});

describe('undo', () => {
  test('frees what the call made, at once and without quarantine', async () => {
    const world = new LedgerWorld();
    await world.book.undo(await world.has(ask('a/web')));
    expect(await world.tally()).toEqual({ held: 0, quarantined: 0 });
  });

  test('frees a claim that the IPAM-API made in the same call', async () => {
    const world = new LedgerWorld();
    await world.book.undo(await world.has(askByApi(claimant('a/web'))));
    expect(await world.tally()).toEqual({ held: 0, quarantined: 0 });
  });

  test('leaves what existed before and what was bound since', async () => {
    const world = new LedgerWorld();
    const first = await world.has(ask('a/web'));
    await world.book.undo(await world.has(ask('a/web')));
    expect(await world.tally()).toEqual({ held: 1, quarantined: 0 });
    granted(await bindOf(world, stored('a/web', 'u1'), first));
    await world.book.undo(first);
    expect(await world.tally()).toEqual({ held: 1, quarantined: 0 });
  });

  test('leaves a reservation that its owner claimed for good over the IPAM-API', async () => {
    const world = new LedgerWorld();
    const grant = await world.has(ask('a/web', { secret: CUSTOM }));
    await world.has(askByApi(claimant('a/web')));
    await world.book.undo(grant);
    expect((await world.record('192.0.2.0'))?.holders).toMatchObject([{ state: 'bound' }]);
  });

  test('leaves the others on a shared address', async () => {
    const world = new LedgerWorld();
    const terms = { at: '192.0.2.5', sharing: sharing('k') };
    await world.owns(ask('a/one', terms), 'u1');
    const joined = await world.has(ask('a/two', { ...terms, sharing: sharing('k', { ports: ['81/TCP'] }) }));
    await world.book.undo(joined);
    expect((await world.record('192.0.2.5'))?.holders).toMatchObject([{ owner: { uid: 'u1' } }]);
  });
});

describe('bind', () => {
  test('gives a reservation its owner and ends the lease, once', async () => {
    const world = new LedgerWorld();
    const grant = await world.has(ask('a/web'));
    const bound = granted(await bindOf(world, stored('a/web', 'u1'), grant));
    expect(bound).toMatchObject({ state: 'bound', created: false });
    expect(await world.writesOf(() => bindOf(world, stored('a/web', 'u1'), bound))).toBe(0);
    world.clock.advance(LEASE + 1);
    expect(await sweepOf(world)).toEqual({ released: 0, bound: 0 });
  });

  test('writes the made name into the reservation of a generateName Service', async () => {
    const world = new LedgerWorld();
    const grant = await world.has(ask(claimant('a/', { reservation: 'r1' })));
    granted(await bindOf(world, stored('a/gw-x7k2p', 'u1', 'r1'), grant));
    expect((await world.record('192.0.2.0'))?.holders).toMatchObject([{ owner: { uid: 'u1', name: 'gw-x7k2p' } }]);
    const update = ask(claimant('a/gw-x7k2p', { serviceUid: 'u1', reservation: 'r1' }));
    expect(await world.writesOf(() => world.has(update))).toBe(0);
  });

  test('finds the claim of the object when the grant is of an older holder', async () => {
    const world = new LedgerWorld();
    const grant = await world.has(ask('a/web'));
    await world.book.undo(grant);
    await world.has(ask('a/web'));
    expect(granted(await bindOf(world, stored('a/web', 'u1'), grant)).state).toBe('bound');
  });

  test('refuses what another Service owns, and what ended', async () => {
    const world = new LedgerWorld();
    const grant = await world.owns(ask('a/web'), 'u1');
    const foreign = refusal(await bindOf(world, stored('a/db', 'u2'), grant));
    expect(foreign.code).toBe('address/held');
    expect(foreign.message).toContain('"a/web"');
    await world.book.releaseByUid({ serviceUid: 'u1' });
    expect(refusal(await bindOf(world, stored('a/web', 'u1'), grant)).code).toBe('reservation/missing');
  });

  test('leaves the lease of a successor alone when the old object is bound again', async () => {
    const world = new LedgerWorld();
    const grant = await world.owns(ask('a/web'), 'u1');
    await world.has(ask('a/web'));
    expect(await world.writesOf(() => bindOf(world, stored('a/web', 'u1'), grant))).toBe(0);
    expect(granted(await world.book.releaseByUid({ serviceUid: 'u1' })).released).toEqual([]);
  });
});

describe('check', () => {
  test('accepts what is reserved under the key, and what is bound to the UID', async () => {
    const world = new LedgerWorld();
    const grant = await world.has(ask(claimant('a/', { reservation: 'r1' })));
    const request = { zone: 'z', address: grant.address };
    expect(granted(await world.book.check({ ...request, claimant: claimant('a/', { reservation: 'r1' }) })).state).toBe(
      'reserved',
    );
    granted(await bindOf(world, stored('a/gw-1', 'u1', 'r1'), grant));
    const writes = await world.writesOf(async () => {
      granted(await world.book.check({ ...request, claimant: claimant('a/gw-1', { serviceUid: 'u1' }) }));
    });
    expect(writes).toBe(0);
  });

  test('refuses others and names the holder', async () => {
    const world = new LedgerWorld();
    const grant = await world.has(ask('a/web'));
    const refused = refusal(await world.book.check({ claimant: claimant('b/web'), zone: 'z', address: grant.address }));
    expect(refused.code).toBe('reservation/missing');
    expect(refused.message).toContain('reserved for "a/web"');
  });

  test('refuses what nobody holds, what is only retained, and an empty name', async () => {
    const world = new LedgerWorld();
    const options = { retentionPeriodDays: 1, denyExternalCleanup: false };
    await world.owns(ask('a/web', { at: '192.0.2.5', options }), 'u1');
    await world.book.releaseByUid({ serviceUid: 'u1' });
    await world.has(ask(claimant('a/', { reservation: 'r1' }), { at: '192.0.2.6' }));
    const rows = [
      { who: claimant('a/web'), at: '192.0.2.4' },
      { who: claimant('a/web'), at: '192.0.2.5' },
      { who: claimant('a/'), at: '192.0.2.6' },
      { who: claimant('a/', { reservation: 'r2' }), at: '192.0.2.6' },
    ];
    for (const { who, at } of rows) {
      const outcome = await world.book.check({ claimant: who, zone: 'z', address: addressOf(at) });
      expect(refusal(outcome).code).toBe('reservation/missing');
    }
  });

  test('refuses the right address in another zone', async () => {
    const world = new LedgerWorld([
      { name: 'z', prefixes: ['192.0.2.0/24'] },
      { name: 'y', prefixes: ['198.51.100.0/24'] },
    ]);
    const { address } = await world.has(ask('a/web'));
    const outcome = await world.book.check({ claimant: claimant('a/web'), zone: 'y', address });
    expect(refusal(outcome).code).toBe('reservation/missing');
  });
});

describe('sweep', () => {
  test('binds what a stored object needs: by name and address, by UID and address, by reservation', async () => {
    const world = new LedgerWorld();
    await world.has(ask('a/web'));
    await world.has(ask(claimant('a/', { reservation: 'r1' })));
    await world.has(ask(claimant('a/db', { serviceUid: 'u3' }), { at: '192.0.2.9' }));
    world.clock.advance(LEASE + 1);
    const services = [
      live('a/web', 'u1', ['192.0.2.0']),
      { ...live('a/gw-1', 'u2'), reservation: 'r1' },
      live('a/db', 'u3', ['192.0.2.9']),
    ];
    expect(await sweepOf(world, services)).toEqual({ released: 0, bound: 3 });
    const second = (await world.record('192.0.2.1'))?.holders[0];
    expect(second).toMatchObject({ state: 'bound', owner: { uid: 'u2', name: 'gw-1' } });
  });

  test('releases what a refused update asked for though its object lives', async () => {
    const world = new LedgerWorld();
    const old = await world.owns(ask('a/web'), 'u1');
    await world.has(ask(claimant('a/web', { serviceUid: 'u1' }), { at: '192.0.2.7' }));
    world.clock.advance(LEASE + 1);
    const services = [live('a/web', 'u1', [old.address.toString()])];
    expect(await sweepOf(world, services)).toEqual({ released: 1, bound: 0 });
    expect(await world.record('192.0.2.7')).toBeUndefined();
    expect((await world.record('192.0.2.0'))?.state).toBe('held');
  });

  test('touches no lease of another cluster, and no claim of the IPAM-API', async () => {
    const world = new LedgerWorld();
    await world.has(ask(claimant('a/web', { cluster: 'c2' })));
    await world.has(askByApi(claimant('a/web', { cluster: 'c1' })));
    world.clock.advance(LEASE + 1);
    expect(await sweepOf(world)).toEqual({ released: 0, bound: 0 });
    expect(await sweepOf(world, [], 'c2')).toEqual({ released: 1, bound: 0 });
  });

  test('leaves a lease that is renewed while it runs', async () => {
    const world = new LedgerWorld();
    await world.has(ask('a/web'));
    world.clock.advance(LEASE + 1);
    const startedMs = world.clock.nowMs();
    const renewing = new CountingStore(world.store);
    renewing.list = async (query) => {
      const stale = await world.store.list(query);
      if (query.by === 'expired') await world.has(ask('a/web'));
      return stale;
    };
    const swept = await world.restarted(renewing).sweep({ clusterUid: 'c1', startedMs, live: liveServices() });
    expect(swept).toEqual({ released: 0, bound: 0 });
    expect((await world.record('192.0.2.0'))?.state).toBe('held');
  });

  test('leaves a lease that ran out after the list was begun', async () => {
    const world = new LedgerWorld();
    await world.has(ask('a/web'));
    world.clock.advance(LEASE);
    const startedMs = world.clock.nowMs();
    world.clock.advance(10_000);
    expect(await world.book.sweep({ clusterUid: 'c1', startedMs, live: liveServices() })).toEqual({
      released: 0,
      bound: 0,
    });
  });
});
