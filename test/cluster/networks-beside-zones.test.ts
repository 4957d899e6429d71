import { IPAM } from '../../operator/contract/group';
import { NEPHIO, NETWORK_ANNOTATIONS } from '../../operator/contract/nephio';
import { eventually } from './support/eventually';
import { IpamCommand } from './support/ipam-command';
import { NetworkScene } from './support/network-scene';
import { useInstallation } from './support/use-installation';

const command = new IpamCommand();
const {
  plane,
  operator,
  scene: sceneIn,
} = useInstallation({
  props: {
    zones: [
      { name: 'over', prefixes: ['10.87.0.0/29'], quarantineSeconds: 1, edgeAddresses: 'use' },
      { name: 'wide', prefixes: ['11.0.0.0/8'], quarantineSeconds: 1, edgeAddresses: 'use' },
    ],
    networks: { enabled: true },
  },
  start: { args: { 'admin-socket': command.socket } },
  prepare: (control) => networks.open(control),
});
const networks = new NetworkScene(plane, 'team');
const services = sceneIn('team');

/** Waits until the operator counts so many addresses of a zone that something else has. */
async function counted(count: number, zone = 'over'): Promise<void> {
  await eventually(async () => {
    const wanted = `ipam_zone_addresses{zone="${zone}",family="ipv4",state="foreign"} ${count}`;
    const text = await operator().metrics();
    if (!text.includes(wanted)) throw new TypeError(`not yet: ${wanted}`);
    return true;
  });
}

const inZone = (address?: string, zone = 'over') => ({
  annotations: { [IPAM.zone]: zone, ...(address === undefined ? {} : { [IPAM.addresses]: address }) },
});

test('a zone over what IPAllocations have gives none of it, and gives it once they let it go', async () => {
  await networks.instance();
  await networks.prefix('net1-p1', '10.87.0.0/29', { network: 'net1' });
  await networks.allocation('first');
  await networks.ready('allocation', 'first', '10.87.0.1/32');
  await counted(0);
  await networks.patch('instance', 'vpc-1', {
    metadata: { annotations: { [NETWORK_ANNOTATIONS.network]: 'default' } },
  });
  // the allocation, and the address that the IPPrefix declares
  await counted(2);

  await networks.prefix('later', '10.87.0.5/29', { network: 'net1' });
  expect(await networks.refused('prefix', 'later', 'AddressHeld')).toContain('zone over has 10.87.0.5');

  await services.create('any', inZone());
  await services.shows('any', '10.87.0.2');
  await expect(services.create('wish', inZone('10.87.0.1'))).rejects.toThrow('IPAllocation/team/first');
  await networks.remove('allocation', 'first');
  await counted(1);
  await services.create('wish', inZone('10.87.0.1'));
  await services.shows('wish', '10.87.0.1');
});

test('a zone chooses beside prefixes of any size, and in them once they go', async () => {
  const selector = { matchLabels: { [NEPHIO.networkInstance]: 'vpc-1' } };
  const inNetwork = (network: string | null) =>
    networks.patch('instance', 'vpc-1', { metadata: { annotations: { [NETWORK_ANNOTATIONS.network]: network } } });
  // nothing is given inside of a zone, so that is done before the two share a network
  await inNetwork(null);
  await networks.prefix('wide', '10.0.0.0/7', { kind: 'pool' });
  for (const [name, prefix] of [
    ['low', '11.0.0.0/10'],
    ['high', '11.64.0.0/10'],
    ['half', '11.128.0.0/9'],
  ] as const) {
    await networks.allocation(name, { kind: 'pool', selector, prefix });
    await networks.ready('allocation', name, prefix);
  }
  await inNetwork('default');
  await counted(2 ** 24, 'wide');
  await expect(services.create('full', inZone(undefined, 'wide'))).rejects.toThrow('has no free IPv4 address');
  const { out: explained } = await command.run('explain', '11.64.0.5');
  expect(explained).toContain('lies in 11.64.0.0/10 of NetworkInstance team/vpc-1, which IPAllocation team/high holds');
  expect(explained).toContain('but IPAllocation/team/high has 11.64.0.0/10, so no claim gets it');
  await networks.remove('allocation', 'high');
  await counted(2 ** 24 - 2 ** 22, 'wide');
  expect((await command.run('explain', '11.64.0.5')).out).toContain('address "11.64.0.5" of zone "wide" is free');
  await services.create('beside', inZone(undefined, 'wide'));
  await services.shows('beside', '11.64.0.0');
  await networks.remove('allocation', 'low');
  await counted(2 ** 23, 'wide');
  await services.create('inside', inZone(undefined, 'wide'));
  await services.shows('inside', '11.0.0.0');
});
