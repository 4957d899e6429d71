import { writeFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { FOREIGN_NAMES } from '../../../../operator/contract/foreign-load-balancers';
import { CliOperator } from '../../../support/cli-operator';
import { MANIFESTS, showing } from '../../../support/foreign-samples';

const operator = new CliOperator('version: 1\nzones: []\n');
afterAll(() => operator.dispose());

function fileOf(name: string, text: string): string {
  const path = operator.at(name);
  writeFileSync(path, text);
  return path;
}

test('writes IPGroups and IPs for kubectl, out of several files', async () => {
  const pools = fileOf('pools.yaml', MANIFESTS.metallb);
  const services = fileOf('services.json', JSON.stringify({ kind: 'List', items: [showing('web', ['192.168.10.7'])] }));
  const { code, out, err } = await operator.run(['import', '--from', 'metallb', pools, services]);
  expect([code, err]).toEqual([0, 'ipam: made 4 IPGroups, and 1 IPs of what Services show\n']);
  const documents = [...parseAllDocuments(out)].map(
    (each) => each.toJS() as { kind: string; metadata: { name: string } },
  );
  expect(documents.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    ...['IPGroup first-pool', 'IPGroup expensive', 'IPGroup ip-pool-from-provider'],
    ...['IPGroup ippool-ns-service-alloc-sample', 'IP 192.168.10.7'],
  ]);
});

test.each(FOREIGN_NAMES)('reads %s, and says by its exit code whether everything was taken over', async (from) => {
  const { code, out, err } = await operator.run([
    'import',
    '--from',
    from,
    fileOf('p.yaml', MANIFESTS[from]),
    '--output',
    'json',
  ]);
  expect(JSON.parse(out)).toMatchObject({ apiVersion: 'v1', kind: 'List' });
  expect(code).toBe(err.includes('not taken over as it was') ? 5 : 0);
});

test('tells the classes of the Services', async () => {
  const items = [showing('web', ['192.168.10.7'], { loadBalancerClass: 'a/b' })];
  const files = [fileOf('pools.yaml', MANIFESTS.metallb), fileOf('s.json', JSON.stringify({ kind: 'List', items }))];
  const { err } = await operator.run(['import', '--from', 'metallb', ...files]);
  expect(err).toContain('the class "a/b": put it into vips.loadBalancerClasses');
});

test.each([
  [['import', '--from', 'metallb', 'OTHER'], '--from metallb: no pool of it is in the files'],
  [['import', '--from', 'nginx', 'OTHER'], 'Allowed choices are metallb, cilium, purelb, kube-vip, openelb'],
  [['import', 'OTHER'], 'a dump of the original needs --key-file <file>'],
  [['import', '--from', 'metallb', '--key-file', 'k', 'OTHER'], 'neither --key-file nor --dry-run'],
  [['import', '--key-file', 'k', 'OTHER', 'OTHER'], 'give one dump'],
])('refuses %j', async (argv, message) => {
  const other = fileOf('other.yaml', 'kind: ConfigMap\n');
  const { code, err } = await operator.run(argv.map((each) => (each === 'OTHER' ? other : each)));
  expect([code, err]).toEqual([1, expect.stringContaining(message)]);
});
