import { Chart, Testing, type App } from 'cdk8s';
import { Construct, type IConstruct } from 'constructs';

import { AddressClaim, IpamOperator, IpamService, type IpamServiceProps } from '../../../../constructs';

const zones = [{ name: 'lan', prefixes: ['10.0.0.0/24'] }];

const service = (scope: Construct, id: string, props: Partial<IpamServiceProps> = {}): IpamService =>
  new IpamService(scope, id, { zone: 'lan', ports: [{ port: 80 }], ...props });

const problemsOf = (app: IConstruct): readonly string[] =>
  app.node.findAll().flatMap(({ node }) => node.validate().map((text) => `[${node.path}] ${text}`));

const chartsOf = (namespaces: readonly string[]): readonly [App, ...Chart[]] => {
  const app = Testing.app();
  return [app, ...namespaces.map((namespace, i) => new Chart(app, `c${String(i)}`, { namespace }))];
};

describe('two IpamServices of one name', () => {
  test('are refused in one chart, once, both places named', () => {
    const [app, chart] = chartsOf(['apps']);
    service(chart!, 'a', { name: 'web' });
    service(chart!, 'b', { name: 'web' });
    expect(problemsOf(app)).toEqual([
      '[c0/b] name: "web" of Service [c0/b] is the name of Service [c0/a] in namespace "apps" too; one would overwrite the other',
    ]);
  });

  test('are refused by equal ids in two subtrees, and in two charts', () => {
    const [app, chart, second] = chartsOf(['apps', 'apps']);
    for (const id of ['left', 'right']) service(new Construct(chart!, id), 'web');
    service(second!, 'web');
    expect(problemsOf(app)).toEqual([
      expect.stringContaining(
        '[c0/right/web] name: "web" of Service [c0/right/web] is the name of Service [c0/left/web]',
      ),
      expect.stringContaining('[c1/web] name: "web" of Service [c1/web] is the name of Service [c0/left/web]'),
    ]);
  });

  test('pass in two namespaces, and in two clusters', () => {
    const [app, apps, other] = chartsOf(['apps', 'other']);
    service(apps!, 'web', { cluster: 'a' });
    service(other!, 'web');
    service(new Construct(apps!, 'b'), 'web', { cluster: 'b' });
    expect(problemsOf(app)).toEqual([]);
  });

  test('are of the clusters of the operators whose zones they were given', () => {
    const app = Testing.app();
    for (const cluster of ['a', 'b']) {
      const operator = new IpamOperator(new Chart(app, `ipam-${cluster}`), 'operator', { zones, cluster });
      service(new Chart(app, cluster, { namespace: 'apps' }), 'web', { zones: operator.zones });
    }
    expect(problemsOf(app)).toEqual([]);
    service(new Chart(app, 'more', { namespace: 'apps' }), 'web', { cluster: 'b' });
    expect(problemsOf(app)).toEqual([
      expect.stringContaining('is the name of Service [b/web] in namespace "apps" too'),
    ]);
  });
});

test('two generated Secrets of one name are refused', () => {
  const [app, chart] = chartsOf(['apps']);
  const generatedSecret = { name: 'team', value: 'correct horse' };
  for (const id of ['a', 'b']) service(chart!, id, { generatedSecret });
  expect(problemsOf(app)).toEqual([
    '[c0/b] generatedSecret.name: "team" of Secret [c0/b] is the name of Secret [c0/a] in namespace "apps" too; one would overwrite the other',
  ]);
});

test('two AddressClaims of one network and address are refused unless they are of two clusters', () => {
  const [app, one, two] = chartsOf(['a', 'b']);
  const holder = { apiVersion: 'v1', kind: 'Service', namespace: 'core', name: 'n3' };
  const spec = { network: 'vpc', address: '10.0.0.5', door: 'networks', state: 'bound', holder } as const;
  new AddressClaim(one!, 'n3', { spec, cluster: 'a' });
  new AddressClaim(two!, 'n3', { spec, cluster: 'b' });
  expect(problemsOf(app)).toEqual([]);
  new AddressClaim(two!, 'again', { spec, cluster: 'b' });
  expect(problemsOf(app)).toEqual([
    '[c1/again] spec: "vpc.10.0.0.5" of AddressClaim [c1/again] is the name of AddressClaim [c1/n3] too; one would overwrite the other',
  ]);
});
