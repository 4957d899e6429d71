import { claimTerm, claimTermOf } from '../../../operator/contract/claim-terms';

const service = { serviceName: 's', namespaceUid: 'n', clusterUid: 'c' };

describe('claimTermOf', () => {
  test.each([
    [{ by: 'service', service } as const, claimTerm.service(service)],
    [{ by: 'name', clusterUid: 'c', namespace: 'n', serviceName: 's' } as const, claimTerm.name('c', 'n', 's')],
    [{ by: 'uid', serviceUid: 'u' } as const, claimTerm.uid('u')],
    [{ by: 'key', key: 'k' } as const, claimTerm.key('k')],
    [{ by: 'zone', network: 'default', zone: 'z' } as const, claimTerm.zone('default', 'z')],
    [{ by: 'cluster', clusterUid: 'c' } as const, claimTerm.cluster('c')],
    [{ by: 'expired', state: 'reserved', beforeMs: 1 } as const, claimTerm.state('reserved')],
  ])('finds %j', (query, expected) => {
    expect(claimTermOf(query)).toBe(expected);
  });

  test('keeps texts apart that read the same side by side', () => {
    const terms = [claimTerm.name('a', 'b', 'c'), claimTerm.name('a,b', 'c', ''), claimTerm.name('a', 'b,c', '')];
    expect(new Set([...terms, claimTerm.uid('k'), claimTerm.key('k')]).size).toBe(5);
  });
});
