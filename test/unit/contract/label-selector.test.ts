import { selectorMatches, selectorProblems, type LabelSelector } from '../../../operator/contract/label-selector';

const labels = { team: 'web', tier: 'front' };
const rule = (operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist', key: string, values?: string[]): LabelSelector => ({
  matchExpressions: [{ key, operator, ...(values === undefined ? {} : { values }) }],
});

describe('selectorMatches', () => {
  const cases: readonly (readonly [string, LabelSelector | undefined, boolean])[] = [
    ['no selector', undefined, true],
    ['an empty selector', {}, true],
    ['equal labels', { matchLabels: { team: 'web', tier: 'front' } }, true],
    ['one different label', { matchLabels: { team: 'web', tier: 'back' } }, false],
    ['an absent label', { matchLabels: { owner: '' } }, false],
    ['a name that every object inherits', { matchLabels: { toString: 'x' } }, false],
    ['In with the value', rule('In', 'team', ['db', 'web']), true],
    ['In without the value', rule('In', 'team', ['db']), false],
    ['In for an absent label', rule('In', 'owner', ['']), false],
    ['NotIn with the value', rule('NotIn', 'team', ['web']), false],
    ['NotIn for an absent label', rule('NotIn', 'owner', ['me']), true],
    ['Exists for a label', rule('Exists', 'team'), true],
    ['Exists for an absent label', rule('Exists', 'owner'), false],
    ['DoesNotExist for a label', rule('DoesNotExist', 'team'), false],
    ['DoesNotExist for an absent label', rule('DoesNotExist', 'owner'), true],
    [
      'labels that fit beside an expression that does not',
      { matchLabels: { team: 'web' }, ...rule('Exists', 'owner') },
      false,
    ],
  ];

  test.each(cases)('%s', (_name, selector, expected) => {
    expect(selectorMatches(selector, labels)).toBe(expected);
  });
});

describe('selectorProblems', () => {
  test.each<[string, unknown]>([
    ['a map', {}],
    ['a text', 'team'],
    ['a number', 7],
    ['a list of texts', ['team']],
    ['an operator that is a symbol', [{ key: 'a', operator: Symbol('In'), values: ['b'] }]],
  ])('leaves %s in place of conditions to the schema', (_name, matchExpressions) => {
    expect(selectorProblems({ matchExpressions })).toEqual([]);
  });

  test('names a condition without the values that it needs, and one with values that it cannot have', () => {
    const matchExpressions = [
      { key: 'a', operator: 'In' },
      { key: 'a', operator: 'Exists', values: ['b'] },
    ];
    expect(selectorProblems({ matchExpressions })).toEqual([
      { index: 0, problem: 'operator In needs at least one entry in values' },
      { index: 1, problem: 'operator Exists takes no values' },
    ]);
  });
});
