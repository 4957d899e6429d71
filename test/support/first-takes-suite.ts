import { valueOf } from '../../operator/errors/ipam-error';
import type { Outcome } from '../../operator/errors/outcome';
import type { Owner, OwnerQuery, Taken, TakeRequest } from '../../operator/ports/claims';
import {
  addressText,
  holderOf,
  leaseOf,
  ownerOf,
  refusalOf,
  releasing,
  spaceOf,
  taken,
  taking,
  takingBoth,
} from './claim-requests';
import { subjectOf } from './claims-suite';
import type { OpenStore } from './store-under-test';

/** Tests of `Claims.takeFirst` where a store has it. */
export function firstTakesSuite(open: OpenStore): void {
  const subject = subjectOf(open);

  const byName = (name: string): readonly OwnerQuery[] => [
    { by: 'owner', owner: ownerOf(name) },
    { by: 'name', cluster: 'c1', namespace: 'a', name },
  ];
  const first = async (request: TakeRequest, unless = byName(request.holder.owner.name)) =>
    subject.store.takeFirst?.({ ...request, unless });
  const texts = (outcome: Outcome<readonly Taken[]> | undefined) =>
    outcome === undefined ? undefined : valueOf(outcome).map(({ record, created }) => [addressText(record), created]);

  test('FU-92 takes for an owner that the record does not know, as a take does', async () => {
    expect(texts(await first(taking('a')))).toEqual([['10.0.0.0', true]]);
    expect(texts(await first(takingBoth('b')))).toEqual([
      ['10.0.0.1', true],
      ['2001:db8::', true],
    ]);
    expect(subject.changes.map(({ kind, address }) => `${kind} ${address.toString()}`)).toEqual([
      'taken 10.0.0.0',
      'taken 10.0.0.1',
      'taken 2001:db8::',
    ]);
  });

  test('FU-92 takes nothing for an owner that has something, by whichever query', async () => {
    await taken(subject.store, 'a', { holder: leaseOf('a', 300) });
    const renamed = ownerOf('a', { namespaceUid: 'ns-new' });
    expect(await first(taking('a'))).toBeUndefined();
    expect(await first(taking('a', { holder: { owner: renamed, state: 'bound' } }))).toBeUndefined();
    expect(await first(taking('b'), byName('a'))).toBeUndefined();
    expect(subject.changes).toHaveLength(1);
    expect(await subject.store.list({ by: 'pool', network: 'default', pool: 'z' })).toHaveLength(1);
  });

  test('FU-92 asks beside the names of the owner whatever else it is known by', async () => {
    await taken(subject.store, 'a', { holder: holderOf('a') });
    const uid = holderOf('a').owner.uid ?? '';
    expect(await first(taking('b'), [...byName('b'), { by: 'uid', uid }])).toBeUndefined();
    expect(await first(taking('b'), [...byName('b'), ...byName('a')])).toBeUndefined();
    expect(await first(taking('b'), [...byName('b'), { by: 'uid', uid: 'of nobody' }])).toBeDefined();
  });

  test('FU-92 takes for an owner whose name another namespace or cluster has', async () => {
    await taken(subject.store, 'a', { holder: holderOf('a') });
    const elsewhere = (change: Partial<Owner>) => ownerOf('a', { namespace: 'b', namespaceUid: 'ns-b', ...change });
    for (const [index, owner] of [elsewhere({}), elsewhere({ cluster: 'c2' })].entries()) {
      const { cluster, namespace, name } = owner;
      const names: readonly OwnerQuery[] = [
        { by: 'owner', owner },
        { by: 'name', cluster, namespace, name },
      ];
      const outcome = await first(taking('a', { holder: { owner, state: 'bound' } }), names);
      expect(texts(outcome)).toEqual([[`10.0.0.${String(index + 1)}`, true]]);
      expect(await first(taking('a', { holder: { owner, state: 'bound' } }), names)).toBeUndefined();
    }
  });

  test('FU-92 takes one family for an owner that has something of the other', async () => {
    await taken(subject.store, 'a', { address: '2001:db8::5' });
    expect(texts(await first(taking('a', { holder: leaseOf('a', 300) })))).toEqual([['10.0.0.0', true]]);
    expect(await first(takingBoth('a'))).toBeUndefined();
  });

  test('FU-92 takes nothing for an owner that left something, until its quarantine is over and after it', async () => {
    const record = await taken(subject.store, 'a');
    valueOf(await subject.store.release(releasing(record, { quarantineMs: 100 })));
    expect(await first(taking('a'))).toBeUndefined();
    await subject.clock.advance(101);
    // it gets what it had last, which is for the caller to name
    expect(await first(taking('a'))).toBeUndefined();
    expect(texts(await first(taking('other')))).toEqual([['10.0.0.0', true]]);
  });

  test('FU-92 takes anew for an owner that was never stored', async () => {
    const record = await taken(subject.store, 'a', { holder: leaseOf('a', 300) });
    valueOf(await subject.store.release(releasing(record)));
    expect(texts(await first(taking('a')))).toEqual([['10.0.0.0', true]]);
  });

  test('FU-92 takes for an owner without a name, whatever others without one had', async () => {
    const nameless = { owner: ownerOf(''), state: 'reserved', expiry: { kind: 'after', ms: 300 } } as const;
    const record = await taken(subject.store, 'x', { holder: { ...nameless, state: 'bound' } });
    valueOf(await subject.store.release(releasing(record)));
    expect(texts(await first(taking('', { holder: nameless }), []))).toEqual([['10.0.0.0', true]]);
  });

  test('FU-92 is refused as a take is, and takes nothing then', async () => {
    const holder = leaseOf('a', 300);
    await taken(subject.store, 'other', { holder: leaseOf('other', 300) });
    const limited = await first(taking('a', { holder, maxReservedInNamespace: 1 }));
    expect(refusalOf(limited!).code).toBe('reservation/limit');
    const full = await first(taking('a', { holder, pool: 'full', space: spaceOf('10.0.0.0/32') }));
    expect(refusalOf(full!).code).toBe('pool/exhausted');
    // a space travels with its first take alone, also where that took nothing
    await taken(subject.store, 'known', { pool: 'y', space: spaceOf('10.1.0.0/30'), address: '10.1.0.0' });
    expect(await first(taking('known', { pool: 'y', space: spaceOf('10.1.0.0/30') }))).toBeUndefined();
    expect(texts(await first(taking('b', { pool: 'y', space: spaceOf('10.1.0.0/30') })))).toEqual([['10.1.0.1', true]]);
  });

  test('FU-92 gives one owner one address, however many ask at once', async () => {
    const lease = holderOf('a', { state: 'reserved', expiry: { kind: 'after', ms: 300 } });
    const { uid: _uid, ...owner } = lease.owner;
    const asked = Array.from({ length: 8 }, () => first(taking('a', { holder: { ...lease, owner } })));
    const found = (await Promise.all(asked)).map(texts);
    expect(found.filter((each) => each !== undefined)).toEqual([[['10.0.0.0', true]]]);
  });
}
