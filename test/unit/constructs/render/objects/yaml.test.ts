import { Yaml } from 'cdk8s';
import fc from 'fast-check';
import { parse } from 'yaml';

import {
  VerbatimLine,
  VerbatimScalar,
  YamlList,
  YamlMap,
  yamlDocument,
  type YamlNode,
} from '../../../../../constructs/render/objects/yaml';

const VERSIONS = ['1.1', '1.2'] as const;
const misread = [
  'yes',
  'e0',
  'E-1x',
  'no',
  'on',
  'Off',
  'y',
  'N',
  'null',
  '~',
  'TRUE',
  '012',
  '0o14',
  '0x1F',
  '1e3',
  '1:20',
  '1_000',
];
const marks = [
  '',
  ' ',
  '=',
  '<<',
  '-',
  '---',
  '- a',
  '? a',
  ': ',
  'a: b',
  'a #b',
  '#',
  '{{ .x }}',
  '[a',
  '*a',
  '&a',
  '!a',
  '%a',
  '@a',
  '`a',
];
const odd = [
  'a\tb',
  '\ta',
  'a\r\nb',
  'a\u0085b',
  'a\u2028b',
  '\ufeffa',
  'a\u007fb',
  '"',
  "'",
  '\\',
  'a ',
  ' a',
  '2001-12-14',
  '2001:db8::',
  '::',
  '.inf',
  '+1',
  '1.',
];

describe('yamlDocument', () => {
  test.each(VERSIONS)('CDK-01 gives a YAML %s reader every text back as the same text', (version) => {
    for (const text of [...misread, ...marks, ...odd]) {
      expect(parse(yamlDocument({ key: text, [text]: [text] }), { version, uniqueKeys: false })).toEqual({
        key: text,
        [text]: [text],
      });
    }
  });

  test.each(VERSIONS)('gives a YAML %s reader any JSON back', (version) => {
    const number = fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }).map((n) => Math.round(n * 100) / 100),
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc.array(fc.string()).map((lines) => lines.join('\n')),
    );
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        text,
        number,
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(fc.string({ minLength: 1 }), tie('tree'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        fc.pre(!JSON.stringify(value).includes('__proto__'));
        const [written] = [yamlDocument({ value: value as YamlNode })];
        expect(parse(written, { version })).toEqual({ value: JSON.parse(JSON.stringify(value)) as unknown });
      }),
      { numRuns: 300 },
    );
  });

  test('says the same as the writer of cdk8s', () => {
    const object = {
      spec: { args: ['--zones-file=/etc/ipam/zones.yaml', ':9443'], empty: {}, none: [], text: 'a: 1\nb: 2\n' },
    };
    expect(parse(yamlDocument(object))).toEqual(parse(Yaml.stringify(object)));
  });

  test('writes plain words bare, lines as a block, lists below their key', () => {
    expect(
      yamlDocument({
        kind: 'Service',
        port: 443,
        on: false,
        document: 'a: 1\n\nb: "x"\n',
        list: [{ a: 1, b: [] }, ['x']],
      }),
    ).toBe(
      `kind: Service
port: 443
"on": false
document: |
  a: 1

  b: "x"
list:
  - a: 1
    b: []
  -
    - x
`,
    );
  });

  test('refuses numbers that readers disagree on', () => {
    for (const number of [Number.NaN, Number.POSITIVE_INFINITY, 1e21, 1e-7]) {
      expect(() => yamlDocument({ number })).toThrow(String(number));
    }
  });

  test('writes lines of another language between entries and items, and scalars as they are', () => {
    const node = new YamlMap([
      new VerbatimLine('{{- if .a }}'),
      ['a', new VerbatimScalar('{{ .a }}')],
      new VerbatimLine('{{- end }}'),
      ['list', new YamlList([new VerbatimLine('{{- range .b }}'), 'x', new VerbatimLine('{{- end }}')])],
      ['maps', [new YamlMap([new VerbatimLine('{{- if .c }}'), ['c', 1], new VerbatimLine('{{- end }}')])]],
    ]);
    expect(yamlDocument(node)).toBe(`{{- if .a }}
a: {{ .a }}
{{- end }}
list:
  {{- range .b }}
  - x
  {{- end }}
maps:
  -
    {{- if .c }}
    c: 1
    {{- end }}
`);
  });
});
