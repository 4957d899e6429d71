import { openLedger, type Ledger } from '../../../../operator/ledger/open-ledger';
import type { Claims } from '../../../../operator/ports/claims';
import { ask, granted, LedgerWorld, refusal, testHasher } from '../../../support/ledger-world';
import { ownRecord } from '../../../support/own-record';

/** A ledger over a record that cannot look ahead. */
function blindLedger({ store, zones, clock }: LedgerWorld): Ledger {
  const { takeFirst, peek: _looks, ...verbs }: Claims = store;
  const claims: Claims = { ...verbs, ...(takeFirst === undefined ? {} : { takeFirst }) };
  return openLedger({ record: { ...ownRecord(store), claims }, zones, hasher: testHasher, clock });
}

describe('a record that cannot look ahead of a take', () => {
  test('has no preview of an address, and says so', async () => {
    const world = new LedgerWorld();
    const { book } = blindLedger(world);
    const beside = [ask('a/web', { family: 6 })];
    const caveat =
      'zone "z": its record has no preview; only the real call shows whether an address is given, and which';
    expect(granted(await book.preview(ask('a/web'), beside))).toEqual({
      zone: 'z',
      family: 4,
      certain: false,
      caveat,
    });
    expect(await world.writesOf(() => book.preview(ask('a/web')))).toBe(0);
    expect(granted(await book.reserve(ask('a/web'))).address.toString()).toBe('192.0.2.0');
  });

  test('still refuses what is decided without it', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web', { at: '192.0.2.7' }), 'u1');
    const { book } = blindLedger(world);
    expect(refusal(await book.preview(ask('b/new', { at: '192.0.2.7' }))).code).toBe('address/held');
    expect(refusal(await book.preview(ask('b/new', { zone: 'nowhere' }))).code).toBe('zone/unknown');
  });

  test('plans nothing but what is on record already', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web', { at: '192.0.2.7' }), 'u1');
    const { registry } = blindLedger(world);
    expect(granted(await registry.plan(ask('a/web'))).kind).toBe('kept');
    expect(refusal(await registry.plan(ask('a/new')))).toMatchObject({
      code: 'store/no-preview',
      message: 'zone "z": its record does not tell what it gives before it is asked to',
    });
  });
});
