import { Chart, Testing } from 'cdk8s';
import {
  LabelExpression,
  Deployment,
  k8s,
  LabelSelector,
  Namespaces,
  Pod,
  Pods,
  Protocol,
  StatefulSet,
  type DeploymentProps,
} from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { exposeViaIpam, IpamService, type ExposeViaIpamProps, type IpamServiceProps } from '../../../../constructs';
import { isIpamError } from '../../../../operator/errors/ipam-error';
import { one, type Json } from '../../../support/operator-objects';

const chartOf = (): Chart => new Chart(Testing.app(), 'chart', { namespace: 'apps' });

const web = (chart: Chart, props: DeploymentProps = {}): Deployment =>
  new Deployment(chart, 'web', {
    metadata: { name: 'web' },
    containers: [{ image: 'web', ports: [{ number: 8080, name: 'http' }] }],
    podMetadata: { labels: { app: 'web' } },
    ...props,
  });

const serviceOf = (chart: Chart, name?: string): Json => one(Testing.synth(chart) as Json[], 'Service', name);

function errorOf(chart: Chart): string {
  try {
    Testing.synth(chart);
    return '';
  } catch (thrown) {
    return String(thrown);
  }
}

describe('exposeViaIpam', () => {
  test('takes name, namespace, labels and ports from the Deployment', () => {
    const chart = chartOf();
    const deployment = web(chart);
    const service = exposeViaIpam(deployment, { zone: 'inet' });
    expect(service).toBeInstanceOf(IpamService);
    expect(service.node.path).toBe('chart/web/IpamService');
    const { metadata, spec } = serviceOf(chart);
    expect(metadata).toEqual({
      name: 'web',
      namespace: 'apps',
      annotations: { 'ipam.vitistack.io/zone': 'inet' },
    });
    expect(spec).toEqual({
      type: 'LoadBalancer',
      selector: { app: 'web' },
      ports: [{ port: 8080, targetPort: 8080, protocol: 'TCP', name: 'http' }],
    });
  });

  test.each([
    ['shop', 'shop'],
    ['ShopFront_2', 'shopfront-2'],
    ['2nd web.', 'nd-web'],
    [`${'a'.repeat(62)}-b`, 'a'.repeat(62)],
  ])('names the Service by the id %j where the workload has no name of its own', (id, name) => {
    const chart = chartOf();
    const props = { containers: [{ image: 'web', portNumber: 80 }], podMetadata: { labels: { app: 'web' } } };
    const shop = new Deployment(new Construct(chart, 'front'), id, props);
    expect(exposeViaIpam(shop).service.name).toBe(name);
    expect(serviceOf(chart, name)).toBeDefined();
  });

  test('takes a name that is undefined for none', () => {
    const service = exposeViaIpam(web(chartOf()), { name: undefined } as unknown as ExposeViaIpamProps);
    expect(service.service.name).toBe('web');
  });

  test('keeps the generated name where nothing of the id can be used', () => {
    const deployment = new Deployment(chartOf(), '店', { containers: [{ image: 'web', portNumber: 80 }] });
    expect(exposeViaIpam(deployment).service.name).toBe(deployment.name);
  });

  test('selects by labels of its own, those added later included', () => {
    const chart = chartOf();
    const deployment = web(chart, { select: false, podMetadata: { labels: { app: 'web', tier: 'front' } } });
    exposeViaIpam(deployment);
    deployment.select(LabelSelector.of({ labels: { app: 'web' } }));
    deployment.select(LabelSelector.of({ labels: { tier: 'front' } }));
    expect(serviceOf(chart)['spec']!['selector']).toEqual({ app: 'web', tier: 'front' });
  });

  test('selects by plain labels alone, although cdk8s-plus selects by the hash of a path', () => {
    const chart = chartOf();
    const deployment = web(chart, { podMetadata: { labels: { app: 'web', tier: 'front' } } });
    exposeViaIpam(deployment);
    expect(Object.keys(deployment.matchLabels)).toEqual(['cdk8s.io/metadata.addr']);
    expect(serviceOf(chart)['spec']!['selector']).toEqual({ app: 'web', tier: 'front' });
    deployment.select(LabelSelector.of({ labels: { app: 'web' } }));
    expect(serviceOf(chart)['spec']!['selector']).toEqual({ app: 'web' });
  });

  test('refuses plain labels that another workload of chart and namespace has too', async () => {
    const chart = chartOf();
    exposeViaIpam(web(chart));
    const twin = { containers: [{ image: 'job' }], podMetadata: { labels: { app: 'web', tier: 'job' } } };
    new Deployment(chart, 'elsewhere', { ...twin, metadata: { namespace: 'other' } });
    expect(errorOf(chart)).toBe('');
    await Promise.resolve();
    new Deployment(chart, 'twin', twin);
    expect(errorOf(chart)).toContain(
      '[chart/web/IpamService] selector: app: "web" finds the Pods of "chart/twin" as well as those of "web"; give each a label of its own in podMetadata',
    );
  });

  test('names the ports of several containers, where they have no name of their own', () => {
    const chart = chartOf();
    const deployment = web(chart);
    deployment.addContainer({ image: 'dns', ports: [{ number: 53, protocol: Protocol.UDP }, { number: 53 }] });
    exposeViaIpam(deployment);
    expect(serviceOf(chart)['spec']!['ports']).toEqual([
      { port: 8080, targetPort: 8080, protocol: 'TCP', name: 'http' },
      { port: 53, targetPort: 53, protocol: 'UDP', name: 'udp-53' },
      { port: 53, targetPort: 53, protocol: 'TCP', name: 'tcp-53' },
    ]);
  });

  test('takes every wish, ports of its own and a second exposure', () => {
    const chart = chartOf();
    const deployment = web(chart);
    const wish: ExposeViaIpamProps = {
      zone: 'inet',
      ipFamily: 'dual',
      addresses: ['83.118.168.9'],
      retentionPeriodDays: 0,
      denyExternalCleanup: false,
      allowLocalSharedIp: '',
      secret: 'team',
      externalTrafficPolicy: 'Local',
      labels: { a: '' },
    };
    exposeViaIpam(deployment, wish);
    exposeViaIpam(deployment, { id: 'Inside', name: 'inside', ports: [{ port: 80, targetPort: 'http' }] });
    expect(serviceOf(chart, 'inside')['spec']!['ports']).toEqual([{ port: 80, targetPort: 'http', protocol: 'TCP' }]);
    const { metadata, spec } = serviceOf(chart, 'web');
    expect(metadata!['labels']).toEqual({ a: '' });
    expect(metadata!['annotations']).toEqual({
      'ipam.vitistack.io/zone': 'inet',
      'ipam.vitistack.io/ip-family': 'dual',
      'ipam.vitistack.io/addresses': '83.118.168.9',
      'ipam.vitistack.io/retention-period-days': '0',
      'ipam.vitistack.io/deny-external-cleanup': 'false',
      'ipam.vitistack.io/allow-local-shared-ip': '',
      'ipam.vitistack.io/secret': 'team',
    });
    expect(spec).toMatchObject({ externalTrafficPolicy: 'Local', ipFamilyPolicy: 'RequireDualStack' });
  });

  test('serves other workloads, in the namespace of their own metadata', () => {
    const chart = new Chart(Testing.app(), 'chart');
    const set = new StatefulSet(chart, 'db', {
      metadata: { name: 'db', namespace: 'data' },
      containers: [{ image: 'db', portNumber: 5432 }],
      podMetadata: { labels: { app: 'db' } },
    });
    exposeViaIpam(set);
    expect(serviceOf(chart, 'db')).toMatchObject({
      metadata: { namespace: 'data' },
      spec: { ports: [{ port: 5432 }] },
    });
  });

  const refusals: readonly {
    readonly what: string;
    readonly deployment?: DeploymentProps;
    readonly props?: ExposeViaIpamProps;
    readonly text: string;
  }[] = [
    {
      what: 'no port anywhere',
      deployment: { containers: [{ image: 'web' }] },
      text: 'ports: no container of "web" has a port; add ports to a container, or give ports here',
    },
    {
      what: 'a port name that no container has',
      props: { ports: [{ port: 80, targetPort: 'https' }] },
      text: 'ports[0].targetPort: no container of "web" has a port named "https"; its ports are named http',
    },
    {
      what: 'a Deployment that selects nothing',
      deployment: { select: false },
      text: 'selector: a Service selects Pods by labels alone, but "web" has none; call its select()',
    },
    {
      what: 'Pods without a label of their own',
      deployment: { podMetadata: {} },
      text: 'selector: "web" has no label but cdk8s.io/metadata.addr, a hash that changes with the path of the construct; give its Pods a label: podMetadata: { labels: { app: "web" } }',
    },
    { what: 'ports that are no list', props: { ports: {} as never }, text: 'ports: a map is not allowed' },
    { what: 'an empty list of ports', props: { ports: [] }, text: 'ports: there is none' },
    {
      what: 'POOL-11 a mistyped wish',
      props: { zonne: 'inet' } as ExposeViaIpamProps,
      text: 'zonne: there is no such prop; did you mean zone?',
    },
    { what: 'a wish that the webhook refuses', props: { retentionPeriodDays: 31 }, text: 'metadata.annotations[' },
  ];

  test.each(refusals)('refuses $what at synth', ({ deployment, props, text }) => {
    const chart = chartOf();
    exposeViaIpam(web(chart, deployment), props);
    expect(errorOf(chart)).toContain(`errors:\n  [chart/web/IpamService] ${text}`);
  });

  test('refuses expressions, which a Service cannot select by', () => {
    const chart = chartOf();
    const deployment = web(chart);
    exposeViaIpam(deployment);
    deployment.select(LabelSelector.of({ expressions: [LabelExpression.exists('tier')] }));
    expect(errorOf(chart)).toContain('but "web" has expressions ("tier Exists")');
  });
});

describe('the Pods behind an IpamService', () => {
  const build = (chart: Chart, props: Partial<IpamServiceProps>): IpamService =>
    new IpamService(chart, 'svc', { ports: [{ port: 80 }], ...props });
  const selectorOf = (props: Partial<IpamServiceProps>, chart = chartOf()): unknown => {
    build(chart, props);
    return serviceOf(chart, 'svc')['spec']!['selector'];
  };

  test('are chosen by a record, empty values included, and an empty record chooses none', () => {
    expect(selectorOf({ selector: { app: 'web', canary: '' } })).toEqual({ app: 'web', canary: '' });
    expect(selectorOf({ selector: {} })).toEqual({});
    expect(selectorOf({})).toBeUndefined();
  });

  test('are chosen by a LabelSelector of cdk8s-plus', () => {
    expect(selectorOf({ labelSelector: LabelSelector.of({ labels: { app: 'web' } }) })).toEqual({ app: 'web' });
  });

  test('are chosen by Pods or a workload of cdk8s-plus', () => {
    const chart = chartOf();
    const pods = Pods.select(chart, 'pods', { labels: { app: 'web' } });
    expect(selectorOf({ pods }, chart)).toEqual({ app: 'web' });
    const other = chartOf();
    const deployment = web(other);
    expect(selectorOf({ pods: deployment }, other)).toEqual({ app: 'web' });
    deployment.podMetadata.addLabel('tier', 'front');
    expect(serviceOf(other, 'svc')['spec']!['selector']).toEqual({ app: 'web', tier: 'front' });
  });

  test.each([
    ['two ways at once', { selector: {}, labelSelector: LabelSelector.of() }, 'selector: labelSelector is given too'],
    ['no label at all', { labelSelector: LabelSelector.of() }, 'labelSelector: it has no label, which means every Pod'],
  ] as readonly (readonly [string, Partial<IpamServiceProps>, string])[])(
    'are not chosen by %s',
    (_what, props, text) => {
      const chart = chartOf();
      build(chart, props);
      expect(errorOf(chart)).toContain(`[chart/svc] ${text}`);
    },
  );

  test.each([
    ['selector', (deployment: Deployment) => ({ selector: deployment.matchLabels })],
    ['labelSelector', ({ matchLabels }: Deployment) => ({ labelSelector: LabelSelector.of({ labels: matchLabels }) })],
  ])('are not chosen by the hash of a path as %s', (prop, props) => {
    const chart = chartOf();
    build(chart, props(web(chart)));
    expect(errorOf(chart)).toContain(
      `[chart/svc] ${prop}: cdk8s.io/metadata.addr is a hash that changes with the path`,
    );
  });

  test('are not chosen by a workload whose Pods have no label of their own', () => {
    const chart = chartOf();
    build(chart, { pods: web(chart, { podMetadata: {} }) });
    expect(errorOf(chart)).toContain('[chart/svc] pods: "web" has no label but cdk8s.io/metadata.addr');
  });

  test('are not chosen by expressions, nor in three ways', () => {
    const chart = chartOf();
    const pods = Pods.select(chart, 'pods', { expressions: [LabelExpression.in('tier', ['a'])] });
    build(chart, { pods });
    expect(errorOf(chart)).toContain('[chart/svc] pods: a Service selects Pods by labels alone');
    const labelSelector = LabelSelector.of({ labels: { a: 'b' } });
    const other = chartOf();
    build(other, { selector: {}, labelSelector, pods: Pods.select(other, 'pods', { labels: { a: 'b' } }) });
    expect(errorOf(other)).toContain('[chart/svc] selector: labelSelector and pods are given too');
  });

  test.each([
    ['another namespace', { names: ['other'] }, 'they are in namespace "other"'],
    ['namespaces chosen by label', { labels: { team: 'a' } }, 'they are in namespaces chosen by label'],
  ])('are not chosen in %s', (_what, where, text) => {
    const chart = chartOf();
    const namespaces = Namespaces.select(chart, 'namespaces', where);
    build(chart, { pods: Pods.select(chart, 'pods', { labels: { a: 'b' }, namespaces }) });
    expect(errorOf(chart)).toContain(
      `[chart/svc] pods: ${text}, but a Service reaches Pods of its own namespace only ("apps")`,
    );
  });

  test('may name the namespace of the Service', () => {
    const chart = chartOf();
    const namespaces = Namespaces.select(chart, 'namespaces', { names: ['apps'] });
    const pods = Pods.select(chart, 'pods', { labels: { a: 'b' }, namespaces });
    expect(selectorOf({ pods }, chart)).toEqual({ a: 'b' });
  });
});

describe('exposeViaIpam, called from plain JavaScript', () => {
  /** Reads the error of a function, as code and text. */
  const thrownBy = (call: () => unknown): string => {
    try {
      call();
      return '';
    } catch (thrown) {
      return isIpamError(thrown, 'wish/malformed') ? thrown.message : `another error: ${String(thrown)}`;
    }
  };
  const given = (workload: unknown, props?: unknown): string =>
    thrownBy(() => exposeViaIpam(workload as Deployment, props as ExposeViaIpamProps));
  const allowed = 'a workload of cdk8s-plus (Deployment, StatefulSet, DaemonSet or Job)';

  test.each<[string, (chart: Chart) => unknown, string]>([
    ['null', () => null, `workload: null is not allowed; leave it out, or give ${allowed}`],
    ['nothing', () => undefined, `workload: nothing is not allowed; allowed is ${allowed}`],
    ['a text', () => 'web', `workload: "web" is not allowed; allowed is ${allowed}`],
    ['a chart', (chart) => chart, `workload: a value of class Chart is not allowed; allowed is ${allowed}`],
    [
      'an object of layer 1',
      (chart) => new k8s.KubeDeployment(chart, 'L1'),
      `workload: a value of class KubeDeployment is not allowed; allowed is ${allowed}`,
    ],
    [
      'a Pod',
      (chart) => new Pod(chart, 'Pod', { containers: [{ image: 'a' }] }),
      `workload: a value of class Pod is not allowed; allowed is ${allowed}; a Pod is exposed by an IpamService whose prop pods names it`,
    ],
  ])('refuses %s in place of a workload', (_what, workload, message) => {
    expect(given(workload(chartOf()))).toBe(message);
  });

  test.each<[string, unknown, string]>([
    ['null', null, 'props: null is not allowed; leave it out, or give a map of props'],
    ['a text', 'inet', 'props: "inet" is not allowed; allowed is a map of props'],
    ['a Map', new Map(), 'props: a value of class Map is not allowed; allowed is a map of props'],
  ])('refuses %s in place of props', (_what, props, message) => {
    expect(given(web(chartOf()), props)).toBe(message);
  });

  test.each<[string, object, string]>([
    ['a number as id', { id: 5 }, 'id: 5 is not allowed; allowed is a text that is not empty'],
    ['an empty id', { id: '' }, 'id: "" is not allowed; allowed is a text that is not empty'],
    ...['selector', 'labelSelector', 'pods'].map((prop): [string, object, string] => [
      `${prop} beside the workload`,
      { [prop]: { app: 'other' } },
      `${prop}: the workload says which Pods are meant; leave it out, or use an IpamService`,
    ]),
  ])('refuses %s at synth', (_what, props, message) => {
    const chart = chartOf();
    exposeViaIpam(web(chart), props);
    expect(errorOf(chart)).toBe(
      `Error: Validation failed with the following errors:\n  [chart/web/IpamService] ${message}`,
    );
  });
});
