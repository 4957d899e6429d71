import fc from 'fast-check';
import { parseAllDocuments, stringify } from 'yaml';
import { editedYaml, type YamlEdit } from '../../../../operator/cli/inject/yaml-edit';

const set = (at: YamlEdit['at'], value: unknown, document = 0): YamlEdit => ({ document, at, to: 'set', value });
const remove = (at: YamlEdit['at']): YamlEdit => ({ document: 0, at, to: 'remove' });
const append = (at: YamlEdit['at'], ...values: unknown[]): YamlEdit => ({ document: 0, at, to: 'append', values });

const ODD = `# top
apiVersion: v1   # version
metadata: {name: a,   labels: {x: "1"}}
spec:
    deep:   'quoted'
    # belongs to spec
# end of the first
---
status:
  prefix: 10.0.0.1/32   # old
  gateway: "10.0.0.254"
`;

describe('editedYaml', () => {
  test('adds a block behind the last one and its comments, and leaves every other byte', () => {
    const added = `status:\n  prefix: 10.0.0.2/32\n  gateway: 10.0.0.1\n`;
    const text = editedYaml(ODD, [set(['status'], { prefix: '10.0.0.2/32', gateway: '10.0.0.1' })]);
    expect(text).toBe(ODD.replace('# end of the first', `${added}# end of the first`));
  });

  test('changes one value in its line', () => {
    expect(editedYaml(ODD, [set(['status', 'prefix'], '10.0.0.9/32', 1)])).toBe(
      ODD.replace('10.0.0.1/32', '10.0.0.9/32'),
    );
  });

  test('takes out a line, and puts one in', () => {
    const edits: YamlEdit[] = [
      { document: 1, at: ['status', 'gateway'], to: 'remove' },
      set(['status', 'parent'], 'p', 1),
    ];
    expect(editedYaml(ODD, edits)).toBe(ODD.replace('  gateway: "10.0.0.254"\n', '  parent: p\n'));
  });

  test('changes, takes out and adds items of a list at once', () => {
    const text = 'list:\n- type: a\n  status: "True"\n# between\n- type: b\n  status: "False"   # why\nend: 1\n';
    const edits = [
      remove(['list', 0]),
      set(['list', 1, 'status'], 'True'),
      append(['list'], { type: 'c' }, { type: 'd' }),
    ];
    expect(editedYaml(text, edits)).toBe(
      'list:\n# between\n- type: b\n  status: "True"   # why\n- type: c\n- type: d\nend: 1\n',
    );
  });

  test.each([
    ['a key without a value', 'a: 1\nstatus:\n', 'a: 1\nstatus:\n  list:\n    - t: 1\n'],
    ['no key', 'a: 1\n', 'a: 1\nstatus:\n  list:\n    - t: 1\n'],
    ['no line feed at the end', 'a: 1', 'a: 1\nstatus:\n  list:\n    - t: 1\n'],
    ['lines that end as on Windows', 'a: 1\r\n', 'a: 1\r\nstatus:\r\n  list:\r\n    - t: 1\r\n'],
    ['a list that is empty', 'status: {list: []} # c\n', 'status: { list: [ { t: 1 } ] } # c\n'],
  ])('makes a list where there is %s', (_what, text, expected) => {
    expect(editedYaml(text, [append(['status', 'list'], { t: 1 })])).toBe(expected);
  });

  test('writes a text anew where the place is in braces, with its comments, order and values', () => {
    const text = '# top\nmetadata: {name:   a1} # name\nspec:   {a: "1"}\n';
    expect(editedYaml(text, [set(['metadata', 'annotations', 'id'], 'x')])).toBe(
      '# top\nmetadata: { name: a1, annotations: { id: x } } # name\nspec: { a: "1" }\n',
    );
  });

  test.each([
    ['one line', undefined],
    ['indented lines', 2],
  ])('leaves JSON of %s JSON', (_what, space) => {
    const before = { a: null, n: [1, true], metadata: { name: 'a1', long: 'x y '.repeat(60), odd: '\u0007\u00a0"' } };
    const text = `${JSON.stringify(before, null, space)}\n`;
    const edits = [
      set(['metadata', 'annotations', 'example.org/id'], 'True'),
      append(['n'], 'z\u001b'),
      set(['status'], { prefix: '10.0.0.1/32' }),
    ];
    expect(JSON.parse(editedYaml(text, edits))).toEqual({
      ...before,
      n: [1, true, 'z\u001b'],
      metadata: { ...before.metadata, annotations: { 'example.org/id': 'True' } },
      status: { prefix: '10.0.0.1/32' },
    });
  });

  test('writes text that another reader takes for something else in quotes', () => {
    expect(editedYaml('a: 1\n', [set(['b'], 'True')])).toBe('a: 1\nb: "True"\n');
  });

  test('is the text itself without edits, and where the value stands there', () => {
    expect(editedYaml(ODD, [])).toBe(ODD);
    expect(editedYaml(ODD, [set(['status', 'prefix'], '10.0.0.1/32', 1)])).toBe(ODD);
  });

  test('has the wanted values for any document', () => {
    const leaf = fc.oneof(fc.string({ maxLength: 12 }), fc.integer(), fc.boolean(), fc.constant(null));
    const key = fc.stringMatching(/^[a-z]{1,4}$/u);
    const value = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
      ),
    })).value;
    const root = fc.dictionary(key, value, { minKeys: 1, maxKeys: 4, noNullPrototype: true });
    const style = fc.constantFrom('any' as const, 'flow' as const);
    const place = fc.array(key, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.record({ before: root, at: place, given: leaf, collectionStyle: style }), (drawn) => {
        const { before, at, given, collectionStyle } = drawn;
        const text = stringify(before, { lineWidth: 0, collectionStyle });
        const after = parseAllDocuments(editedYaml(text, [set(at, given)]))[0]?.toJS() as unknown;
        expect(at.reduce<unknown>((inner, each) => (inner as Record<string, unknown>)[each], after)).toEqual(given);
        const others = Object.keys(before).filter((each) => each !== at[0]);
        for (const each of others) expect((after as Record<string, unknown>)[each]).toEqual(before[each]);
      }),
      { numRuns: 500 },
    );
  });
});
