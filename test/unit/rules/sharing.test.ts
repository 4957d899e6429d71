import { sharingProblem, type ServiceTerms, type Sharer } from '../../../operator/rules/sharing';

const place = { namespaceUid: 'ns-a', clusterUid: 'c1' };
const terms = (change: Partial<ServiceTerms> = {}): ServiceTerms => ({
  key: 'k',
  ports: ['53/UDP'],
  trafficPolicy: 'Cluster',
  selector: 'app=x',
  ...change,
});
const sharer = (label: string, change: Partial<ServiceTerms> = {}, where = place): Sharer => ({
  label,
  place: where,
  terms: terms(change),
});

const A = sharer('a/A');

describe('sharingProblem', () => {
  test('REQ-03 lets B share: other protocol, same key, all Cluster', () => {
    expect(sharingProblem(sharer('a/B', { ports: ['53/TCP'] }), A)).toBeUndefined();
  });

  test.each([
    ['C: same port and protocol', { ports: ['53/UDP'] }, 'ports', '53/UDP'],
    ['D: no key', { key: '', ports: ['80/TCP'] }, 'key', 'no sharing key'],
    [
      'E: Local beside Cluster',
      { ports: ['443/TCP'], trafficPolicy: 'Local', selector: 'app=y' },
      'policy',
      'all Cluster',
    ],
    [
      'F: Local beside Cluster, same selector',
      { ports: ['8443/TCP'], trafficPolicy: 'Local' },
      'policy',
      'all Cluster',
    ],
    ['G: another key', { key: 'j', ports: ['80/TCP'] }, 'key', 'the sharing key "j"'],
  ] as const)('REQ-03 refuses %s, states the rule and names the other Service', (_name, change, ...[rule, text]) => {
    const problem = sharingProblem(sharer('a/X', change), A);
    expect(problem?.rule).toBe(rule);
    expect(problem?.text).toContain(text);
    expect(problem?.text).toContain('"a/A"');
  });

  test('REQ-03 lets Local share with Local of the same pods only', () => {
    const local = sharer('a/L', { trafficPolicy: 'Local' });
    const sameSelector = sharer('a/M', { trafficPolicy: 'Local', ports: ['80/TCP'] });
    const otherSelector = sharer('a/N', { trafficPolicy: 'Local', ports: ['80/TCP'], selector: 'app=y' });
    expect(sharingProblem(sameSelector, local)).toBeUndefined();
    expect(sharingProblem(otherSelector, local)?.rule).toBe('selector');
  });

  test('takes an equal selector of another namespace for other pods', () => {
    const local = sharer('a/L', { trafficPolicy: 'Local' });
    const there = { namespaceUid: 'ns-b', clusterUid: 'c1' };
    const candidate = sharer('b/M', { trafficPolicy: 'Local', ports: ['80/TCP'] }, there);
    expect(sharingProblem(candidate, local)?.rule).toBe('selector');
  });

  test('refuses a holder without key, whatever the candidate has', () => {
    const alone = sharer('a/alone', { key: '' });
    expect(sharingProblem(sharer('a/B', { ports: ['53/TCP'] }), alone)?.text).toContain('does not share its address');
    expect(sharingProblem(sharer('a/D', { key: '', ports: ['53/TCP'] }), alone)?.rule).toBe('key');
  });

  test('leaves Services of another cluster to the secret', () => {
    const other = sharer('a/A', { key: '' }, { namespaceUid: 'ns-a', clusterUid: 'c2' });
    expect(sharingProblem(sharer('a/B'), other)).toBeUndefined();
  });

  test('leaves a claim without terms to the secret, but a Service does not join one on its own cluster', () => {
    const unknown: Sharer = { label: 'a/api', place };
    expect(sharingProblem(unknown, A)).toBeUndefined();
    expect(sharingProblem(A, unknown)?.rule).toBe('key');
  });

  test('never repeats the sharing key of the other Service', () => {
    const problem = sharingProblem(sharer('a/G', { key: 'j' }), sharer('a/A', { key: 'private-key' }));
    expect(problem?.text).not.toContain('private-key');
  });
});
