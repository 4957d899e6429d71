import { begunPreset } from '../../../operator/identity/namespace-preset';
import { MemoryCluster } from '../../../operator/backends/memory/memory-cluster';

const secret = { namespace: 'ipam-system', name: 'ipam-cluster-identity' };
const opaque = (data: Record<string, string>) => ({ type: 'Opaque', data });

function cluster(): MemoryCluster {
  const made = new MemoryCluster();
  made.putNamespace('kube-system', {});
  return made;
}

describe('begunPreset', () => {
  test('FU-67 is minimal for a new installation, and stays so once the default secret is made', async () => {
    const fresh = cluster();
    expect(await begunPreset({ cluster: fresh, secret })).toBe('minimal');
    fresh.putSecret('ipam-system', 'default', opaque({ secret: '0123456789' }));
    expect(await begunPreset({ cluster: fresh, secret })).toBe('minimal');
  });

  test('FU-67 is that of the original where its default secret is there before', async () => {
    const takenOver = cluster();
    takenOver.putSecret('ipam-system', 'default', opaque({ secret: '0123456789' }));
    expect(await begunPreset({ cluster: takenOver, secret })).toBe('original');
  });

  test('FU-67 is that of the original where an older version made the Secret', async () => {
    const upgraded = cluster();
    upgraded.putSecret('ipam-system', 'ipam-cluster-identity', opaque({ id: 'u', 'kube-system': 'u' }));
    expect(await begunPreset({ cluster: upgraded, secret })).toBe('original');
  });
});
