import { Testing } from 'cdk8s';
import { alertGroups, monitoringRows } from '../../../../../constructs/operator/monitoring-rows';
import { OperatorMonitoring } from '../../../../../constructs/operator/monitoring/monitoring';
import type { MonitoringProps } from '../../../../../constructs/operator/monitoring/monitoring-props';
import { alertProblems } from '../../../../../constructs/operator/zones/zone-alerts';
import { CATALOGUE } from '../../../../../operator/errors/catalogue';
import { exposedName, METRICS } from '../../../../../operator/contract/metrics';

interface Target {
  readonly expr: string;
}

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets: readonly Target[];
  }[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels: Record<string, string> };
  readonly spec: Record<string, unknown>;
  readonly data: Record<string, string>;
}

const synthesized = (props: MonitoringProps): readonly Manifest[] => {
  const chart = Testing.chart();
  new OperatorMonitoring(chart, 'Monitoring', { ...props, ...monitoringRows(props), security: { scheme: 'http' } });
  return Testing.synth(chart) as Manifest[];
};
const dashboard = (): Dashboard => {
  const [configMap] = synthesized({ dashboard: {} });
  return JSON.parse(configMap?.data['ipam-operator.json'] ?? '') as Dashboard;
};

const alerts = alertGroups({}).flatMap(({ rules }) => rules);
const expressions = [
  ...alerts.map(({ expr }) => expr),
  ...dashboard().panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
];

describe('alerts that tell of what no time ends', () => {
  test.each([
    ['FU-06', 'IpamSilentCluster', 'max(ipam_identity_silent) > 0'],
    ['FU-21', 'IpamStoreGrows', 'ipam_store_bytes'],
    ['FU-21', 'IpamStoreLarge', 'max(ipam_store_bytes) > 400000000'],
  ])('%s has %s', (_id, name, expr) => {
    expect(alerts.filter(({ alert }) => alert === name).map((each) => each.expr)).toEqual([
      expect.stringContaining(expr),
    ]);
  });
});

/** Names of our metrics in an expression, with what the exposition appends to histograms taken off. */
const metricsIn = (expr: string): readonly string[] => expr.match(/\b(?:ipam|egressip)_[a-z_]+/g) ?? [];
type Name = keyof typeof METRICS;
const names = Object.keys(METRICS) as Name[];
const exposed = (name: Name): string => `${exposedName(name)}${METRICS[name].kind === 'histogram' ? '_bucket' : ''}`;
const known = names.flatMap((name) =>
  (METRICS[name].kind === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']).map(
    (suffix) => `${exposedName(name)}${suffix}`,
  ),
);

describe('OperatorMonitoring', () => {
  test('declares only what is asked for', () => {
    expect(synthesized({})).toEqual([]);
    expect(synthesized({ serviceMonitor: {} }).map(({ kind }) => kind)).toEqual(['ServiceMonitor']);
    expect(synthesized({ prometheusRule: {} }).map(({ kind }) => kind)).toEqual(['PrometheusRule']);
    expect(synthesized({ dashboard: {} }).map(({ kind }) => kind)).toEqual(['ConfigMap']);
  });

  test('reads the metrics of the Service that has them, in our namespace', () => {
    const [monitor] = synthesized({ serviceMonitor: { interval: '10s', labels: { release: 'prometheus' } } });
    expect(monitor).toMatchObject({
      metadata: { namespace: 'ipam-system', labels: { release: 'prometheus', 'app.kubernetes.io/part-of': 'ipam' } },
      spec: {
        namespaceSelector: { matchNames: ['ipam-system'] },
        selector: { matchLabels: { 'app.kubernetes.io/name': 'ipam-operator' } },
        endpoints: [{ port: 'metrics', path: '/metrics', interval: '10s' }],
      },
    });
  });

  test('puts the dashboard where the sidecar of Grafana finds it', () => {
    const [standard] = synthesized({ dashboard: {} });
    expect(standard?.metadata).toMatchObject({ namespace: 'ipam-system', labels: { grafana_dashboard: '1' } });
    const [own] = synthesized({
      dashboard: { namespace: 'grafana', labels: { dash: 'yes' }, annotations: { folder: 'Network' } },
    });
    expect(own?.metadata).toMatchObject({
      namespace: 'grafana',
      labels: { dash: 'yes' },
      annotations: { folder: 'Network' },
    });
    expect(own?.metadata.labels).not.toHaveProperty('grafana_dashboard');
  });
});

describe('expressions of alerts and dashboard', () => {
  test.each(expressions)('%s reads metrics and labels that the operator has', (expr) => {
    const names = metricsIn(expr);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(known).toContain(name);
    for (const [, name = '', selector = ''] of expr.matchAll(/\bipam_([a-z_]+?)(?:_bucket)?\{([^}]*)\}/g)) {
      const { labels } = METRICS[name as keyof typeof METRICS];
      const used = [...selector.matchAll(/([a-z_]+)(?:=~|!~|!=|=)"/g)].map(([, label]) => label);
      expect(used.length).toBeGreaterThan(0);
      for (const label of used) expect(labels).toContain(label);
    }
  });

  test.each(expressions)('%s has its brackets in order', (expr) => {
    let bare = expr.replaceAll(/"[^"]*"/g, '');
    for (let before = ''; before !== bare;)
      [before, bare] = [bare, bare.replace(/\([^()[\]{}]*\)|\[[^()[\]{}]*\]|\{[^()[\]{}]*\}/g, '')];
    expect(bare).not.toMatch(/[()[\]{}]/);
  });

  test('group by labels that the metric has', () => {
    for (const expr of expressions) {
      const asked = metricsIn(expr);
      const labels = names.flatMap((name) => (asked.includes(exposed(name)) ? [...METRICS[name].labels] : []));
      const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
      for (const label of grouped) expect(['le', ...labels]).toContain(label);
    }
    expect(expressions.length).toBeGreaterThan(15);
  });
});

describe('alertGroups', () => {
  test('fires for a zone that is nearly full, for waiting Services and for stale reservations', () => {
    expect(alerts.map(({ alert }) => alert)).toEqual(
      expect.arrayContaining(['IpamZoneNearlyFull', 'IpamZoneFull', 'IpamServicesWait', 'IpamReservationsStale']),
    );
  });

  test('fires for what nobody sees in time: related systems that are away, and metrics that count losses', () => {
    const asked = new Set(alerts.flatMap(({ expr }) => metricsIn(expr)));
    const telling = [
      ...['services_kept', 'remote_away', 'remote_intents', 'clusters_silent', 'netbox_refreshes_total'],
      ...['services_unannounced', 'zone_pool_mismatch'],
      ...[
        'netbox_differences',
        'cleanup_connections_total',
        'cleanup_events_total',
        'splunk_events_total',
        'identity_shared',
      ],
    ];
    expect(telling.filter((name) => !asked.has(`ipam_${name}`))).toEqual([]);
  });

  test('asks the gauge of waiting Services, which falls to zero again once all have their address', () => {
    const wait = alerts.find(({ alert }) => alert === 'IpamServicesWait');
    expect(wait?.expr).toBe('max by (reason) (ipam_services_waiting) > 0');
  });

  test('VIP-T52 fires for groups that are full or not ready and Services that wait, by the threshold of the zones', () => {
    const of = (name: string) => alerts.find(({ alert }) => alert === name)?.expr;
    expect(of('IpamGroupFull')).toBe(
      'sum by (group, family) (max by (group, family, state) (ipam_vip_group_addresses{state="free"})) == 0',
    );
    expect([of('IpamGroupNotReady'), of('IpamVipsWait')]).toEqual([
      'max by (reason) (ipam_vip_groups_unready) > 0',
      'max by (reason) (ipam_vip_services_waiting) > 0',
    ]);
    expect(of('IpamMigrationHalted')).toBe('max(ipam_vip_migrations{stage="halted"}) > 0');
    const strict = alertGroups({ nearlyFullPercent: 50 }).flatMap(({ rules }) => rules);
    const nearlyFull = strict.find(({ alert }) => alert === 'IpamGroupNearlyFull');
    expect(nearlyFull?.expr).toMatch(/> 50$/u);
  });

  test('fires for prefixes that are nearly full, and for allocations that find nothing, not for one address alone', () => {
    const strict = alertGroups({ nearlyFullPercent: 50 }).flatMap(({ rules }) => rules);
    const of = (name: string) => strict.find(({ alert }) => alert === name)?.expr;
    expect(of('IpamPrefixNearlyFull')).toMatch(/ > 1\) > 50 and .*state="free"\}\)\) > 0$/u);
    expect(of('IpamNetworkExhausted')).toBe('max(ipam_network_waiting{reason="PoolExhausted"}) > 0');
    expect(of('IpamNetworksWait')).toBe('max by (reason) (ipam_network_waiting) > 0');
  });

  test('FU-14 fires for Services that are not announced, and not for those that are about to be', () => {
    const silent = alerts.find(({ alert }) => alert === 'IpamServicesNotAnnounced');
    expect(silent?.expr).toBe('max by (zone, reason) (ipam_services_unannounced{reason!="Announcing"}) > 0');
    const narrow = alerts.find(({ alert }) => alert === 'IpamZoneWiderThanPool');
    expect(narrow?.expr).toBe('max by (zone) (ipam_zone_pool_mismatch{kind="narrower"}) > 0');
  });

  test('takes the threshold of the zones from the props', () => {
    const [zones] = alertGroups({ nearlyFullPercent: 75 });
    expect(zones?.rules[0]?.expr).toMatch(/ > 75$/);
  });

  test('asks for reasons that the catalogue has', () => {
    const reasons = Object.values(CATALOGUE).map(({ reason }) => reason);
    const [, list = ''] = /reason=~"([^"]+)"/.exec(alerts.map(({ expr }) => expr).join('\n')) ?? [];
    expect(list.split('|').length).toBeGreaterThan(3);
    for (const reason of list.split('|')) expect(reasons).toContain(reason);
  });

  test('gives each alert a name of its own, a severity and a sentence', () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
    for (const { labels, annotations, for: pause } of alerts) {
      expect(['warning', 'critical']).toContain(labels.severity);
      expect(annotations.description).toMatch(/\.$/);
      expect(pause).toMatch(/^\d+m$/);
    }
  });
});

describe('alertProblems', () => {
  test.each([0, 100, -1, Number.NaN])('refuses %d percent, naming the field', (nearlyFullPercent) => {
    expect(alertProblems({ nearlyFullPercent })).toMatchObject([
      { code: 'settings/invalid', field: 'monitoring.prometheusRule.nearlyFullPercent' },
    ]);
  });

  test('accepts the default and the ends of the interval', () => {
    expect([
      alertProblems(),
      alertProblems({ nearlyFullPercent: 1 }),
      alertProblems({ nearlyFullPercent: 99 }),
    ]).toEqual([[], [], []]);
  });
});

describe('the dashboard', () => {
  test('has panels with ids and titles of their own that do not lie over each other', () => {
    const { panels } = dashboard();
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${String(x + (i % w))},${String(y + Math.floor(i / w))}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24);
  });

  test('asks for its data source by a variable', () => {
    expect(dashboard().templating.list.map(({ name }) => name)).toEqual(['datasource']);
  });

  test('shows every metric of the operator', () => {
    const shown = new Set(dashboard().panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsIn(expr))));
    expect(names.filter((name) => !shown.has(exposed(name)))).toEqual([]);
  });
});
