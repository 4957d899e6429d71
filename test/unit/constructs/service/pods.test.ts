import { Chart, Testing } from 'cdk8s';
import { Deployment, LabelSelector, Pod, type DeploymentProps } from 'cdk8s-plus-33';

import { exposeViaIpam, IpamService, type IpamServiceProps } from '../../../../constructs';
import { one, type Json } from '../../../support/operator-objects';

const chartOf = (): Chart => new Chart(Testing.app(), 'chart', { namespace: 'apps' });

/** A Deployment as an app of `cdk8s init` has it, by the cdk8s-plus that comes with it. */
const web = (chart: Chart, props: DeploymentProps = {}, id = 'web'): Deployment =>
  new Deployment(chart, id, {
    metadata: { name: id },
    containers: [{ image: 'web', ports: [{ number: 8080, name: 'http' }] }],
    podMetadata: { labels: { app: 'web' } },
    ...props,
  });

const specOf = (chart: Chart): unknown => one(Testing.synth(chart) as Json[], 'Service')['spec'];

describe('FU-66 a cdk8s-plus of another version', () => {
  test('has workloads that are exposed by their labels, ports and names', () => {
    const chart = chartOf();
    exposeViaIpam(web(chart));
    expect(specOf(chart)).toMatchObject({ selector: { app: 'web' }, ports: [{ port: 8080, name: 'http' }] });
  });

  test.each<[string, (chart: Chart) => Partial<IpamServiceProps>]>([
    ['a workload', (chart) => ({ pods: web(chart) })],
    [
      'a Pod',
      (chart) => ({
        pods: new Pod(chart, 'pod', { containers: [{ image: 'web' }], metadata: { labels: { app: 'web' } } }),
      }),
    ],
    ['a LabelSelector', () => ({ labelSelector: LabelSelector.of({ labels: { app: 'web' } }) })],
  ])('has %s that a Service selects', (_title, props) => {
    const chart = chartOf();
    new IpamService(chart, 'shop', { ports: [{ port: 80 }], ...props(chart) });
    expect(specOf(chart)).toMatchObject({ selector: { app: 'web' } });
  });

  test('is judged as ours: labels that find the Pods of two workloads are refused', () => {
    const chart = chartOf();
    exposeViaIpam(web(chart));
    web(chart, {}, 'other');
    expect(() => specOf(chart)).toThrow('finds the Pods of "chart/other" as well as those of "web"');
  });

  test('is told what is no workload', () => {
    const pod = new Pod(chartOf(), 'pod');
    expect(() => exposeViaIpam(pod as never)).toThrow('a Pod is exposed by an IpamService whose prop pods names it');
  });
});
