import { Chart, Testing, type ApiObject, type App } from 'cdk8s';
import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { IpamOperator, IpamService, MetalLbPool } from '../../../../constructs';
import { zones } from '../../../support/operator-objects';

const ports = [{ port: 443 }];
const isHook = (kind: string): boolean => kind.endsWith('WebhookConfiguration');

function world(): { readonly app: App; readonly chart: Chart; readonly operator: IpamOperator } {
  const app = Testing.app();
  const chart = new Chart(app, 'ipam');
  return { app, chart, operator: new IpamOperator(chart, 'operator', { zones }) };
}

const configMap = (scope: Construct, name: string): ApiObject =>
  new k8s.KubeConfigMap(scope, name, { metadata: { name, namespace: 'web' } });

/** Kinds and names, in the order of the manifest. */
const orderOf = (chart: Chart): readonly string[] =>
  (Testing.synth(chart) as { kind: string; metadata: { name: string } }[]).map(
    ({ kind, metadata }) => `${kind}/${metadata.name}`,
  );

/** Lists objects behind the first webhook configuration that are none themselves. */
const behind = (chart: Chart): readonly string[] => {
  const order = orderOf(chart);
  return order
    .slice(order.findIndex((each) => isHook(each.split('/')[0] ?? '')))
    .filter((each) => !isHook(each.split('/')[0] ?? ''));
};

describe('webhook configurations of the operator', () => {
  test('come last, whatever stands in the chart, wherever it was added', () => {
    const { chart, operator } = world();
    new MetalLbPool(chart, 'legacy', { addresses: ['192.0.2.0/24'] });
    new IpamService(chart, 'web', { ports, namespace: 'web', zones: operator.zones, zone: 'inet' });
    configMap(chart, 'plain');
    configMap(operator, 'inside');
    configMap(new Construct(new Construct(chart, 'a'), 'b'), 'deep');
    expect(orderOf(chart)).toEqual(
      expect.arrayContaining(['IPAddressPool/legacy', 'Service/web', 'ConfigMap/inside', 'ConfigMap/deep']),
    );
    expect(behind(chart)).toEqual([]);
    expect(
      orderOf(chart)
        .slice(-2)
        .map((each) => each.split('/')[0]),
    ).toEqual(['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']);
  });

  test('leave behind them what the user puts there, over any number of steps, without a cycle', () => {
    const { chart, operator } = world();
    const service = new IpamService(chart, 'web', { ports, namespace: 'web', zones: operator.zones, zone: 'inet' });
    service.node.addDependency(operator);
    const step = new Construct(chart, 'step');
    const stepped = configMap(step, 'stepped');
    step.node.addDependency(service);
    configMap(chart, 'last').addDependency(stepped);
    configMap(chart, 'first');
    expect(behind(chart)).toEqual(['Service/web', 'ConfigMap/stepped', 'ConfigMap/last']);
  });

  test('follow what the user puts the operator behind', () => {
    const { chart, operator } = world();
    const pool = new MetalLbPool(chart, 'legacy', { addresses: ['192.0.2.0/24'] });
    operator.node.addDependency(pool);
    expect(orderOf(chart).indexOf('IPAddressPool/legacy')).toBeLessThan(
      orderOf(chart).indexOf('Namespace/ipam-system'),
    );
    expect(behind(chart)).toEqual([]);
  });

  test('say nothing of other charts, which depend as the user says', () => {
    const { app, chart, operator } = world();
    const other = new Chart(app, 'web');
    new IpamService(other, 'web', { ports, namespace: 'web', zones: operator.zones, zone: 'inet' });
    const nested = new Chart(chart, 'nested');
    configMap(nested, 'nested');
    other.addDependency(chart);
    expect(orderOf(chart)).not.toContain('ConfigMap/nested');
    expect(app.synthYaml()).toContain('name: nested');
    expect(app.charts.map(({ node }) => node.id)).toEqual(['nested', 'ipam', 'web']);
  });

  test('leave webhook configurations of others where they are', () => {
    const { chart } = world();
    new k8s.KubeMutatingWebhookConfiguration(chart, 'Hook', { metadata: { name: 'theirs' } });
    expect(behind(chart)).toEqual([]);
    expect(orderOf(chart)).toContain('MutatingWebhookConfiguration/theirs');
  });
});
