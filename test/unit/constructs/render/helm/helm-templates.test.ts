import { ApiObject, Chart, Testing } from 'cdk8s';

import { helmTemplates, joinedProps } from '../../../../../constructs/render/helm/helm-templates';
import { mergeVariants, type HelmNode, type Variant } from '../../../../../constructs/render/helm/cases';
import {
  choice,
  ENTRIES,
  handedOn,
  ITEMS,
  optional,
  part,
  TEXT,
  type ChartValue,
} from '../../../../../constructs/render/helm/chart-value';
import { templateOf } from '../../../../../constructs/render/helm/template';
import { valuesSchema, valuesYaml } from '../../../../../constructs/render/helm/values-files';

interface Props {
  readonly text?: string;
  readonly names?: readonly string[];
  readonly on?: boolean;
  readonly mode?: 'one' | 'two';
}

/** A tree of one ConfigMap, and of a second one where `on` is. */
function tree({ text = 'default', names = [], on = false, mode = 'one' }: Props): Chart {
  const chart = new Chart(Testing.app(), 'chart');
  const map = (name: string, data: object): ApiObject =>
    new ApiObject(chart, name, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
  map('first', {
    text: `is ${text}`,
    names: ['always', ...names],
    ...(mode === 'two' ? { second: '{{ braces }}' } : {}),
  });
  if (on) map('second', { mode });
  return chart;
}

const about = (comment: string) => ({ comment, initial: '' });
const text = handedOn('a.text', { ...about('A text.'), initial: 'default', read: TEXT }, (value): Props => ({
  text: value,
}));
const names = optional('a.names', { comment: 'Names.', initial: [], read: ITEMS }, (value): Props => ({
  names: value,
}));
const on = choice('on', { comment: 'Whether.', allowed: [false, true] }, (value): Props => ({ on: value }));
const mode = choice('mode', { comment: 'Which.', allowed: ['one', 'two'] }, (value): Props => ({ mode: value }));

const templates = (values: readonly ChartValue<Props>[]): string =>
  helmTemplates({ values, tree, leftOut: [] })['config-map.yaml'] ?? '';

describe('helmTemplates', () => {
  test('writes expressions for what is late-bound and conditions for what differs, as deep down as possible', () => {
    expect(templates([text, names, on])).toBe(`---
apiVersion: v1
kind: ConfigMap
metadata:
  name: first
data:
  names:
    - always
    {{- if $.Values.a.names }}
    {{- range $item := $.Values.a.names }}
    - {{ $item | toJson }}
    {{- end }}
    {{- end }}
  text: {{ printf "is %s" ($.Values.a.text) | toJson }}
{{- if $.Values.on }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: second
data:
  mode: one
{{- end }}
`);
  });

  test('judges nothing, since other shapes need values that a release has beside them', () => {
    const judged = (props: Props): Chart => {
      const chart = tree(props);
      chart.node.addValidation({ validate: () => ['not like this'] });
      return chart;
    };
    expect(helmTemplates({ values: [on], tree: judged, leftOut: [] })['config-map.yaml']).toContain('name: second');
  });

  test('leaves an entry, an item or a map of entries out where its value says so', () => {
    const sources = {
      'a.text': { expression: '$.Values.a.text', when: 'ne $.Values.a.text ""' },
      'a.map': { expression: '$.Values.a.map', when: '$.Values.a.map' },
    };
    const map: ChartValue<{ readonly map?: Readonly<Record<string, string>> }> = handedOn(
      'a.map',
      { comment: 'A map.', initial: {}, read: ENTRIES },
      (value) => ({ map: value }),
    );
    const written = helmTemplates<Props & { readonly map?: object }>({
      values: [text, map],
      sources,
      tree: (props) => {
        const chart = new Chart(Testing.app(), 'chart');
        const data = {
          whole: props.text,
          part: `is ${String(props.text)}`,
          items: ['always', `--x=${String(props.text)}`],
        };
        new ApiObject(chart, 'one', {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'one' },
          data,
          map: props.map,
        });
        return chart;
      },
      leftOut: [],
    })['config-map.yaml'];
    expect(written).toContain(`data:
  items:
    - always
    {{- if ne $.Values.a.text "" }}
    - {{ printf "--x=%s" ($.Values.a.text) | toJson }}
    {{- end }}
  {{- if ne $.Values.a.text "" }}
  part: {{ printf "is %s" ($.Values.a.text) | toJson }}
  whole: {{ $.Values.a.text | toJson }}
  {{- end }}
{{- if $.Values.a.map }}
map:
  {{- range $key, $value := $.Values.a.map }}
  {{ $key | toJson }}: {{ $value | toJson }}
  {{- end }}
{{- end }}
`);
  });

  test('keeps the braces of others out of the reach of helm', () => {
    expect(templates([mode])).toContain(
      '  {{- if eq $.Values.mode "two" }}\n  second: {{ "{{ braces }}" | toJson }}\n',
    );
  });

  test('names a value that construct code has dropped', () => {
    const dropped = handedOn('a.lost', { ...about('Lost.'), read: TEXT }, (): Props => ({}));
    expect(() => templates([dropped])).toThrow('a.lost: the value stands in no object');
  });

  test('leaves objects out by what is no value of the chart', () => {
    const leftOut = [{ condition: 'eq $.Release.Name "x"', leavesOut: () => true }];
    const written = helmTemplates<Props>({ values: [], tree, leftOut })['config-map.yaml'];
    expect(written).toMatch(/^\{\{- if not \(eq \$\.Release\.Name "x"\) \}\}\n---\n[^{]*\{\{- end \}\}\n$/);
  });
});

describe('joinedProps', () => {
  test('joins maps and lets later parts win', () => {
    expect(joinedProps<object>([{ a: { b: 1, c: [1] } }, { a: { c: [2] }, d: false }])).toEqual({
      a: { b: 1, c: [2] },
      d: false,
    });
  });
});

describe('mergeVariants', () => {
  const variant = (value: string, node: HelmNode | undefined): Variant => ({ value, condition: `.${value}`, node });
  const written = (base: HelmNode, ...variants: readonly Variant[]): string =>
    templateOf(mergeVariants(base, variants, 'object') ?? null);

  test('lets whatever takes an object away win over whatever changes it', () => {
    const merged = mergeVariants(
      { a: 1, b: 1 },
      [variant('gone', undefined), variant('other', { a: 2, b: 1 })],
      'object',
    );
    expect(templateOf(merged ?? null)).toBe(`{{- if not (.gone) }}
---
{{- if .other }}
a: 2
{{- else }}
a: 1
{{- end }}
b: 1
{{- end }}
`);
  });

  test('joins conditions under which the same stands', () => {
    expect(written({ a: 1, b: 1 }, variant('x', { a: 2, b: 1 }), variant('y', { a: 2, b: 1 }))).toContain(
      '{{- if or (.x) (.y) }}\na: 2\n{{- else }}\na: 1\n{{- end }}',
    );
  });

  test('says the shortest condition of variants that a value has for each combination of its parts', () => {
    const parts = [
      ['a', 'b'],
      ['a', 'not b'],
      ['not a', 'b'],
      ['not a', 'not b'],
    ] as const;
    const variants = parts.map((names, i): Variant => {
      const families = ['on', ...names].map((name) => ({ condition: name, size: name === 'on' ? 4 : 2 }));
      const [a, b] = names.map((name) => (name.startsWith('not') ? {} : { [name]: 1 }));
      return { value: 'v', condition: `c${String(i)}`, families, node: { base: 1, all: 1, ...a, ...b } };
    });
    expect(written({ base: 1 }, ...variants)).toBe(`---
base: 1
{{- if on }}
all: 1
{{- end }}
{{- if a }}
a: 1
{{- end }}
{{- if b }}
b: 1
{{- end }}
`);
  });

  test('finds changed, new and missing items of a list, named or not', () => {
    const base = { list: [{ name: 'a', v: 1 }, { name: 'b' }, '--x=1', { ports: [1] }] };
    const other = { list: [{ name: 'new' }, { name: 'a', v: 2 }, '--x=2', { ports: [1], to: 1 }] };
    expect(written(base, variant('x', other))).toBe(
      `---
list:
  {{- if .x }}
  - name: new
  {{- end }}
  - name: a
    {{- if .x }}
    v: 2
    {{- else }}
    v: 1
    {{- end }}
  {{- if not (.x) }}
  - name: b
  {{- end }}
  {{- if .x }}
  - --x=2
  {{- else }}
  - --x=1
  {{- end }}
  - ports:
      - 1
    {{- if .x }}
    to: 1
    {{- end }}
`,
    );
  });

  test('replaces a map or a list as a whole where nothing of it would be left', () => {
    expect(written({ a: { b: 1 }, z: 1 }, variant('x', { a: { c: 1 }, z: 1 }))).toContain(
      '{{- if .x }}\na:\n  c: 1\n{{- else }}\na:\n  b: 1\n{{- end }}',
    );
    expect(written({ a: [1], z: 1 }, variant('x', { a: [], z: 1 }))).toContain('{{- if .x }}\na: []\n{{- else }}');
  });

  test('refuses two values that decide the same place differently, and names place and values', () => {
    expect(() =>
      written({ a: { b: 1, c: 1 } }, variant('x', { a: { b: 2, c: 1 } }), variant('y', { a: { b: 3, c: 1 } })),
    ).toThrow('object.a.b: the values x and y both decide what stands here');
  });
});

describe('values files', () => {
  const values = [text, names, on, part<Props>('a.own', about('Read by templates.'))];

  test('say each default under its comment', () => {
    expect(valuesYaml(values)).toBe(
      `a:
  # -- A text.
  text: default
  # -- Names.
  names: []
  # -- Read by templates.
  own: ""
# -- Whether.
"on": false
`,
    );
  });

  test('refuse unknown keys and demand known ones, except what Helm itself hands in', () => {
    expect(JSON.parse(valuesSchema(values))).toEqual({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      required: ['a', 'on'],
      additionalProperties: false,
      properties: {
        a: {
          type: 'object',
          required: ['text', 'names', 'own'],
          additionalProperties: false,
          properties: {
            text: { type: 'string', description: 'A text.' },
            names: { type: 'array', description: 'Names.' },
            own: { type: 'string', description: 'Read by templates.' },
          },
        },
        on: { type: 'boolean', description: 'Whether.' },
        global: { type: 'object' },
      },
    });
  });
});
