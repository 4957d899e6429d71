import type { OwnClaims } from '../../../operator/assembly/claims';
import { buildLedger } from '../../../operator/assembly/ledger';
import { askByApi, claimant, CUSTOM, granted, LedgerWorld, testHasher as hasher } from '../../support/ledger-world';

describe('buildLedger', () => {
  test('FU-33 pauses after wrong secrets', async () => {
    const { store, zones, clock } = new LedgerWorld();
    const claims: OwnClaims = {
      ...({ kind: 'own', writers: 'process', keys: { kind: 'given', hasher } } as const),
      store,
      clock,
      close: () => Promise.resolve(),
    };
    const { book } = buildLedger({}, { claims, zones, hasher, clock });
    const { address } = granted(await book.reserve(askByApi(claimant('a/web'), { secret: CUSTOM })));
    const guess = askByApi(claimant('b/thief'), {
      at: address.toString(),
      secret: { value: 'a-wrong-secret', scope: 'shared' },
    });
    for (let turn = 0; turn < 10; turn++) expect(await book.reserve(guess)).toMatchObject({ ok: false });
    expect(await book.reserve(guess)).toMatchObject({ ok: false, refusal: { code: 'api/rate-limit' } });
  });
});
