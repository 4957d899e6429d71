import { TABLE_SAMPLES } from '../../../support/address-table-samples';
import { addressTableProblems } from '../../../support/memory-claims';

describe('AddressTable', () => {
  test.each(TABLE_SAMPLES.filter(({ refusedAt }) => refusedAt === undefined))('accepts $title', ({ object }) => {
    expect(addressTableProblems(object)).toEqual([]);
  });

  test.each(TABLE_SAMPLES.filter(({ refusedAt }) => refusedAt !== undefined))(
    'refuses $title at $refusedAt',
    ({ object, refusedAt = '' }) => {
      const [problem] = addressTableProblems(object);
      expect(problem).toMatchObject({ code: 'claim/invalid' });
      expect(problem?.message).toContain(refusedAt);
    },
  );
});
