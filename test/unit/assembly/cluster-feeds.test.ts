import { clusterFeeds } from '../../../operator/assembly/cluster-feeds';
import { SYSTEM_CLOCK } from '../../../operator/backends/system/system-clock';
import { MemoryApiClient } from '../../support/memory-api-client';
import { RecordedLogger, RecordedMeter } from '../../support/recorded-telemetry';

const PATHS = [
  '/api/v1/namespaces',
  '/api/v1/nodes',
  '/api/v1/services',
  '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
  '/apis/ipam.nephio.org/v1alpha1/networkinstances',
  '/apis/ipam.vitistack.io/v1alpha1/addressclaims',
];

const world = () => {
  const client = new MemoryApiClient();
  const feeds = clusterFeeds(client, { clock: SYSTEM_CLOCK, logger: new RecordedLogger(), meter: new RecordedMeter() });
  return { client, feeds };
};

describe('the watches that doors share', () => {
  test('are opened once each, however many parts read them', async () => {
    const { client, feeds } = world();
    const [one, two] = [feeds, feeds].map((each) => ({
      ...each.machines(),
      addressClaims: each.addressClaims(),
      instances: each.instances(),
      services: each.services(),
      namespaces: each.namespaces(),
    }));
    expect(one).toEqual(two);
    await Promise.all(
      [
        ...Object.values(feeds.machines()),
        feeds.addressClaims(),
        feeds.instances(),
        feeds.services(),
        feeds.namespaces().objects,
      ].map((feed) => feed.whenSynced()),
    );
    const lists = client.requests.filter(({ query }) => query?.['watch'] === undefined).map(({ path }) => path);
    expect(lists.sort()).toEqual(PATHS);
    await feeds.close();
  });

  test('are one watch of the Nodes where a part that reads them whole comes first', async () => {
    const { client, feeds } = world();
    client.put('/api/v1/nodes/n1', {
      metadata: { name: 'n1', labels: { zone: 'a' }, managedFields: [{ manager: 'kubelet' }] },
      spec: { unschedulable: true },
      status: { conditions: [{ type: 'Ready', status: 'True' }], images: [{ names: ['a'] }] },
    });
    const nodes = feeds.nodes();
    expect(feeds.machines().nodes).toBe(nodes);
    await nodes.whenSynced();
    expect(nodes.list()).toMatchObject([
      {
        metadata: { labels: { zone: 'a' } },
        spec: { unschedulable: true },
        status: { conditions: [{ type: 'Ready' }] },
      },
    ]);
    expect(JSON.stringify(nodes.list())).not.toMatch(/images|managedFields/u);
    await feeds.close();
  });

  test('are not opened before a part asks for them, not even to be closed', async () => {
    const { client, feeds } = world();
    await feeds.close();
    expect(client.requests).toEqual([]);
  });

  test('tell their readers no change any more once their owner has closed them', async () => {
    const { client, feeds } = world();
    const told: string[] = [];
    const { nodes } = feeds.machines();
    nodes.onChange(({ key: { name } }) => told.push(name));
    await nodes.whenSynced();
    await feeds.close();
    client.put('/api/v1/nodes/late', { metadata: { name: 'late' } });
    await new Promise(setImmediate);
    expect(told).toEqual([]);
  });
});
