import { IPAM } from '../../operator/contract/group';
import { NETWORK_ANNOTATIONS } from '../../operator/contract/nephio';
import { eventually } from './support/eventually';
import { NetworkScene } from './support/network-scene';
import { useInstallation } from './support/use-installation';

const {
  plane,
  operator,
  scene: sceneIn,
} = useInstallation({
  props: {
    zones: [{ name: 'over', prefixes: ['10.87.0.0/29'], quarantineSeconds: 1, edgeAddresses: 'use' }],
    networks: { enabled: true },
  },
  prepare: (control) => networks.open(control),
});
const networks = new NetworkScene(plane, 'team');
const services = sceneIn('team');

/** Waits until the operator counts so many addresses of the zone that something else has. */
async function counted(count: number): Promise<void> {
  await eventually(async () => {
    const wanted = `ipam_zone_addresses{zone="over",family="ipv4",state="foreign"} ${count}`;
    const text = await operator().metrics();
    if (!text.includes(wanted)) throw new TypeError(`not yet: ${wanted}`);
    return true;
  });
}

const inZone = (address?: string) => ({
  annotations: { [IPAM.zone]: 'over', ...(address === undefined ? {} : { [IPAM.addresses]: address }) },
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
