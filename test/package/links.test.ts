import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

import { pagesOf, textOf } from '../support/documents';

/** Most bytes of the README, the page that a newcomer reads first. */
const MOST_README_BYTES = 8_192;

interface Link {
  readonly page: string;
  readonly target: string;
}

const withoutCode = (text: string): string => text.replaceAll(/^ *```.*?^ *```$/gmsu, '').replaceAll(/`[^`\n]*`/gu, '');

/** Links to other files and to headings, without those to other sites. */
const linksOf = (page: string): readonly Link[] =>
  [...withoutCode(textOf(page)).matchAll(/\]\(([^)\s]+)\)/gu)]
    .map(([, target = '']) => ({ page, target }))
    .filter(({ target }) => !/^[a-z]+:/u.test(target));

/** Anchors of the headings of a page, as GitHub writes them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const text = textOf(page).replaceAll(/^ *```.*?^ *```$/gmsu, '');
  return new Set(
    [...text.matchAll(/^#+ (.*)$/gmu)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function problemOf({ page, target }: Link): string | undefined {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(file)) return `${page} links ${target}, and there is no ${file}`;
  return anchor === undefined || anchorsOf(file).has(anchor)
    ? undefined
    : `${page} links ${target}, and ${file} has no heading of that name`;
}

describe('the pages for readers', () => {
  const links = pagesOf().flatMap(linksOf);

  test('link files and headings that are there', () => {
    expect(links.flatMap((link) => problemOf(link) ?? [])).toEqual([]);
    expect(links.filter(({ target }) => target.includes('#')).length).toBeGreaterThan(10);
  });

  test.each([
    { page: 'README.md', target: 'docs/missing.md' },
    { page: 'README.md', target: 'docs/operations.md#no-such-heading' },
  ])('are told of the link $target, which leads nowhere', (link) => {
    expect(problemOf(link)).toContain(link.target);
  });

  test('begin with a README that is short', () => {
    expect(Buffer.byteLength(textOf('README.md'))).toBeLessThanOrEqual(MOST_README_BYTES);
  });

  test('are linked from the README or from a page that it links', () => {
    const all = pagesOf().filter((page) => page.startsWith('docs/'));
    const linked = new Set(links.map(({ page, target }) => normalize(join(dirname(page), target.split('#')[0] ?? ''))));
    expect(all.filter((page) => !linked.has(page))).toEqual([]);
  });
});
