import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ApiObject, App, Chart, Testing, Yaml, YamlOutputType } from 'cdk8s';
import fc from 'fast-check';
import { isScalar, parse, parseAllDocuments, parseDocument, Scalar } from 'yaml';

import { IpamOperator, IpamService, MetalLbPool, writeForEveryReader } from '../../../../constructs';
import { quotedScalar, quoteForEveryReader } from '../../../../constructs/app/portable-yaml';

/** Texts that a reader of YAML 1.1 or 1.2, PyYAML or kubectl takes for something else where they are bare. */
const MISREAD = [
  ...['yes', 'no', 'on', 'off', 'y', 'n', 'true', 'null', '~', '', '012', '08', '1e3', '1.e5', '.5', '10', '1_000'],
  ...['1:20', '1:2:3:4:5:6:7:8', '190:20:30.15', '2001-01-01', '.inf', '.NaN', '2001:db8::', '::', 'fd20:2001:1::'],
  // cdk8s leaves these bare: PyYAML fails on the first two, kubectl reads numbers
  ...['=', '<<', '0o12', '-0o7', '0O17', '0X1F', '0B11', '+_10', '-_0x1f', '+0b1'],
  ...['a\tb', 'a\u0085b', 'a\u2028b', '\u007f', 'a\ufeffb', 'a: b', '# a', '- a', '"', "'", '\\', 'é', '😀', 'a\nb'],
];

const annotationsOf = (texts: readonly string[]): Record<string, string> =>
  Object.fromEntries(texts.map((text, i) => [`example.com/a${String(i)}`, text]));

// As Go's strconv.ParseInt with base 0 does it, underscores taken out, which is how kubectl resolves a bare scalar.
const goReadsNumber = (bare: string): boolean =>
  /^[-+]?(?:0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|0|[1-9][0-9]*)$/u.test(bare.replaceAll('_', ''));

/** The scalar of `{ a: text }`, as written. */
function scalarOf(document: string): Scalar {
  const node = parseDocument(document, { version: '1.1' }).get('a', true);
  if (!isScalar(node)) throw new TypeError('no scalar');
  return node;
}

describe('quoteForEveryReader', () => {
  test.each(MISREAD.map((text) => [JSON.stringify(text), text] as const))(
    'CDK-01 gives %s back to readers of YAML 1.1 and 1.2, as value and as key',
    (_shown, text) => {
      const value = quoteForEveryReader(Yaml.stringify({ a: text }));
      const key = quoteForEveryReader(Yaml.stringify({ [text]: 'x' }));
      for (const version of ['1.1', '1.2'] as const) {
        expect(parse(value, { version })).toEqual({ a: text });
        expect(parse(key, { version })).toEqual({ [text]: 'x' });
      }
    },
  );

  test.each(['=', '<<', '0o12', '-0o7', '0O17', '0X1F', '0B11', '+_10', '-_0x1f'])(
    'CDK-01 puts %s into quotes, which cdk8s leaves bare',
    (text) => {
      expect(Yaml.stringify({ a: text, [text]: [text] })).toBe(`a: ${text}\n${text}:\n  - ${text}\n`);
      expect(quoteForEveryReader(Yaml.stringify({ a: text, [text]: [text] }))).toBe(
        `a: "${text}"\n"${text}":\n  - "${text}"\n`,
      );
    },
  );

  test('leaves numbers, words, addresses and everything in blocks byte for byte', () => {
    const text = Yaml.stringify(
      { port: 80, zero: 0, minus: -1, half: 0.5, big: 1e21, yes: true, none: [], map: {}, image: 'a/b:v1.2' },
      { address: '10.0.0.1', prefix: '10.0.0.0/8', v6: '2001:db8::1', size: '100m', block: 'x: 0o12\n=\n---\n' },
    );
    expect(quoteForEveryReader(text)).toBe(text);
  });

  test('quotes in the one document of a file that needs it, and keeps the rest', () => {
    const text = Yaml.stringify({ a: 'x', block: 'a: 0o12\n' }, { a: '0o12' }, { a: 1 });
    expect(quoteForEveryReader(text)).toBe(text.replace('\na: 0o12', '\na: "0o12"'));
  });

  test('escapes what YAML 1.1 readers fold or refuse, in bare and in quoted text', () => {
    expect(quoteForEveryReader(Yaml.stringify({ a: 'x\u0085y', b: ': \u2028' }))).toBe(
      'a: "x\\u0085y"\nb: ": \\u2028"\n',
    );
    expect(quotedScalar('\u007f"\\\n')).toBe('"\\u007f\\"\\\\\\n"');
  });

  test('CDK-01 keeps any text, and leaves none bare that Go or PyYAML read as a number or a mark', () => {
    const letters = fc.constantFrom(...Array.from('0123456789abefoxyNOXEBT+-_.:=<~ \t#\u0085'));
    const texts = fc.oneof(
      fc.string({ unit: letters, maxLength: 8 }),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc
        .tuple(fc.constantFrom('0o', '0O', '0x', '0X', '0b', '0B', '+_', '-0o', '_', '1_', '.'), fc.nat({ max: 77 }))
        .map(([head, tail]) => `${head}${String(tail)}`),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const written = quoteForEveryReader(Yaml.stringify({ a: text }));
        for (const version of ['1.1', '1.2'] as const) expect(parse(written, { version })).toEqual({ a: text });
        const { type, source = '' } = scalarOf(written);
        const bare = type === Scalar.PLAIN;
        expect(bare && (goReadsNumber(source) || ['=', '<<'].includes(source))).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('an app with a construct of ours', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ipam-yaml-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  function filled(app: App): App {
    const ipam = new Chart(app, 'ipam');
    new IpamOperator(ipam, 'operator', { zones: [{ name: '0o12', prefixes: ['10.0.0.0/24', '2001:db8::/64'] }] });
    new MetalLbPool(ipam, 'legacy', { name: '0x1f', addresses: ['192.0.2.0/28'] });
    const web = new Chart(app, 'web', { namespace: '1e3' });
    web.addDependency(ipam);
    new IpamService(web, 'texts', {
      ports: [{ port: 80, name: 'y' }],
      selector: { '0x1f': '08', app: '0o12' },
      annotations: annotationsOf(MISREAD),
      zone: '0o12',
      allowLocalSharedIp: '=',
      secret: '0o17',
    });
    new ApiObject(web, 'foreign', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: { ...annotationsOf(MISREAD), '=': '<<' },
    });
    return app;
  }

  const objectsOf = (text: string, version: '1.1' | '1.2'): unknown[] =>
    parseAllDocuments(text, { version }).flatMap((document) => (document as { toJS: () => unknown }).toJS() ?? []);

  const charts = (app: App): unknown[] => app.charts.flatMap((chart) => chart.toJson() as unknown[]);

  test.each(['1.1', '1.2'] as const)('CDK-01 writes YAML that a reader of %s reads as it was meant', (version) => {
    const app = filled(Testing.app());
    expect(objectsOf(app.synthYaml(), version)).toEqual(charts(app));
  });

  test.each([
    ['one file', YamlOutputType.FILE_PER_APP],
    ['a file per chart', YamlOutputType.FILE_PER_CHART],
    ['a file per resource', YamlOutputType.FILE_PER_RESOURCE],
    ['a folder per chart', YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE],
  ] as const)('CDK-01 writes %s that every reader reads as it was meant', (_what, yamlOutputType) => {
    const app = filled(new App({ outdir: folder, yamlOutputType }));
    app.synth();
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'));
    const texts = files.map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(texts.join('')).toContain('allow-local-shared-ip: "="');
    const expected = charts(app).map((object) => JSON.stringify(object));
    for (const version of ['1.1', '1.2'] as const) {
      const read = texts.flatMap((text) => objectsOf(text, version)).map((object) => JSON.stringify(object));
      expect(read.toSorted()).toEqual(expected.toSorted());
    }
  });

  test.each([
    [YamlOutputType.FILE_PER_RESOURCE, 1],
    [YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE, 1],
    [YamlOutputType.FILE_PER_CHART, 0],
    [YamlOutputType.FILE_PER_APP, 0],
  ])(
    'FU-77 says at synth that %s loses the order of the operator and its webhooks: %i times',
    (yamlOutputType, times) => {
      const warn = jest.spyOn(process, 'emitWarning').mockReturnValue();
      const app = new App({ outdir: folder, yamlOutputType });
      new IpamOperator(new Chart(app, 'ipam'), 'operator', { zones: [{ name: 'lan', prefixes: ['10.0.0.0/24'] }] });
      app.synth();
      const told = warn.mock.calls.filter(([text]) => String(text).includes('not in the order of the chart'));
      warn.mockRestore();
      expect(told).toHaveLength(times);
    },
  );

  test('touches no file of somebody else, and takes it over only once', () => {
    writeFileSync(join(folder, 'mine.txt'), 'a: 0o12\n');
    const app = filled(new App({ outdir: folder }));
    const { synth } = app;
    expect(writeForEveryReader(app).synth).toBe(synth);
    app.synth();
    expect(readFileSync(join(folder, 'mine.txt'), 'utf8')).toBe('a: 0o12\n');
  });

  test('is not needed for an app without one: the function does the same', () => {
    const plain = Testing.app();
    new ApiObject(new Chart(plain, 'chart'), 'map', { apiVersion: 'v1', kind: 'ConfigMap', data: { a: '0o12' } });
    expect(plain.synthYaml()).toContain('a: 0o12\n');
    expect(writeForEveryReader(plain).synthYaml()).toContain('a: "0o12"\n');
  });
});
