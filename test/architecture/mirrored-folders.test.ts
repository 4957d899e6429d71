import { globSync } from 'node:fs';
import { resolve } from 'node:path';

import { strayTestFolders } from '../support/mirrored-folders';

const root = resolve(__dirname, '../..');
const SOURCES = [
  'operator/application.ts',
  'operator/ledger/verbs/reserve.ts',
  'constructs/index.ts',
  'constructs/app/names.ts',
  'examples/cdk8s/smallest/main.ts',
];

const filesOf = (pattern: string): readonly string[] => globSync(pattern, { cwd: root });

test('every folder of unit tests mirrors a folder of the sources', () => {
  const tests = filesOf('test/unit/**/*.test.ts');
  expect(tests.length).toBeGreaterThan(200);
  expect(strayTestFolders(tests, filesOf('{operator,constructs,infra,examples}/**/*.ts'))).toEqual([]);
});

describe('strayTestFolders', () => {
  test.each([
    ['the root of the operator', 'test/unit/application.test.ts'],
    ['a folder of the operator', 'test/unit/ledger/verbs/reserve.test.ts'],
    ['a folder that holds folders only', 'test/unit/ledger/history.test.ts'],
    ['the root of another tree', 'test/unit/constructs/reference.test.ts'],
    ['a folder of another tree', 'test/unit/constructs/app/names.test.ts'],
    ['a folder of examples', 'test/unit/examples/cdk8s/smallest.test.ts'],
  ])('lets tests stand beside the name of %s', (_what, test) => {
    expect(strayTestFolders([test], SOURCES)).toEqual([]);
  });

  test.each([
    ['a folder of no source', 'test/unit/bench/tiny.test.ts', 'operator/bench'],
    ['a folder that moved', 'test/unit/verbs/reserve.test.ts', 'operator/verbs'],
    ['a folder of another tree', 'test/unit/constructs/verbs/reserve.test.ts', 'constructs/verbs'],
    ['a name that begins like a folder', 'test/unit/ledger/verb/reserve.test.ts', 'operator/ledger/verb'],
    ['a tree that begins like another one', 'test/unit/constructs-kit/names.test.ts', 'operator/constructs-kit'],
  ])('names %s', (_what, test, mirrors) => {
    expect(strayTestFolders([test, 'test/unit/application.test.ts'], SOURCES)).toEqual([
      { folder: test.slice(0, test.lastIndexOf('/')), mirrors },
    ]);
  });
});
