import { ApiObject, Chart, Testing } from 'cdk8s';
import { k8s, Service } from 'cdk8s-plus-28';

import { AddressClaim, IpamOperator, IpamService, MetalLbPool } from '../../../../constructs';
import { zones } from '../../../support/operator-objects';

const ports = [{ port: 443 }];

function errorOf(chart: Chart): string {
  try {
    Testing.synth(chart);
    return '';
  } catch (thrown) {
    return String(thrown);
  }
}

describe('an object of the app that is one of ours once more', () => {
  test('is found beside an operator, in any chart', () => {
    const app = Testing.app();
    const chart = new Chart(app, 'ipam');
    new IpamOperator(chart, 'operator', { zones });
    const raw = new Chart(app, 'raw');
    new k8s.KubeConfigMap(raw, 'map', { metadata: { name: 'ipam-zones', namespace: 'ipam-system' } });
    new k8s.KubeConfigMap(raw, 'elsewhere', { metadata: { name: 'ipam-zones', namespace: 'web' } });
    expect(errorOf(chart)).toContain(
      '[ipam/operator] ConfigMap "ipam-zones" in namespace "ipam-system" is declared at "raw/map" too; one would overwrite the other',
    );
    expect(errorOf(chart).split('\n')).toHaveLength(2);
  });

  test('is found beside a Service, made by cdk8s-plus', () => {
    const app = Testing.app();
    const chart = new Chart(app, 'web', { namespace: 'web' });
    new IpamService(chart, 'shop', { ports });
    new Service(chart, 'plain', { metadata: { name: 'shop' }, ports: [{ port: 80 }] });
    expect(errorOf(chart)).toContain(
      '[web/shop] Service "shop" in namespace "web" is declared at "web/plain/Resource"',
    );
  });

  test('is found beside a pool and a claim, whose kinds stand in no namespace or in that of MetalLB', () => {
    const app = Testing.app();
    const chart = new Chart(app, 'chart', { namespace: 'stamped' });
    new MetalLbPool(chart, 'legacy', { addresses: ['192.0.2.0/24'] });
    const { name } = new AddressClaim(chart, 'claim', {
      spec: { network: 'default', address: '10.0.0.5', door: 'grpc', state: 'bound', key: 'k' },
    });
    const twin = new Chart(app, 'twin');
    for (const [kind, apiVersion, metadata] of [
      ['IPAddressPool', 'metallb.io/v1beta2', { name: 'legacy', namespace: 'metallb-system' }],
      ['AddressClaim', 'ipam.vitistack.io/v1alpha1', { name }],
    ] as const) {
      new ApiObject(twin, kind, { apiVersion, kind, metadata });
    }
    const said = errorOf(chart);
    expect(said).toContain('[chart/legacy] IPAddressPool "legacy" in namespace "metallb-system" is declared at "twin/');
    expect(said).toContain(`[chart/claim] AddressClaim "${name}"`);
    expect(said).toContain('is declared at "twin/AddressClaim" too');
  });

  test('may be for another cluster where ours names its own, but not in one chart', () => {
    const app = Testing.app();
    const chart = new Chart(app, 'a', { namespace: 'web' });
    new IpamService(chart, 'shop', { ports, cluster: 'a' });
    const metadata = { name: 'shop', namespace: 'web' };
    new k8s.KubeService(new Chart(app, 'b'), 'shop', { metadata });
    expect(errorOf(chart)).toBe('');
    const other = new Chart(Testing.app(), 'a', { namespace: 'web' });
    new IpamService(other, 'shop', { ports, cluster: 'a' });
    new k8s.KubeService(other, 'raw', { metadata });
    expect(errorOf(other)).toContain('is declared at "a/raw" too');
  });
});
