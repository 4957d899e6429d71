import {
  checkSecret,
  equalHashes,
  proveOwnership,
  type KeptSecret,
  type Proof,
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
  test.each<{ name: string; kept: KeptSecret; shown: ShownSecret; proof: Proof }>([
    {
      name: 'custom on both sides, other namespace',
      kept: kept('shared'),
      shown: shown('shared', blue),
      proof: 'proven',
    },
    {
      name: 'default on both sides, same namespace',
      kept: kept('namespace'),
      shown: shown('namespace'),
      proof: 'proven',
    },
    {
      name: 'W-20 default on both sides, other namespace',
      kept: kept('namespace'),
      shown: shown('namespace', blue),
      proof: 'other-namespace',
    },
    {
      name: 'default kept, custom shown, other namespace',
      kept: kept('namespace'),
      shown: shown('shared', blue),
      proof: 'other-namespace',
    },
    {
      name: 'custom kept, default shown, other namespace',
      kept: kept('shared'),
      shown: shown('namespace', blue),
      proof: 'other-namespace',
    },
    {
      name: 'custom kept, default shown, same namespace',
      kept: kept('shared'),
      shown: shown('namespace'),
      proof: 'proven',
    },
    { name: 'another value', kept: kept('shared', 'k1:ab'), shown: shown('shared'), proof: 'wrong' },
  ])('$name: $proof', (row) => {
    expect(proveOwnership(row.kept, row.shown)).toBe(row.proof);
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
