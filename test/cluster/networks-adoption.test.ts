import { NEPHIO, NETWORKS_FINALIZER } from '../../operator/contract/nephio';
import type { KubeObject } from './support/cluster-client';
import { applyInstallation } from './support/installation';
import { conditionOf, GATEWAY, NetworkScene, shownIn, type NetworkKind } from './support/network-scene';
import { startOperator } from './support/operator-process';
import { useControlPlane } from './support/use-control-plane';

const INSTALLATION = { services: { enabled: false }, networks: { enabled: true } };

const plane = useControlPlane({
  prepare: async (control) => {
    // the kinds and nothing that runs, as beside the original
    await applyInstallation(control, INSTALLATION);
    await scene.open(control);
  },
});
const scene = new NetworkScene(plane, 'test');

/** A condition as the original writes it: with `kind` alone. */
const condition = (kind: string, status: string, reason: string) => ({
  kind,
  type: kind,
  status,
  reason,
  message: '',
  lastTransitionTime: '2022-11-07T10:00:00Z',
});
const READY = [condition('Synced', 'True', 'ReconcileSuccess'), condition('Ready', 'True', 'Ready')];

/** Leaves an object as the original does: with its finalizer, and with a status. */
async function left(kind: NetworkKind, name: string, status: Readonly<Record<string, unknown>>): Promise<void> {
  await scene.patch(kind, name, { metadata: { finalizers: [NETWORKS_FINALIZER] } });
  const path = `${scene.path(kind, name)}/status`;
  await plane().client.request('PATCH', path, { status: { conditions: READY, ...status } }, 'merge');
}

const SERVED = Array.from({ length: 40 }, (_, index) => ({
  name: `a${String(index)}`,
  address: `10.0.1.${String(100 + index)}`,
}));

/** Labels of an entry of the table, as far as they say whose it is. */
const entry = (owner: { readonly origin: string; readonly kind: string; readonly name: string }, more = {}) => ({
  [NEPHIO.networkInstance]: 'vpc-1',
  [NEPHIO.origin]: owner.origin,
  [NEPHIO.prefixKind]: owner.kind,
  [NEPHIO.allocationName]: owner.name,
  ...more,
});
const NET1 = { [NEPHIO.networkName]: 'net1', [NEPHIO.prefixLength]: '24' };

async function leftByTheOriginal(): Promise<void> {
  await scene.instance();
  await scene.prefix('agg0', '10.0.0.0/8', { kind: 'aggregate' });
  await left('prefix', 'agg0', { prefix: '10.0.0.0/8' });
  await scene.prefix('net1-p1', '10.0.1.1/24', { network: 'net1', labels: GATEWAY });
  await left('prefix', 'net1-p1', { prefix: '10.0.1.1/24', network: 'net1' });
  for (const { name, address } of SERVED) {
    await scene.allocation(name);
    await left('allocation', name, { prefix: `${address}/24`, gateway: '10.0.1.1' });
  }
  // of these the table alone tells: the status was never written, or there was no object
  await scene.allocation('erased');
  await scene.allocation('pool', { kind: 'pool', prefixLength: 16, selector: scene.selecting() });
  await left('allocation', 'pool', { prefix: '10.7.0.0/16' });
  await scene.allocation('waiting', { selector: scene.selecting('net9') });
  await left('instance', 'vpc-1', {
    allocations: {
      '10.0.0.0/8': entry({ origin: 'prefix', kind: 'aggregate', name: 'agg0' }),
      '10.0.1.0/24': entry({ origin: 'system', kind: 'network', name: 'net' }, NET1),
      '10.0.1.0/32': entry({ origin: 'system', kind: 'network', name: 'net' }, NET1),
      '10.0.1.1/32': entry({ origin: 'prefix', kind: 'network', name: 'net1-p1' }, { ...NET1, ...GATEWAY }),
      '10.7.0.0/16': entry({ origin: 'allocation', kind: 'pool', name: 'pool' }),
      '10.0.1.50/32': entry({ origin: 'allocation', kind: 'network', name: 'erased' }, NET1),
      '10.0.1.60/32': entry({ origin: 'allocation', kind: 'network', name: 'client-of-grpc' }, NET1),
      ...Object.fromEntries(
        SERVED.map(({ name, address }) => [
          `${address}/32`,
          entry({ origin: 'allocation', kind: 'network', name }, NET1),
        ]),
      ),
    },
  });
}

test('NET-T96 NET-T98 a cluster that the original left is taken over, and nothing moves', async () => {
  await leftByTheOriginal();
  const moved: string[] = [];
  const watched = plane().client.watchUntil(scene.path('allocation'), (all) => {
    for (const each of all) moved.push(...movedFrom(each));
    return all.some((each) => each.metadata.name === 'late' && conditionOf(each)?.status === 'True');
  });
  await startOperator(plane(), { awaitWebhooks: false });
  for (const { name, address } of SERVED)
    await scene.when(
      'allocation',
      name,
      (each) => conditionOf(each, 'Accepted')?.status === 'True' && isAt(each, address),
    );
  await scene.ready('allocation', 'erased', '10.0.1.50/32');
  await scene.ready('allocation', 'pool', '10.7.0.0/16');
  await scene.refused('allocation', 'waiting', 'NoCandidate');
  await scene.allocation('late');
  expect(shownIn(await scene.ready('allocation', 'late'))).toBe('10.0.1.51/32');
  await watched;
  expect(moved).toEqual([]);
  expect(await scene.record()).toEqual(
    [
      ...['10.0.0.0/8=agg0', '10.0.1.0/24=vpc-1', '10.0.1.1=net1-p1', '10.7.0.0/16=pool'],
      ...['10.0.1.50=erased', '10.0.1.51=late', '10.0.1.60=client-of-grpc'],
      ...SERVED.map(({ name, address }) => `${address}=${name}`),
    ].toSorted(),
  );
}, 300_000);

// The original shows the length of the subnet, which becomes that of an address.
const isAt = (object: KubeObject, address: string): boolean => shownIn(object).split('/')[0] === address;

function movedFrom(object: KubeObject): readonly string[] {
  const served = SERVED.find(({ name }) => name === object.metadata.name);
  if (served === undefined || isAt(object, served.address)) return [];
  return shownIn(object) === '' ? [] : [`${served.name}: ${shownIn(object)}`];
}
