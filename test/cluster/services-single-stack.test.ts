import { IPAM } from '../../operator/contract/group';
import { conditionOf, ingressOf, isReady } from './support/services';
import { useInstallation } from './support/use-installation';

const { plane, operator } = useInstallation({
  props: { clusterFamilies: ['IPv4'] },
  families: 'v4',
});

test('DUAL-01 gives a Service of one family one address, from a zone of two, and changes nothing later', async () => {
  const { client } = plane();
  const path = '/api/v1/namespaces/default/services';
  const metadata = { name: 'web', annotations: { [IPAM.zone]: 'inet' } };
  const spec = { type: 'LoadBalancer', ipFamilyPolicy: 'PreferDualStack', ports: [{ port: 80 }] };
  await client.request('POST', path, { apiVersion: 'v1', kind: 'Service', metadata, spec });
  const served = await client.objectWhen(`${path}/web`, isReady);
  expect(ingressOf(served)).toEqual(['83.118.168.0']);
  expect(served.spec?.['ipFamilies']).toEqual(['IPv4']);
  const held = (await operator().metrics()).split('\n').filter((line) => line.startsWith('ipam_zone_addresses'));
  expect(held).toContain('ipam_zone_addresses{zone="inet",family="ipv4",state="held"} 1');
  expect(held).toContain('ipam_zone_addresses{zone="inet",family="ipv6",state="held"} 0');

  await operator().restart();
  const label = { metadata: { labels: { touched: 'true' } } };
  const touched = await client.request('PATCH', `${path}/web`, label, 'merge');
  await operator().restart();
  const later = await client.request('GET', `${path}/web`);
  expect(later.metadata.resourceVersion).toBe(touched.metadata.resourceVersion);
  expect(conditionOf(later)?.reason).toBe('Bound');
});
