import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packedFolder, STALE_FILE } from './packed';

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent?: readonly (string | null)[];
}

const files = (): readonly string[] => readdirSync(packedFolder(), { recursive: true, encoding: 'utf8' });
const textOf = (file: string): string => readFileSync(join(packedFolder(), file), 'utf8');

/** Targets of links to other files, without the place in them. */
const linksIn = (text: string): readonly string[] =>
  [...text.matchAll(/\]\(([^)\s]+)\)/gu)]
    .map(([, target = '']) => target)
    .filter((target) => !/^(?:[a-z]+:|#)/u.test(target))
    .map((target) => target.replace(/#.*$/u, ''));

describe('the tarball', () => {
  test('has every file that one of its documents links', () => {
    const documents = files().filter((file) => file.endsWith('.md'));
    expect(documents).toEqual(expect.arrayContaining(['README.md', 'infra/README.md', 'docs/reference/cli.md']));
    const links = documents.flatMap((file) => linksIn(textOf(file)).map((target) => [file, target] as const));
    expect(links.length).toBeGreaterThan(20);
    const dead = links.filter(([file, target]) => !existsSync(join(packedFolder(), dirname(file), target)));
    expect(dead).toEqual([]);
  });

  test('has nothing of an older build', () => {
    expect(files()).toContain('lib/operator/index.js');
    expect(files()).not.toContain(STALE_FILE);
  });

  test('has source maps with their sources inside, since those are not in it', () => {
    const maps = files().filter((file) => file.endsWith('.map'));
    expect(maps).toContain('lib/operator/index.js.map');
    const empty = maps.filter((file) => {
      const { sources, sourcesContent = [] } = JSON.parse(textOf(file)) as SourceMap;
      return sourcesContent.length !== sources.length || sourcesContent.includes(null);
    });
    expect(empty).toEqual([]);
  });
});
