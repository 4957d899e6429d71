import { clusterIdentity } from '../../../operator/identity/cluster-identity';
import { isIpamError } from '../../../operator/errors/ipam-error';
import type { SecretView } from '../../../operator/ports/cluster';
import { RecordedLogger } from '../../support/recorded-telemetry';

const secret = { namespace: 'ipam-system', name: 'ipam-cluster-identity' };

// a namespace with one Secret, which a backup may bring to another cluster
function backup(stored?: Readonly<Record<string, string>>) {
  let data = stored;
  return {
    secret: (): Promise<undefined> => Promise.resolve(undefined),
    ensureSecret: (_namespace: string, _name: string, made: Readonly<Record<string, string>>): Promise<SecretView> => {
      data ??= made;
      return Promise.resolve({ type: 'Opaque', data });
    },
  };
}

describe('clusterIdentity', () => {
  let logger: RecordedLogger;
  beforeEach(() => {
    logger = new RecordedLogger();
  });
  const find = (cluster: ReturnType<typeof backup>, uid: string, forced = '') =>
    clusterIdentity({ cluster, uid, secret, forced, logger });

  test('is the UID of kube-system at the first start, and the same at the next ones', async () => {
    const cluster = backup();
    expect(await find(cluster, 'uid-1')).toBe('uid-1');
    expect(await find(cluster, 'uid-1')).toBe('uid-1');
    expect(logger.lines).toEqual([]);
  });

  test('DR-02 stays when the cluster was restored under another UID, and says so', async () => {
    const cluster = backup();
    await find(cluster, 'uid-1');
    expect(await find(cluster, 'uid-2')).toBe('uid-1');
    expect(logger.lines).toHaveLength(1);
  });

  test('is what the setting says, and then asks nobody', async () => {
    const asked = () => Promise.reject(new TypeError('asked'));
    const cluster = { ensureSecret: asked, secret: asked };
    expect(await clusterIdentity({ cluster, uid: 'uid-2', secret, forced: 'mine', logger })).toBe('mine');
  });

  test('is never made up where the Secret is damaged', async () => {
    const thrown = await find(backup({ id: ' ' }), 'uid-1').catch((error: unknown) => error);
    expect(isIpamError(thrown) && thrown.code).toBe('settings/invalid');
  });
});
