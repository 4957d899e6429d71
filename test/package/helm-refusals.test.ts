import fc from 'fast-check';

import { parseZones, type ZoneProps } from '../../operator/contract/zones';
import type { Json } from '../../constructs/render/helm/value-reader';
import { readCorpus } from '../support/address-corpus';
import { HIDDEN, REFUSED, REFUSED_TOO, type Refused } from '../support/helm-refused';
import { HIDDEN_RELATED_SYSTEMS, REFUSED_RELATED_SYSTEMS } from '../support/helm-related-system-refused';
import { HIDDEN_METRICS, REFUSED_METRICS } from '../support/helm-metrics-refused';
import { REFUSED_NETWORKS } from '../support/helm-networks-refused';
import { REFUSED_VIPS } from '../support/helm-vips-refused';
import { DEFAULTS, RenderedChart, synthesized, type Values } from '../support/helm-release';

let rendered: RenderedChart;

beforeAll(() => {
  rendered = new RenderedChart();
}, 900_000);

afterAll(() => {
  rendered.remove();
});

function saidBySynth(values: Values): string {
  try {
    synthesized(values);
    return '';
  } catch (error) {
    return String(error);
  }
}

// rows of one length, since a row that may end early has no type for test.each
const told = ([what, values, chart, constructs = chart]: Refused) => [what, { values, chart, constructs }] as const;

describe('the checks of the Helm chart', () => {
  test.each(
    [
      ...REFUSED,
      ...REFUSED_TOO,
      ...REFUSED_RELATED_SYSTEMS,
      ...REFUSED_METRICS,
      ...REFUSED_NETWORKS,
      ...REFUSED_VIPS,
      ...HIDDEN,
      ...HIDDEN_RELATED_SYSTEMS,
      ...HIDDEN_METRICS,
    ].map(told),
  )('refuse %s, in the words of the constructs', (_what, { values, chart, constructs }) => {
    expect(rendered.problems(values)).toEqual([expect.stringContaining(chart) as unknown]);
    expect(saidBySynth(values)).toContain(constructs);
  });

  test.each([...HIDDEN, ...HIDDEN_RELATED_SYSTEMS, ...HIDDEN_METRICS].map(told))(
    'never show %s',
    (_what, { values }) => {
      const { stdout, stderr } = rendered.template(values);
      expect(stdout + stderr).not.toContain('hush');
    },
  );

  test('name everything that is wrong at once', () => {
    const values = { whenUnavailable: 'admit', zones: [{ name: 'lan', prefixes: ['10.0.0.1/8', 'x'] }] };
    expect(rendered.problems(values).map((problem) => problem.slice(0, problem.indexOf(':')))).toEqual([
      'zones[0].prefixes[0]',
      'zones[0].prefixes[1]',
      'whenUnavailable',
    ]);
  });

  test('let pass what the constructs let pass', () => {
    expect(rendered.problems(DEFAULTS)).toEqual([]);
  });
});

describe('addresses in the checks of the Helm chart', () => {
  const corpus = readCorpus();
  // a part of more than 20,000 inputs, each time another one would be no test that fails twice
  const inputs = corpus.filter((_, i) => i % 13 === 0).map(({ input }) => input);

  /** Fields at fault by the chart, and by the reader of the zones document. */
  const verdicts = (list: readonly ZoneProps[]): readonly [chart: readonly string[], reader: readonly string[]] => {
    const outcome = parseZones({ version: 1, zones: list });
    const reader = outcome.ok ? [] : outcome.problems.map(({ field = '' }) => field);
    const chart = rendered.problems({ zones: list as unknown as Json }).map((problem) => /^[^: ]+/.exec(problem)?.[0]);
    return [chart.map(String).toSorted(), reader.toSorted()];
  };

  test('are read as the operator reads them: prefixes', () => {
    const list = inputs.map((input, i) => ({ name: `z${String(i)}`, network: `n${String(i)}`, prefixes: [input] }));
    const [chart, reader] = verdicts(list);
    expect(reader.length).toBeGreaterThan(500);
    expect(chart).toEqual(reader);
  });

  test('are read as the operator reads them: excluded blocks', () => {
    const list = [{ name: 'lan', prefixes: ['8.0.0.0/5', '2000::/3'], excluded: inputs }];
    const [chart, reader] = verdicts(list);
    expect(reader.length).toBeGreaterThan(500);
    expect(chart).toEqual(reader);
  });

  test('are compared as the operator compares them: overlaps and exclusions of small zones', () => {
    const bits = fc.integer({ min: 27, max: 32 });
    const v4 = fc.tuple(fc.nat(31), bits).map(([host, length]) => {
      const size = 2 ** (32 - length);
      return `198.51.100.${String(host - (host % size))}/${String(length)}`;
    });
    const v6 = fc.tuple(fc.nat(15), fc.integer({ min: 124, max: 128 })).map(([host, length]) => {
      const size = 2 ** (128 - length);
      return `2001:db8::${(host - (host % size)).toString(16)}/${String(length)}`;
    });
    const range = fc
      .tuple(fc.nat(31), fc.nat(15))
      .map(([from, more]) => `198.51.100.${String(from)}-198.51.100.${String(Math.min(from + more, 31))}`);
    const zone = fc.record(
      {
        name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
        network: fc.constantFrom('one', 'two'),
        prefixes: fc.array(fc.oneof(v4, v6), { minLength: 1, maxLength: 3 }),
        excluded: fc.array(fc.oneof(v4, v6, range), { maxLength: 4 }),
      },
      { requiredKeys: ['name', 'prefixes'] },
    );
    fc.assert(
      fc.property(fc.array(zone, { minLength: 1, maxLength: 4 }), (list) => {
        const [chart, reader] = verdicts(list);
        // zones that the reader takes may still make pools that one MetalLB cannot hold
        expect(chart.filter((field) => reader.length > 0 || field.startsWith('zones'))).toEqual(reader);
      }),
      { numRuns: 60 },
    );
  });
});
