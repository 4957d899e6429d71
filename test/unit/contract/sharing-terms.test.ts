import {
  boundedTerms,
  hasTooManyPorts,
  LONGEST_TERM,
  MOST_SHARED_PORTS,
  withBoundedTerms,
} from '../../../operator/contract/sharing-terms';

type Terms = Parameters<typeof boundedTerms>[0];

const terms = (change: Partial<Terms> = {}): Terms => ({
  key: 'shop',
  ports: ['80/TCP'],
  trafficPolicy: 'Local',
  selector: 'app=web',
  ...change,
});
const LONG = 'k'.repeat(120_000);
const DIGEST = /^sha256:[0-9a-f]{64}$/u;

describe('FU-21 bounded terms', () => {
  test('leaves terms of usual length as they are', () => {
    expect(boundedTerms(terms())).toEqual(terms());
    const longest = terms({ key: 'k'.repeat(LONGEST_TERM), selector: 's'.repeat(LONGEST_TERM) });
    expect(boundedTerms(longest)).toEqual(longest);
  });

  test('keeps a digest of a long key and a long selector, equal for equal ones alone', () => {
    const bounded = boundedTerms(terms({ key: LONG, selector: LONG }));
    expect([bounded.key, bounded.selector]).toEqual([expect.stringMatching(DIGEST), expect.stringMatching(DIGEST)]);
    expect(boundedTerms(terms({ key: LONG, selector: LONG }))).toEqual(bounded);
    expect(boundedTerms(terms({ key: `${LONG}k` })).key).not.toBe(bounded.key);
    expect(boundedTerms(bounded)).toEqual(bounded);
  });

  test('never takes a text for a digest that only begins like one', () => {
    expect(boundedTerms(terms({ key: 'sha256:mine' })).key).toMatch(DIGEST);
  });

  test('keeps nothing of terms that never share', () => {
    const never = { key: '', ports: [], trafficPolicy: 'Cluster', selector: '' };
    expect(boundedTerms(terms({ key: '', selector: LONG }))).toEqual(never);
    const ports = Array.from({ length: MOST_SHARED_PORTS + 1 }, (_, i) => `${String(i + 1)}/TCP`);
    const many = boundedTerms(terms({ ports }));
    expect(many).toEqual({ ...never, ports: ['*'] });
    expect([boundedTerms(many), hasTooManyPorts(many)]).toEqual([many, true]);
    expect(boundedTerms(terms({ key: '', ports }))).toEqual(never);
    expect([never, terms(), boundedTerms(terms({ ports: ports.slice(1) }))].some(hasTooManyPorts)).toBe(false);
  });

  test('leaves a request without terms alone', () => {
    const request: { readonly other: number; readonly sharing?: Terms } = { other: 1 };
    expect(withBoundedTerms(request)).toBe(request);
    expect(withBoundedTerms({ sharing: terms({ key: LONG }) }).sharing.key).toMatch(DIGEST);
  });
});
