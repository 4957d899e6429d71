import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';

import { folderCircles, readSources, type SourceTree } from '../support/folder-circles';

/** Folders that are checked, with all folders in them. */
const ROOTS = ['operator', 'constructs', 'infra'];

const tree = (files: Readonly<Record<string, string>>): SourceTree => new Map(Object.entries(files));
const EMPTY = 'export {};\n';

const root = resolve(__dirname, '../..');

describe('the folders of the product', () => {
  test('import each other in one direction, types included', () => {
    const circles = folderCircles(readSources(root, ROOTS));
    expect(circles).toEqual([]);
  });

  test.each([
    ['operator', ['application.ts', 'index.ts', 'main.ts']],
    ['constructs', ['index.ts']],
    ['infra', ['index.ts', 'program.ts']],
  ])('hold every file of %s but its entries', (folder, loose) => {
    const files = readdirSync(resolve(root, folder)).filter((name) => name.endsWith('.ts'));
    expect(files.toSorted()).toEqual(loose);
  });
});

describe('folderCircles', () => {
  test('finds two folders that import each other by different files', () => {
    const circles = folderCircles(
      tree({
        'house/low/a.ts': "import { b } from '../high/b';\nexport const a = b;\n",
        'house/low/other.ts': 'export const other = 1;\n',
        'house/high/b.ts': 'export const b = 1;\n',
        'house/high/c.ts': "import { other } from '../low/other';\nexport const c = other;\n",
      }),
    );
    expect(circles).toEqual([
      {
        parent: 'house',
        folders: ['high', 'low'],
        crossings: [
          { from: 'house/low/a.ts', to: 'house/high/b.ts' },
          { from: 'house/high/c.ts', to: 'house/low/other.ts' },
        ],
      },
    ]);
  });

  test.each([
    ['a type', "import type { B } from '../high/b';\n"],
    ['a type in an expression', "export type B = import('../high/b').B;\n"],
    ['an export', "export * from '../high/b';\n"],
    ['an index', "import '../high';\n"],
    ['a dynamic import', "export const b = async () => import('../high/b');\n"],
  ])('counts %s', (_what, text) => {
    const circles = folderCircles(
      tree({
        'low/a.ts': text,
        'high/b.ts': EMPTY,
        'high/index.ts': EMPTY,
        'high/back.ts': "import '../low/a';\n",
      }),
    );
    expect(circles.map(({ folders }) => folders)).toEqual([['high', 'low']]);
  });

  test('finds a circle of three folders', () => {
    const circles = folderCircles(
      tree({
        'a/a.ts': "import '../b/b';\n",
        'b/b.ts': "import '../c/c';\n",
        'c/c.ts': "import '../a/z';\n",
        'a/z.ts': EMPTY,
      }),
    );
    expect(circles.map(({ folders }) => folders)).toEqual([['a', 'b', 'c']]);
  });

  test('takes a folder for everything below it', () => {
    const circles = folderCircles(
      tree({
        'house/one/deep/down.ts': "import '../../two/b';\n",
        'house/one/a.ts': EMPTY,
        'house/two/b.ts': "import '../one/a';\n",
      }),
    );
    expect(circles.map(({ parent, folders }) => [parent, folders])).toEqual([['house', ['one', 'two']]]);
  });

  test('takes the files of a folder for one folder beside its subfolders', () => {
    const circles = folderCircles(
      tree({ 'house/list.ts': "import './one/a';\n", 'house/type.ts': EMPTY, 'house/one/a.ts': "import '../type';\n" }),
    );
    expect(circles.map(({ parent, folders }) => [parent, folders])).toEqual([['house', ['.', 'one']]]);
  });

  test('finds nothing where every import goes down, nor in packages', () => {
    const files = {
      'index.ts': "import './high/b';\n",
      'high/b.ts': "import 'low';\nimport '../low/a';\n",
      'low/a.ts': "import 'node:fs';\nimport './b';\n",
      'low/b.ts': EMPTY,
    };
    expect(folderCircles(tree(files))).toEqual([]);
  });
});
