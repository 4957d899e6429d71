import { claimTerm, claimTermOf } from '../../../operator/claim-store/claim-terms';

const owner = { name: 's', namespaceUid: 'n', cluster: 'c' };

describe('claimTermOf', () => {
  test.each([
    [{ by: 'owner', owner } as const, claimTerm.owner(owner)],
    [{ by: 'name', cluster: 'c', namespace: 'n', name: 's' } as const, claimTerm.name('c', 'n', 's')],
    [{ by: 'uid', uid: 'u' } as const, claimTerm.uid('u')],
    [{ by: 'key', key: 'k' } as const, claimTerm.key('k')],
    [{ by: 'pool', network: 'default', pool: 'z' } as const, claimTerm.pool('default', 'z')],
    [{ by: 'cluster', cluster: 'c' } as const, claimTerm.cluster('c')],
    [{ by: 'expired', state: 'reserved', sinceMs: 1 } as const, claimTerm.state('reserved')],
  ])('finds %j', (query, expected) => {
    expect(claimTermOf(query)).toBe(expected);
  });

  test('keeps texts apart that read the same side by side', () => {
    const terms = [claimTerm.name('a', 'b', 'c'), claimTerm.name('a,b', 'c', ''), claimTerm.name('a', 'b,c', '')];
    expect(new Set([...terms, claimTerm.uid('k'), claimTerm.key('k')]).size).toBe(5);
  });
});
