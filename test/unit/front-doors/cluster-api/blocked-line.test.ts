import { ClusterApiWorld } from '../../../support/cluster-api-world';
import type { JsonMap } from '../../../../operator/contract/loose-json';

const OLD = '2026-01-01T00:00:00Z';
const YOUNG = '2026-01-02T00:00:00Z';

describe('the line of claims that wait for a full group', () => {
  const worlds: ClusterApiWorld[] = [];
  afterEach(async () => {
    await Promise.all(worlds.splice(0).map((each) => each.close()));
  });

  /** Two claims wait, the older one of a Cluster, and a third one has the only address. */
  const full = async () => {
    const made = new ClusterApiWorld();
    worlds.push(made);
    made.namespace('test');
    made.group('g', { segment: '192.0.2.1/32' });
    made.cluster('c', false);
    const [has, older, younger] = [
      made.claim('has', { createdAt: OLD }),
      made.claim('older', { createdAt: OLD, cluster: 'c' }),
      made.claim('younger', { createdAt: YOUNG }),
    ];
    await made.open();
    await made.controller.compare();
    await made.claims.compare();
    for (const each of [has, older, younger]) await made.claims.reconcile(each);
    expect(made.ready('older')).toMatchObject({ reason: 'PoolExhausted' });
    return { made, older, younger, free: () => made.controller.pools.release(grantOf(made)) };
  };

  const grantOf = (made: ClusterApiWorld) => {
    const [grant] = made.controller.pools.heldBy('IPAddressClaim');
    if (grant === undefined) throw new TypeError('no claim has an address');
    return grant;
  };

  test('goes on past one that is paused with its Cluster', async () => {
    const { made, older, free } = await full();
    made.cluster('c', true);
    await made.seen('clusters', 'c', (each) => (each['spec'] as JsonMap)['paused'] === true);
    made.woken.splice(0);
    await free();
    expect(made.woken).toContain('older');
    expect(made.woken).not.toContain('younger');
    await made.claims.reconcile(older);
    expect(made.woken).toContain('younger');
  });

  test('goes on past one whose work fails', async () => {
    const { made, older, younger, free } = await full();
    made.woken.splice(0);
    await free();
    made.server.intercept = ({ path }) => {
      if (path.endsWith('/older')) throw new TypeError('this claim alone');
      return undefined;
    };
    await expect(made.claims.reconcile(older)).rejects.toThrow(TypeError);
    expect(made.woken).toContain('younger');
    await made.claims.reconcile(younger);
    expect(made.ready('younger')).toMatchObject({ status: 'True' });
  });
});
