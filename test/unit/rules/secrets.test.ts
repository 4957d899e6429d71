import {
  checkSecret,
  equalHashes,
  proveOwnership,
  type KeptSecret,
  type ShownSecret,
} from '../../../operator/rules/secrets';

const red = { namespaceUid: 'ns-red', clusterUid: 'c1' };
const blue = { namespaceUid: 'ns-blue', clusterUid: 'c1' };
const kept = (scope: KeptSecret['scope'], hash = 'k1:aa'): KeptSecret => ({ hash, scope, places: [red] });
const shown = (scope: ShownSecret['scope'], place = red): ShownSecret => ({ hash: 'k1:aa', scope, place });

describe('checkSecret', () => {
  test.each([
    ['seven', 7, false],
    ['eight', 8, true],
    ['sixty-four', 64, true],
    ['sixty-five', 65, false],
  ])('judges a secret of %s characters by its length', (_name, length, ok) => {
    expect(checkSecret('x'.repeat(length), 'secret').ok).toBe(ok);
  });

  test('counts characters, not UTF-16 units', () => {
    expect(checkSecret('🔑'.repeat(4), 'secret').ok).toBe(false);
    expect(checkSecret('🔑'.repeat(64), 'secret').ok).toBe(true);
  });

  test('names field, length and limits, and never the secret', () => {
    const outcome = checkSecret('hunter2', 'new_secret');
    expect(outcome).toMatchObject({ ok: false, refusal: { code: 'secret/invalid', field: 'new_secret' } });
    const text = JSON.stringify(outcome);
    expect(text).toContain('7 characters; 8 to 64');
    expect(text).not.toContain('hunter2');
  });
});

describe('proveOwnership', () => {
  test.each([
    ['custom on both sides, other namespace', kept('shared'), shown('shared', blue), 'proven'],
    ['default on both sides, same namespace', kept('namespace'), shown('namespace'), 'proven'],
    ['W-20 default on both sides, other namespace', kept('namespace'), shown('namespace', blue), 'other-namespace'],
    ['default kept, custom shown, other namespace', kept('namespace'), shown('shared', blue), 'other-namespace'],
    ['custom kept, default shown, other namespace', kept('shared'), shown('namespace', blue), 'other-namespace'],
    ['custom kept, default shown, same namespace', kept('shared'), shown('namespace'), 'proven'],
    ['another value', kept('shared', 'k1:ab'), shown('shared'), 'wrong'],
  ] as const)('%s', (_name, ...[keptSecret, shownSecret, proof]) => {
    expect(proveOwnership(keptSecret, shownSecret)).toBe(proof);
  });

  test('tells namespaces of two clusters apart though their UIDs are equal', () => {
    const elsewhere = { namespaceUid: 'ns-red', clusterUid: 'c2' };
    expect(proveOwnership(kept('namespace'), shown('namespace', elsewhere))).toBe('other-namespace');
  });
});

describe('equalHashes', () => {
  test.each([
    ['abc', 'abc', true],
    ['abc', 'abd', false],
    ['abc', 'ab', false],
    ['', '', true],
  ])('compares %j and %j', (a, b, equal) => {
    expect(equalHashes(a, b)).toBe(equal);
  });
});
