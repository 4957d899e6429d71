import { NETWORK_ANNOTATIONS, NEPHIO } from '../../operator/contract/nephio';
import type { Manifest } from './support/cluster-client';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { IpamCommand } from './support/ipam-command';
import { conditionOf, GATEWAY, NetworkScene } from './support/network-scene';
import { startOperator, type RunningOperator } from './support/operator-process';
import { grantFor, grantsIn, textOf, usesIn, type Grant, type Use } from './support/rights';
import { useControlPlane } from './support/use-control-plane';

const USER = 'system:serviceaccount:ipam-system:ipam-controller-manager';

let operator: RunningOperator;
let objects: readonly Manifest[] = [];
const plane = useControlPlane({
  audit: true,
  prepare: async (control) => {
    ({ objects } = await applyInstallation(control, {
      services: { enabled: false },
      networks: { enabled: true, orphanGraceSeconds: 1 },
    }));
    await scene.open(control);
  },
});
const scene = new NetworkScene(plane, 'test');

/** Everything that can happen to objects of this door. */
async function live(): Promise<void> {
  await scene.instance();
  await scene.patch('instance', 'vpc-1', { metadata: { annotations: { [NETWORK_ANNOTATIONS.network]: 'edge' } } });
  await scene.prefix('agg0', '10.0.0.0/8', { kind: 'aggregate' });
  await scene.ready('prefix', 'agg0', '10.0.0.0/8');
  await scene.prefix('net1-p1', '10.0.1.1/24', { network: 'net1', labels: GATEWAY });
  await scene.prefix('net1-p10', '10.0.1.10/24', { network: 'net1', labels: { [NEPHIO.interface]: 'n3' } });
  await scene.ready('prefix', 'net1-p10', '10.0.1.10/24');
  await scene.allocation('a', { selector: scene.selecting('net1') });
  await scene.ready('allocation', 'a');
  await scene.allocation('bound', { selector: scene.selecting('net1', { [NEPHIO.interface]: 'n3' }) });
  await scene.ready('allocation', 'bound', '10.0.1.10/32');
  await scene.prefix('twice', '10.0.1.1/24', { network: 'net1' });
  await scene.refused('prefix', 'twice', 'PrefixInUse');
  await scene.service('web');
  await scene.allocation('owned', { ownerRef: { apiVersion: 'v1', kind: 'Service', name: 'web' } });
  await scene.when('allocation', 'owned', (each) => conditionOf(each, 'Owned')?.status === 'True');
  await scene.allocation('waits', { selector: scene.selecting('net9') });
  // the same again and again, which counts up its Event
  for (let round = 0; round < 3; round++) {
    await scene.refused('allocation', 'waits', 'NoCandidate');
    await scene.patch('allocation', 'waits', { spec: { selector: scene.selecting('net1') } });
    await scene.ready('allocation', 'waits');
    await scene.patch('allocation', 'waits', { spec: { selector: scene.selecting('net9') } });
  }
  await scene.prefix('net9', '10.0.9.1/24', { network: 'net9' });
  await scene.ready('allocation', 'waits');
}

describe('the rights of an operator with the Networks door alone', () => {
  let uses: readonly Use[] = [];
  let grants: readonly Grant[] = [];

  beforeAll(async () => {
    grants = grantsIn(objects);
    const command = new IpamCommand();
    operator = await startOperator(plane(), { awaitWebhooks: false, args: { 'admin-socket': command.socket } });
    await live();
    await eventually(async () => (await command.run('history', '10.0.1.1')).code === 0);
    await operator.restart();
    await scene.clear();
    await eventually(async () => (await scene.record()).length === 0);
    await operator.stop();
    uses = usesIn(plane().auditFile, USER);
  }, 240_000);

  test('are all used', () => {
    const used = new Set(uses.map((use) => grantFor(use, grants)));
    expect(grants.filter((grant) => !used.has(grant)).map(textOf)).toEqual([]);
    expect(grants.length).toBeGreaterThan(25);
  });

  test('are enough: the API server forbids nothing, and nothing else is asked for', () => {
    expect([...new Set(uses.filter(({ status }) => status === 401 || status === 403).map(textOf))]).toEqual([]);
    // whether a kind is served is told to every account
    const asked = uses.filter(({ resource }) => !resource.startsWith('/api'));
    expect([...new Set(asked.filter((use) => grantFor(use, grants) === undefined).map(textOf))]).toEqual([]);
  });
});
