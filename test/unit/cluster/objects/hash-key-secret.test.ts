import { MemoryClaimStore } from '../../../../operator/backends/memory/memory-claim-store';
import { MemoryCluster } from '../../../../operator/backends/memory/memory-cluster';
import { requireSameKey } from '../../../../operator/backends/system/hash-key';
import { ManualClock } from '../../../support/manual-clock';
import { hashKeySecret } from '../../../../operator/cluster/objects/hash-key-secret';

const SECRET = { namespace: 'ipam-system', name: 'ipam-keys' };

describe('hashKeySecret', () => {
  test('keeps the key in the Secret as the text that a key file would hold', async () => {
    const cluster = new MemoryCluster();
    await requireSameKey(new MemoryClaimStore(new ManualClock()), hashKeySecret(cluster, SECRET));
    expect(await cluster.secret('ipam-system', 'ipam-keys')).toEqual({
      type: 'Opaque',
      data: { key: expect.stringMatching(/^[A-Za-z0-9+/]{43}=\n$/u) as string },
    });
  });

  test('gives processes that start at once the same key', async () => {
    const cluster = new MemoryCluster();
    const hashers = await Promise.all(
      [1, 2, 3].map(() => requireSameKey(new MemoryClaimStore(new ManualClock()), hashKeySecret(cluster, SECRET))),
    );
    expect(new Set(hashers.map(({ fingerprint }) => fingerprint)).size).toBe(1);
  });

  test('refuses a Secret without the key rather than making another, and says what to restore', async () => {
    const cluster = new MemoryCluster();
    cluster.putSecret('ipam-system', 'ipam-keys', { type: 'Opaque', data: { other: 'x' } });
    await expect(
      requireSameKey(new MemoryClaimStore(new ManualClock()), hashKeySecret(cluster, SECRET)),
    ).rejects.toMatchObject({
      code: 'store/keys',
      message:
        'the Secret "ipam-keys" of namespace "ipam-system" holds no keys: a line for each is needed, with its id (k1, k2, …) and 32 bytes in base64; restore the Secret "ipam-keys" of namespace "ipam-system" from the backup that belongs to this store',
    });
  });
});
