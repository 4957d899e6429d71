import { VIRTUAL_IP_STATES } from '../../operator/contract/kinds/virtual-ip';
import type { Manifest } from './support/cluster-client';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { IpamCommand } from './support/ipam-command';
import { startOperator, type RunningOperator } from './support/operator-process';
import { grantFor, grantsIn, textOf, usesUntilNow, type Grant, type Use } from './support/rights';
import { useControlPlane } from './support/use-control-plane';
import { vipCondition, VipScene } from './support/vip-scene';
import { VirtualIpScene } from './support/virtual-ip-scene';

const USER = 'system:serviceaccount:ipam-system:ipam-controller-manager';

let operator: RunningOperator;
let objects: readonly Manifest[] = [];
const command = new IpamCommand();
const plane = useControlPlane({
  audit: true,
  prepare: async (control) => {
    ({ objects } = await applyInstallation(control, {
      services: { enabled: false },
      vips: { enabled: true, classless: true, migration: true, orphanGraceSeconds: 1 },
    }));
    await vips.open(control);
    await vips.group('ipgroup-1', { segment: '1.1.1.0/29', quarantineSeconds: 1 });
    await control.client.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } }]);
  },
});
const vips = new VipScene(plane, 'test');
const old = new VirtualIpScene(plane, 'test', vips);

/** Everything that can happen to Services of this door. */
async function liveServices(): Promise<void> {
  const shared = { annotations: { 'paas.org/sharing-key': 'k' } };
  await vips.create('a', shared);
  await vips.shows('a', '1.1.1.0');
  await vips.create('b', { ...shared, spec: { ports: [{ port: 81 }] } });
  await vips.shows('b', '1.1.1.0');
  await vips.create('waits', { spec: { loadBalancerIP: '1.1.1.0' } });
  await vips.waits('waits', 'RequestedAddressInUse');
  // the same again and again, which counts up its Event
  for (let round = 0; round < 2; round++) {
    await vips.patch('waits', { spec: { loadBalancerIP: null } });
    await vips.when('waits', (each) => vipCondition(each)?.status === 'True');
    await vips.patch('waits', { spec: { loadBalancerIP: '1.1.1.0' } });
    await vips.waits('waits', 'RequestedAddressInUse');
  }
  await vips.create('finalized', { metadata: { finalizers: ['ips.paas.org/finalizer'] } });
  await vips.address('finalized');
  const [ip] = await vips.ips();
  await vips.breakGlass('delete', 'ips.paas.org', ip?.metadata.name ?? '');
  await vips.ipWhen(ip?.metadata.name ?? '', ({ metadata }) => metadata.uid !== ip?.metadata.uid);
  expect((await command.run('history', '1.1.1.0')).code).toBe(0);
}

/** A migration to its end, one that is taken back, one that is deleted, and one that is left behind. */
async function liveMigration(): Promise<void> {
  await old.served('v', { service: 's', address: '1.1.1.5' });
  await old.served('w', { service: 'taken-back', address: '1.1.1.6' });
  await old.served('gone', { service: 'other', address: '1.1.1.7' });
  await old.order('w', 'dry-run');
  await old.stops('w', 'DryRun');
  await old.order('v');
  await old.inState('v', VIRTUAL_IP_STATES.migrated);
  await vips.shows('s', '1.1.1.5');
  await vips.remove('taken-back');
  await old.order('w');
  await old.stops('w', 'ServiceNotFound');
  await old.order('w', 'rollback');
  await old.when('w', ({ metadata }) => metadata.annotations?.['virtualips.paas.org/migrate'] === undefined);
  await old.remove('gone');
  await old.gone('gone');
}

describe('R24 the rights of an operator with the VIPs door and the migration', () => {
  let uses: readonly Use[] = [];
  let grants: readonly Grant[] = [];

  beforeAll(async () => {
    grants = grantsIn(objects);
    operator = await startOperator(plane(), { args: { 'admin-socket': command.socket }, awaitWebhooks: false });
    await vips.groupReady('ipgroup-1');
    await liveServices();
    await operator.restart();
    await liveMigration();
    for (const name of ['a', 'b', 'waits', 'finalized', 's']) await vips.remove(name);
    await old.clear();
    await vips.endGroup('ipgroup-1');
    await vips.groupGone('ipgroup-1');
    await eventually(async () => (await vips.ips()).length === 0);
    await operator.stop();
    uses = await usesUntilNow(plane(), USER);
  });

  test('are all used', () => {
    const used = new Set(uses.map((use) => grantFor(use, grants)));
    expect(grants.filter((grant) => !used.has(grant)).map(textOf)).toEqual([]);
    expect(grants.length).toBeGreaterThan(30);
  });

  test('are enough: the API server forbids nothing, and nothing else is asked for', () => {
    expect([...new Set(uses.filter(({ status }) => status === 401 || status === 403).map(textOf))]).toEqual([]);
    // whether a kind is served is told to every account
    const asked = uses.filter(({ resource }) => !resource.startsWith('/apis/'));
    expect([...new Set(asked.filter((use) => grantFor(use, grants) === undefined).map(textOf))]).toEqual([]);
  });
});
