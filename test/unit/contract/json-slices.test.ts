import fc from 'fast-check';
import { parseInSlices, SLICE_BYTES } from '../../../operator/contract/json-slices';

function parse(text: string): { readonly value: unknown; readonly slices: number } {
  const parsing = parseInSlices(Buffer.from(text));
  for (let slices = 1; ; slices++) {
    const { done, value } = parsing.next();
    if (done === true) return { value, slices };
  }
}

const FILLER = Array.from({ length: 2_500 }, (_, i) => ({ i, name: `é"\\${i}`, parts: [i, [], {}, null, -1.5e3] }));
const SMALL = [1, 'a', [], {}, [[1], { b: [2] }], null];

describe('parseInSlices', () => {
  test.each<[string, unknown]>([
    ['a text', 'x'.repeat(200_000)],
    ['a list of objects', FILLER],
    ['an object of many members', Object.fromEntries(FILLER.map((value, i) => [`k${i}`, value]))],
    ['lists within objects within lists', { a: SMALL, b: { c: [SMALL, FILLER, SMALL], d: FILLER }, e: [FILLER], f: 1 }],
    ['members before and after large ones', [SMALL, { x: 1, y: [...FILLER, SMALL], z: 2 }, SMALL]],
    ['names that mean something to JavaScript', { constructor: FILLER, toString: 1, length: FILLER }],
    ['next to nothing', {}],
  ])('FU-22 reads %s as JSON.parse does', (_name, value) => {
    // as text, since the test's own comparison of so many members takes seconds
    const text = JSON.stringify(value);
    expect(JSON.stringify(parse(text).value) === text).toBe(true);
    expect(JSON.stringify(parse(`\n ${JSON.stringify(value, undefined, 3)}\n`).value) === text).toBe(true);
  });

  test('FU-22 reads a name twice and __proto__ as JSON.parse does', () => {
    const large = JSON.stringify(FILLER);
    const text = `{"a":${large},"__proto__":${large},"a":[1]}`;
    expect(JSON.stringify(parse(text).value)).toBe(JSON.stringify(JSON.parse(text)));
  });

  test('FU-22 reads whatever JSON.parse reads', () => {
    const large = fc.json().map((text) => `[${Array.from({ length: 3_000 }, () => text).join(' , ')}]`);
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.json(), large), { minLength: 1, maxLength: 5 }), (parts) => {
        const text = `{"a":[${parts.join(',')}],"b":${parts.join(',"c":')}}`;
        expect(JSON.stringify(parse(text).value) === JSON.stringify(JSON.parse(text))).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  const LONG = '1,'.repeat(SLICE_BYTES);
  test.each([
    ['a comma at the end', `[${LONG}]`],
    ['a comma at the beginning', `[,${LONG}1]`],
    ['two commas', `[${LONG},${LONG}1]`],
    ['a comma too many after a large member', `[[${LONG}1],]`],
    ['a text after a large member', `[[${LONG}1]"a",1]`],
    ['a text before a large member', `["a"[${LONG}1],1]`],
    ['an object without names', `{${LONG}1}`],
    ['a large member without a name', `{"a":1,[${LONG}1]}`],
    ['a name without a colon', `{"a"[${LONG}1]}`],
    ['a list with names', `["a":[${LONG}1]]`],
    ['brackets that do not fit', `[${LONG}{"a":1]}`],
    ['a bracket that is missing', `[[${LONG}1]`],
    ['a bracket too many', `[${LONG}1]]`],
    ['a second value', `[${LONG}1] [${LONG}1]`],
    ['a beginning of another value', `1 [${LONG}1]`],
    ['a text without an end', `[${LONG}"a`],
    ['a line end in a text', `[${LONG}"a\nb"]`],
    ['no quotes', `[${LONG}a]`],
    ['nothing', ''],
  ])('FU-22 refuses %s', (_name, text) => {
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
    expect(() => parse(text)).toThrow(SyntaxError);
  });

  test.each([
    ['levels', '['.repeat(501)],
    ['objects and lists', `[${'[],'.repeat(1_000_001)}1]`],
    ['members', `[${'1,'.repeat(4_000_001)}1]`],
  ])('FU-22 refuses a text of too many %s before it fills the memory', (_name, text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'api/too-large' }) as Error);
  });

  const many = (part: string) => `[${part.repeat(Math.floor((4 * SLICE_BYTES) / part.length))}1]`;
  test.each([
    ['short lists', many('[],')],
    ['short objects', many('{"a":1},')],
    ['numbers', many('1.5,')],
    ['many levels', `${'[1,'.repeat(499)}${many('1,')}${']'.repeat(499)}`],
    ['levels that are all a little smaller than a slice', `${`[${'1,'.repeat(30_000)}`.repeat(40)}1${']'.repeat(40)}`],
  ])('FU-22 never has many bytes to parse at once, in a text of %s', (_name, text) => {
    let most = 0;
    const parsing = parseInSlices(Buffer.from(text), (piece) => {
      most = Math.max(most, piece.length);
      return JSON.parse(piece) as unknown;
    });
    while (parsing.next().done !== true);

    expect(most).toBeLessThan(2 * SLICE_BYTES);
  });
});
