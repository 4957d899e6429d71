import { CATALOGUE } from '../../../../operator/errors/catalogue';
import { CURES } from '../../../../operator/errors/cures';
import { CliOperator } from '../../../support/cli-operator';

const operator = new CliOperator('version: 1\nzones: []\n');
afterAll(() => operator.dispose());

describe('ipam error', () => {
  test.each(['pool/exhausted', 'PoolExhausted', 'poolexhausted'])(
    'tells what %s means, and what to do',
    async (word) => {
      const { code, out } = await operator.run(['error', word]);
      expect([code, out]).toEqual([
        0,
        `pool/exhausted (PoolExhausted): ${CATALOGUE['pool/exhausted'].summary}\n  ${CURES['pool/exhausted']}\n`,
      ]);
    },
  );

  test('tells every code of a reason that several have', async () => {
    const { out } = await operator.run(['error', 'InvalidAddress', '--output', 'json']);
    expect(JSON.parse(out)).toMatchObject([{ code: 'address/malformed' }, { code: 'address/unusable' }]);
  });

  test('does not find another word', async () => {
    const { code, err } = await operator.run(['error', 'pool/empty']);
    expect([code, err]).toEqual([3, 'ipam: no code and no reason of an error is "pool/empty" (claim/not-found)\n']);
  });
});

test('cures are sentences that fit on a screen', () => {
  const all = Object.entries(CURES);
  expect(all.filter(([, cure]) => !/^[A-Z].*\.$/u.test(cure) || cure.length > 220)).toEqual([]);
});
