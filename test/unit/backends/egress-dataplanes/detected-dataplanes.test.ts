import {
  CLOUD_PRIVATE_IP,
  CRD,
  crdName,
  EGRESS_IP,
  HOST_SUBNET,
  NET_NAMESPACE,
  OPENSHIFT,
} from '../../../../operator/contract/egress-dataplanes';
import type { DataplaneChoice, EgressDataplanes } from '../../../../operator/ports/egress-dataplane';
import { DataplaneWorld, primaryAddress } from '../../../support/dataplane-world';
import { refusedWith } from '../../../support/memory-api-client';

let world: DataplaneWorld;
beforeEach(() => {
  world = new DataplaneWorld();
});
afterEach(() => world.close());

async function detect(names?: readonly string[]) {
  const dataplanes = world.detect(names);
  await dataplanes.whenKnown();
  await world.caughtUp();
  return dataplanes;
}

const told = (choice: DataplaneChoice): string =>
  choice.kind === 'driver' ? choice.dataplane.name : choice.kind === 'none' ? 'none' : choice.reason;
const chosen = (dataplanes: EgressDataplanes, asked = 'auto'): string => told(dataplanes.choose(asked));

test('EG-case-58 OpenShift names its network: HostSubnets may be left on a cluster of OVN-Kubernetes', async () => {
  world.serve(HOST_SUBNET, NET_NAMESPACE, EGRESS_IP);
  world.openShift('OVNKubernetes');
  const dataplanes = await detect();
  expect(chosen(dataplanes)).toBe('ovn-kubernetes');
  // what the spec asks for wins
  expect(chosen(dataplanes, 'openshift-sdn')).toBe('openshift-sdn');
  expect(chosen(dataplanes, 'none')).toBe('none');
});

test('a network of OpenShift that is not driven is named', async () => {
  world.serve(EGRESS_IP);
  world.openShift('Calico');
  expect((await detect()).choose('auto')).toMatchObject({
    reason: 'NoDriver',
    message: expect.stringContaining('Calico') as string,
  });
  world.openShift('OpenShiftSDN');
  expect(chosen(await detect(['ovn-kubernetes']))).toBe('NoDriver');
});

test('EG-case-59 kinds without nodes that OVN-Kubernetes prepared are no dataplane', async () => {
  world.serve(EGRESS_IP, HOST_SUBNET, NET_NAMESPACE);
  world.node('n1');
  const dataplanes = await detect();
  let news = 0;
  dataplanes.onChange(() => (news += 1));
  expect(chosen(dataplanes)).toBe('NoDriver');
  world.node('n1', primaryAddress('192.0.2.1/24'));
  await world.caughtUp();
  expect([chosen(dataplanes), news]).toEqual(['ovn-kubernetes', 1]);
});

test('EG-case-61 a dataplane that is installed later is driven, and one that goes is closed', async () => {
  world.node('n1', primaryAddress('192.0.2.1/24'));
  const dataplanes = await detect();
  expect([chosen(dataplanes), chosen(dataplanes, 'ovn-kubernetes'), dataplanes.open()]).toEqual([
    'NoDriver',
    'DataplaneAbsent',
    [],
  ]);
  const watched = () => world.server.calls('GET').filter((path) => path.endsWith('/egressips')).length;
  expect(watched()).toBe(0);
  world.serve(EGRESS_IP);
  await world.caughtUp();
  // its watches begin with the first EgressIPAM that it serves
  expect(watched()).toBe(0);
  expect(chosen(dataplanes)).toBe('ovn-kubernetes');
  await Promise.all(dataplanes.open().flatMap(({ feeds }) => feeds.map((feed) => feed.whenSynced())));
  expect(watched()).toBeGreaterThan(0);
  world.unserve(EGRESS_IP);
  await world.caughtUp();
  expect([chosen(dataplanes), dataplanes.open()]).toEqual(['NoDriver', []]);
});

test('a driver is opened anew where the cloud below it appears', async () => {
  world.serve(EGRESS_IP);
  const dataplanes = await detect();
  const first = dataplanes.choose('ovn-kubernetes');
  expect(dataplanes.choose('ovn-kubernetes')).toEqual(first);
  world.serve(CLOUD_PRIVATE_IP);
  await world.caughtUp();
  const second = dataplanes.choose('ovn-kubernetes');
  if (first.kind !== 'driver' || second.kind !== 'driver') throw new RangeError(told(second));
  expect(second.dataplane).not.toBe(first.dataplane);
  expect(second.dataplane.feeds).toHaveLength(3);
});

test('nothing is chosen before the first look, which is tried again after a failure', async () => {
  world.serve(EGRESS_IP);
  world.openShift('OVNKubernetes');
  world.server.intercept = ({ path }) => (path.includes('/networks/') ? refusedWith(403, 'Forbidden') : undefined);
  const dataplanes = world.detect();
  await world.logger.heard('what OpenShift says');
  expect(chosen(dataplanes)).toBe('NoDriver');
  world.server.intercept = () => undefined;
  world.clock.advance(30_000);
  await dataplanes.whenKnown();
  expect(chosen(dataplanes)).toBe('ovn-kubernetes');
});

test('another network of OpenShift is seen within ten minutes, and one that cannot be read for a moment stays', async () => {
  world.serve(EGRESS_IP, HOST_SUBNET, NET_NAMESPACE);
  world.openShift('OpenShiftSDN');
  const dataplanes = await detect();
  expect(chosen(dataplanes)).toBe('openshift-sdn');
  world.openShift('OVNKubernetes');
  world.clock.advance(600_000);
  await world.caughtUp();
  expect(chosen(dataplanes)).toBe('ovn-kubernetes');
  const { apiVersion, resource } = OPENSHIFT.network;
  world.server.remove(`/apis/${apiVersion}/${resource}/${OPENSHIFT.object}`);
  world.clock.advance(600_000);
  await world.caughtUp();
  expect(chosen(dataplanes)).toBe('ovn-kubernetes');
});

test('what claims name is looked for: opened, absent with all of its kinds, or not to be seen', async () => {
  world.openShift('OVNKubernetes');
  world.serve(EGRESS_IP, HOST_SUBNET, NET_NAMESPACE);
  const dataplanes = await detect();
  expect(dataplanes.find('ovn-kubernetes')).toMatchObject({ name: 'ovn-kubernetes' });
  expect(dataplanes.find('cilium')).toBe('unseen');
  // the one that OpenShift does not name may have objects from before
  expect(dataplanes.find('openshift-sdn')).toBe(dataplanes.open()[1]);
  world.server.remove(`/apis/${CRD.apiVersion}/${CRD.resource}/${crdName(HOST_SUBNET)}`);
  await world.caughtUp();
  expect(dataplanes.find('openshift-sdn')).toBe('unseen');
  world.server.remove(`/apis/${CRD.apiVersion}/${CRD.resource}/${crdName(NET_NAMESPACE)}`);
  await world.caughtUp();
  expect(dataplanes.find('openshift-sdn')).toBe('absent');
  expect((await detect(['openshift-sdn'])).find('ovn-kubernetes')).toBe('unseen');
});

test('what no setting switches on is absent', async () => {
  world.serve(EGRESS_IP);
  const dataplanes = await detect([]);
  expect(dataplanes.choose('ovn-kubernetes')).toMatchObject({
    reason: 'DataplaneAbsent',
    message: expect.stringContaining('egress.dataplanes') as string,
  });
});
