import { addressOf } from '../../operator/addressing/address';
import { valueOf } from '../../operator/errors/ipam-error';
import type { Claims } from '../../operator/ports/claims';
import type { OccupiedAddresses, OccupiedAddressesHost, OccupiedChange } from '../../operator/ports/occupied-addresses';
import { spacesOf } from '../../operator/ledger/views/count-zones';
import {
  addressText,
  at,
  binding,
  EIGHT,
  firstHolder,
  holderOf,
  leaseOf,
  ownerOf,
  placeOf,
  refusalOf,
  releasing,
  retainedOf,
  spaceOf,
  taken,
  taking,
  takingBoth,
} from './claim-requests';
import { subjectOf } from './claims-suite';
import type { OpenStore } from './store-under-test';

/** A difference: cluster `c1` shows an address by a Node. */
export function shows(address: string, change: Partial<OccupiedChange> = {}): OccupiedChange {
  const use = { source: 'Node/worker-1', weight: 'occupied' } as const;
  return { cluster: 'c1', network: 'default', address: addressOf(address), use, ...change };
}

/** A difference: cluster `c1` shows an address by `spec.externalIPs`. */
function avoids(address: string, change: Partial<OccupiedChange> = {}): OccupiedChange {
  return shows(address, { use: { source: 'Service/a/web', weight: 'avoided' }, ...change });
}

/** A difference: cluster `c1` does not show an address any more. */
export function leaves(address: string, cluster = 'c1'): OccupiedChange {
  return { cluster, network: 'default', address: addressOf(address) };
}

/** The uses of a store under test. */
export function usesOf(store: unknown): OccupiedAddresses {
  return (store as OccupiedAddressesHost).occupiedAddresses();
}

async function tries(store: Pick<Claims, 'take'>, name: string, address?: string): Promise<string> {
  const answer = await store.take(taking(name, address === undefined ? {} : { address }));
  return answer.ok ? addressText(answer.value[0]?.record) : answer.refusal.code;
}

/**
 * Everything that `ports/occupied-addresses` promises.
 *
 * @param open - opens an empty store
 */
export function occupiedSuite(open: OpenStore): void {
  const subject = subjectOf(open);
  const write = async (...changes: OccupiedChange[]): Promise<void> => {
    for (const change of changes) await usesOf(subject.store).write(change);
  };

  test('FU-02: what a cluster shows is never chosen, in both families', async () => {
    const { store } = subject;
    await write(shows('10.0.0.0'), shows('10.0.0.2'), shows('2001:db8::'));
    expect([await tries(store, 'a'), await tries(store, 'b')]).toEqual(['10.0.0.1', '10.0.0.3']);
    const both = valueOf(await store.take(takingBoth('c')));
    expect(both.map(({ record }) => addressText(record))).toEqual(['10.0.0.4', '2001:db8::1']);
    expect(valueOf(await store.peek(taking('d')))).toEqual([at('10.0.0.5')]);
  });

  test('FU-02: is refused as a wish with the name of what shows it, and free once that is gone', async () => {
    const { store } = subject;
    await write(shows('10.0.0.5'));
    const refusal = refusalOf(await store.take(taking('a', { address: '10.0.0.5' })));
    expect(refusal).toMatchObject({ code: 'address/held', value: '10.0.0.5' });
    expect(refusal.message).toContain('is in use by Node/worker-1 of cluster c1');
    expect(refusalOf(await store.peek(taking('a', { address: '10.0.0.5' }))).message).toBe(refusal.message);
    const far = { address: '10.0.0.5', holder: holderOf('a', { owner: ownerOf('a', { cluster: 'c2' }) }) };
    const hidden = refusalOf(await store.take(taking('a', far))).message;
    expect(hidden).toContain('is in use by an object of cluster c1');
    expect(hidden).not.toContain('worker-1');
    expect(await store.get(at('10.0.0.5'))).toMatchObject({
      state: 'foreign',
      holders: [],
      foreign: { cluster: 'c1', source: 'Node/worker-1' },
    });
    await write(leaves('10.0.0.5'));
    expect(subject.changes.map(({ kind, address }) => `${kind} ${address.toString()}`)).toEqual(['freed 10.0.0.5']);
    expect(await store.get(at('10.0.0.5'))).toBeUndefined();
    expect(await tries(store, 'a', '10.0.0.5')).toBe('10.0.0.5');
  });

  test('is known before anything was taken in its network, and after everything was', async () => {
    const { store } = subject;
    await write(shows('10.0.0.0', { network: 'other' }));
    expect(addressText(await taken(store, 'a', { network: 'other' }))).toBe('10.0.0.1');
    for (let i = 0; i < 8; i++) await tries(store, `s${i}`);
    expect(await tries(store, 'full')).toBe('pool/exhausted');
    await write(shows('10.0.0.3'), leaves('10.0.0.3'));
    expect(await tries(store, 'still')).toBe('pool/exhausted');
  });

  test('each cluster has its own: the address is free when the last one is gone', async () => {
    const { store } = subject;
    const other = { cluster: 'c2', use: { source: 'Service/b/db', weight: 'occupied' } } as const;
    await write(shows('10.0.0.0'), shows('10.0.0.0', other), leaves('10.0.0.0'));
    expect((await store.get(at('10.0.0.0')))?.foreign).toEqual({ cluster: 'c2', source: 'Service/b/db' });
    expect(await tries(store, 'a')).toBe('10.0.0.1');
    await write(leaves('10.0.0.0', 'c2'));
    expect(await tries(store, 'b')).toBe('10.0.0.0');
  });

  test('the same again writes nothing; another source replaces the one before', async () => {
    const { store } = subject;
    await write(shows('10.0.0.0'));
    const before = await store.get(at('10.0.0.0'));
    await write(shows('10.0.0.0'));
    expect(await store.get(at('10.0.0.0'))).toEqual(before);
    await write(shows('10.0.0.0', { use: { source: 'Node/z', weight: 'occupied' } }));
    expect((await store.get(at('10.0.0.0')))?.foreign).toEqual({ cluster: 'c1', source: 'Node/z' });
    expect(await usesOf(store).list({ by: 'cluster', cluster: 'c1' })).toEqual([
      { cluster: 'c1', ...at('10.0.0.0'), source: 'Node/z', weight: 'occupied' },
    ]);
    await write(leaves('10.0.0.7'));
    expect(subject.changes).toEqual([]);
  });

  test('FU-02: a claim that is there stays; when it ends the address is in use at once, without a quarantine', async () => {
    const { store } = subject;
    const record = await taken(store, 'a');
    await write(shows('10.0.0.0'));
    expect(await store.get(at('10.0.0.0'))).toEqual(record);
    expect(await usesOf(store).met('c1')).toEqual([
      {
        ...at('10.0.0.0'),
        pool: 'z',
        holder: firstHolder(record).owner,
        use: { cluster: 'c1', source: 'Node/worker-1' },
      },
    ]);
    expect(await usesOf(store).met('c2')).toEqual([]);
    expect(valueOf(await store.release(releasing(record, { quarantineMs: 60_000 })))).toBeUndefined();
    expect(await store.get(at('10.0.0.0'))).toMatchObject({ state: 'foreign' });
    expect(await usesOf(store).met('c1')).toEqual([]);
    expect(await tries(store, 'b')).toBe('10.0.0.1');
    expect(await tries(store, 'a', '10.0.0.0')).toBe('address/held');
  });

  test('a quarantined address is in use at once, and not kept for its former holder', async () => {
    const { store } = subject;
    const record = await taken(store, 'a');
    const paused = valueOf(await store.release(releasing(record, { quarantineMs: 60_000 })));
    await write(shows('10.0.0.0'));
    expect(await store.get(at('10.0.0.0'))).toMatchObject({ state: 'foreign' });
    const back = taking('a', { address: '10.0.0.0', returningOver: paused!.version });
    expect(refusalOf(await store.take(back)).code).toBe('address/held');
    await write(leaves('10.0.0.0'));
    expect(await tries(store, 'b', '10.0.0.0')).toBe('10.0.0.0');
  });

  test('a quarantine that ran out unnoticed is in use from then on', async () => {
    const { store, clock } = subject;
    const record = await taken(store, 'a');
    await store.release(releasing(record, { quarantineMs: 1000 }));
    await clock.advance(1001);
    await write(shows('10.0.0.0'));
    expect(await tries(store, 'b')).toBe('10.0.0.1');
    expect(await tries(store, 'c', '10.0.0.0')).toBe('address/held');
  });

  test('FU-02: what a Service shows itself does not stand in its own way', async () => {
    const { store } = subject;
    const own = { source: 'Service/a/web', weight: 'occupied' } as const;
    await write(shows('10.0.0.3', { use: own }), shows('10.0.0.4', { use: own, cluster: 'c2' }));
    await write(shows('10.0.0.5', { use: own }), shows('10.0.0.5', { cluster: 'c2' }));
    expect(await tries(store, 'other', '10.0.0.3')).toBe('address/held');
    expect(valueOf(await store.peek(taking('web', { address: '10.0.0.3' })))).toEqual([at('10.0.0.3')]);
    const record = await taken(store, 'web', { address: '10.0.0.3' });
    expect(addressText(record)).toBe('10.0.0.3');
    expect(await usesOf(store).met('c1')).toEqual([]);
    expect(await tries(store, 'web2', '10.0.0.4')).toBe('address/held');
    const two = { holder: holderOf('web', { key: 'two' }) };
    for (const address of ['10.0.0.4', '10.0.0.5']) {
      expect(refusalOf(await store.take(taking('web', { ...two, address }))).code).toBe('address/held');
    }
    await write(leaves('10.0.0.3'));
    expect(await store.get(at('10.0.0.3'))).toEqual(record);
    await store.release(releasing(record));
    expect(await tries(store, 'next', '10.0.0.3')).toBe('10.0.0.3');
  });

  test('FU-02: an avoided address is chosen last, may be wished for, and is counted as free', async () => {
    const { store } = subject;
    await write(avoids('10.0.0.0'), avoids('10.0.0.1'), avoids('10.0.0.2'));
    expect(await tries(store, 'wish', '10.0.0.1')).toBe('10.0.0.1');
    const chosen: string[] = [];
    for (let i = 0; i < 5; i++) chosen.push(await tries(store, `s${i}`));
    expect(chosen).toEqual(['10.0.0.3', '10.0.0.4', '10.0.0.5', '10.0.0.6', '10.0.0.7']);
    expect(valueOf(await store.peek(taking('peek')))).toEqual([at('10.0.0.0')]);
    expect([await tries(store, 'l1'), await tries(store, 'l2'), await tries(store, 'l3')]).toEqual([
      ...['10.0.0.0', '10.0.0.2', 'pool/exhausted'],
    ]);
  });

  test('an avoided address that was released is chosen last again, and in its turn once nothing names it', async () => {
    const { store } = subject;
    const record = await taken(store, 'a');
    await write(avoids('10.0.0.0'));
    await store.release(releasing(record));
    expect(await tries(store, 'b')).toBe('10.0.0.1');
    await write(leaves('10.0.0.0'));
    expect(await tries(store, 'c')).toBe('10.0.0.0');
    await write(avoids('10.0.0.2'), shows('10.0.0.2'));
    expect(await tries(store, 'd', '10.0.0.2')).toBe('address/held');
    await write(avoids('10.0.0.2'));
    expect(await tries(store, 'e')).toBe('10.0.0.3');
    expect(await tries(store, 'f', '10.0.0.2')).toBe('10.0.0.2');
  });

  test('prefixes are chosen around what is in use, and what is in use inside of one comes forth at its end', async () => {
    const { store } = subject;
    const space = spaceOf('10.0.0.0/28');
    await write(shows('10.0.0.1'));
    const prefix = await taken(store, 'p', { space, length: 30 });
    expect(addressText(prefix)).toBe('10.0.0.4/30');
    expect(refusalOf(await store.take(taking('q', { address: '10.0.0.0/30' }))).code).toBe('address/held');
    await write(shows('10.0.0.5'), avoids('10.0.0.6'));
    expect((await store.get(placeOf(prefix)))?.state).toBe('held');
    await store.release(releasing(prefix));
    expect(await store.get(at('10.0.0.5'))).toMatchObject({ state: 'foreign' });
    expect(await tries(store, 'four', '10.0.0.4')).toBe('10.0.0.4');
    expect(await tries(store, 'six', '10.0.0.6')).toBe('10.0.0.6');
  });

  test('counts what is in use apart from claims', async () => {
    const { store } = subject;
    await write(shows('10.0.0.0'), shows('10.0.0.7'), shows('10.9.9.9'), avoids('10.0.0.3'));
    await taken(store, 'a');
    const zone = { name: 'z', network: 'default', families: [4], space: EIGHT } as unknown as Parameters<
      typeof spacesOf
    >[0]['zones'][number];
    const [usage] = await store.usage(spacesOf({ zones: [zone] }));
    expect(usage).toMatchObject({ bound: 1, occupied: 3, inUse: 2, outside: 0 });
    expect(await store.tally()).toEqual([{ network: 'default', pool: 'z', family: 4, held: 1, quarantined: 0 }]);
    expect((await store.page({}, { limit: 9 })).map(addressText)).toEqual(['10.0.0.1']);
  });

  test('knows since when a cluster is complete, by network, and forgets a cluster as a whole', async () => {
    const { store, clock } = subject;
    const uses = usesOf(store);
    const sinceMs = clock.nowMs();
    expect(await uses.completeSince('c1')).toEqual(new Map());
    await uses.complete({ cluster: 'c1', networks: ['default'] });
    await clock.advance(5);
    await uses.complete({ cluster: 'c1', networks: ['default', 'lab'] });
    expect(await uses.completeSince('c1')).toEqual(
      new Map([
        ['default', sinceMs],
        ['lab', sinceMs + 5],
      ]),
    );
    await write(shows('10.0.0.0'), shows('10.0.0.0', { network: 'lab' }), avoids('10.0.0.1'));
    await write(shows('10.0.0.2', { cluster: 'c2' }));
    expect(await uses.forget('c1')).toBe(2);
    expect(await uses.completeSince('c1')).toEqual(new Map());
    expect(await uses.list({ by: 'cluster', cluster: 'c1' })).toEqual([]);
    expect([await tries(store, 'a'), await tries(store, 'b'), await tries(store, 'c')]).toEqual([
      ...['10.0.0.0', '10.0.0.1', '10.0.0.3'],
    ]);
  });

  test('claims of every state but contested ones meet what is shown; a shared address does as well', async () => {
    const { store } = subject;
    const lease = await taken(store, 'lease', { holder: leaseOf('lease', 1000) });
    const shared = await taken(store, 'one');
    await store.bind(binding(shared, holderOf('two')));
    await taken(store, 'gone', { holder: retainedOf('gone', 1000) });
    const contested = { owner: ownerOf('loud', { uid: 'u' }), state: 'contested' } as const;
    await taken(store, 'loud', { holder: contested });
    await write(shows('10.0.0.0'), shows('10.0.0.1'), shows('10.0.0.2'), shows('10.0.0.3'));
    const met = await usesOf(store).met('c1');
    expect(met.map(({ holder }) => holder.name)).toEqual(['lease', 'one', 'two', 'gone']);
    expect(addressText(lease)).toBe('10.0.0.0');
  });

  test('survives a restart', async () => {
    const { reopen } = subject;
    await write(shows('10.0.0.0'), avoids('10.0.0.1'));
    await usesOf(subject.store).complete({ cluster: 'c1', networks: ['default'] });
    if (reopen === undefined) return;
    const again = await reopen();
    expect(await tries(again, 'a')).toBe('10.0.0.2');
    expect([...(await usesOf(again).completeSince('c1')).keys()]).toEqual(['default']);
    await usesOf(again).write(leaves('10.0.0.0'));
    expect(await tries(again, 'b')).toBe('10.0.0.0');
  });
}
