import { EGRESS_FINALIZER, EGRESS_KEYS, OLD_EGRESS_FINALIZER } from '../../operator/contract/egress';
import { ADDRESS_CLAIM } from '../../operator/contract/kinds/address-claim';
import { EGRESS_IPAM } from '../../operator/contract/kinds/egress-ipam';
import { egressIpamObject, egressSpec } from '../support/egress-kind-samples';
import type { KubeObject, Manifest } from './support/cluster-client';
import { eventually } from './support/eventually';
import { IpamCommand } from './support/ipam-command';
import { applyInstallation, tokenFor } from './support/installation';
import { conditionOf } from './support/network-scene';
import { startOperator, type RunningOperator } from './support/operator-process';
import { grantFor, grantsIn, textOf, usesIn } from './support/rights';
import { useControlPlane } from './support/use-control-plane';

const [ACCOUNT, IN] = ['ipam-controller-manager', 'ipam-system'];
const IPAMS = `/apis/${EGRESS_IPAM.group}/${EGRESS_IPAM.version}/${EGRESS_IPAM.plural}`;
const CLAIMS = `/apis/${ADDRESS_CLAIM.group}/${ADDRESS_CLAIM.version}/${ADDRESS_CLAIM.plural}`;
const NAMESPACES = '/api/v1/namespaces';
const NET = { CIDR: '10.0.0.0/29', labelValue: 'a' };

const command = new IpamCommand();
let operator: RunningOperator;
let objects: readonly Manifest[] = [];
const plane = useControlPlane({
  audit: true,
  prepare: async (control) => {
    ({ objects } = await applyInstallation(control, { services: { enabled: false }, egress: { enabled: true } }));
    operator = await startOperator(control, { awaitWebhooks: false, args: { 'admin-socket': command.socket } });
  },
});

const annotationsOf = ({ metadata }: Pick<KubeObject, 'metadata'>) => metadata.annotations ?? {};

async function namespace(name: string, egressIpam: string, list?: string): Promise<void> {
  const annotations = {
    ...{ other: 'stays', [EGRESS_KEYS.egressIpam]: egressIpam },
    ...(list === undefined ? {} : { [EGRESS_KEYS.addresses]: list }),
  };
  await plane().client.request('POST', NAMESPACES, { metadata: { name, annotations } });
}

// In place of the namespace controller, which does not run here.
async function removeNamespace(name: string): Promise<void> {
  const { client } = plane();
  await client.request('DELETE', `${NAMESPACES}/${name}`);
  const stored = await client.request('GET', `${NAMESPACES}/${name}`);
  await client.request('PUT', `${NAMESPACES}/${name}/finalize`, { ...stored, spec: { finalizers: [] } });
}

const listed = async (name: string): Promise<string | undefined> =>
  annotationsOf(await plane().client.request('GET', `${NAMESPACES}/${name}`))[EGRESS_KEYS.addresses];

const list = (name: string, text: string | null) =>
  plane().client.request(
    'PATCH',
    `${NAMESPACES}/${name}`,
    { metadata: { annotations: { [EGRESS_KEYS.addresses]: text } } },
    'merge',
  );

const has = (name: string, list: string | undefined) => eventually(async () => (await listed(name)) === list);

async function record(): Promise<readonly string[]> {
  const { items = [] } = await plane().client.request('GET', CLAIMS);
  return items.map(({ spec }) => `${String(spec?.['address'])}=${String(spec?.['holder']?.['name'])}`).sort();
}

const recorded = (...entries: readonly string[]) =>
  eventually(async () => JSON.stringify(await record()) === JSON.stringify([...entries].sort()));

const ipam = (name: string): Promise<KubeObject> => plane().client.request('GET', `${IPAMS}/${name}`);

test('EG-case-4 EG-25 namespaces that opt in have addresses, which are on record', async () => {
  const { client } = plane();
  await client.request(
    'POST',
    IPAMS,
    egressIpamObject('bm', { ...egressSpec(NET), dataplane: 'none' }, { finalizers: [OLD_EGRESS_FINALIZER] }),
  );
  await namespace('a', 'bm');
  await has('a', '10.0.0.1');
  await namespace('b', 'bm', '10.0.0.4');
  await namespace('c', 'bm');
  await has('c', '10.0.0.2');

  await recorded('10.0.0.1=a', '10.0.0.2=c', '10.0.0.4=b');
  expect(annotationsOf(await client.request('GET', `${NAMESPACES}/a`))['other']).toBe('stays');
  await eventually(async () => (await ipam('bm')).metadata.finalizers?.join() === EGRESS_FINALIZER);
  await eventually(async () => conditionOf(await ipam('bm'), 'Ready')?.status === 'True');
});

test('the command line tells of a namespace, its address, and what the doctor finds', async () => {
  const told = await command.run('explain', 'namespace/a');
  expect(told.out).toMatch(/^Namespace a opts in to EgressIPAM "bm"$/mu);
  expect(told.out).toMatch(/^Namespace a holds 10\.0\.0\.1 of EgressIPAM bm since /mu);
  expect((await command.run('tree', 'bm')).out).toMatch(/10\.0\.0\.1 a$/mu);
  expect((await command.run('history', '10.0.0.1')).out).toMatch(/held +bm +Namespace a/u);
  expect((await command.run('doctor')).out).toMatch(/^ok +EgressIPAMs +1 EgressIPAMs are ready, and 3 namespaces/mu);
});

test('EG-case-17 a wrong list concerns its namespace alone', async () => {
  await namespace('wrong', 'bm', '10.0.0.1');
  // the same again and again, which counts up its Event
  for (let round = 0; round < 3; round++) {
    await eventually(async () => JSON.stringify((await ipam('bm')).status).includes('AddressInUse'));
    expect(await listed('wrong')).toBe('10.0.0.1');
    await list('wrong', null);
    await has('wrong', '10.0.0.3');
    await list('wrong', '10.0.0.1');
  }
  await removeNamespace('wrong');
});

test('EG-case-24 what a namespace held that went while no operator ran is released, and no other address moves', async () => {
  await operator.stop();
  await removeNamespace('c');
  // made anew under its name, as by a restore
  await removeNamespace('b');
  await namespace('b', 'bm', '10.0.0.4');

  operator = await startOperator(plane(), { awaitWebhooks: false });

  await recorded('10.0.0.1=a', '10.0.0.4=b');
  expect([await listed('a'), await listed('b')]).toEqual(['10.0.0.1', '10.0.0.4']);
});

test('EG-19 the service account writes one annotation of a namespace and nothing else', async () => {
  const client = plane().client.as(await tokenFor(plane(), IN, ACCOUNT));
  const patch = (body: object) => client.attempt('PATCH', `${NAMESPACES}/a/status`, body, 'merge');
  const refused = [
    { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } } },
    { metadata: { annotations: { [EGRESS_KEYS.egressIpam]: 'other' } } },
    { metadata: { annotations: { other: null } } },
    { metadata: { finalizers: ['example.com/stays'] } },
    { status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Test', message: '' }] } },
  ];

  expect(await Promise.all(refused.map(async (body) => (await patch(body)).status))).toEqual(refused.map(() => 403));
  expect((await patch({ metadata: { annotations: { [EGRESS_KEYS.addresses]: '10.0.0.1' } } })).status).toBe(200);
});

test('EG-case-25 with an EgressIPAM its namespaces lose their lists', async () => {
  await plane().client.request('DELETE', `${IPAMS}/bm`);

  await eventually(async () => (await plane().client.attempt('GET', `${IPAMS}/bm`)).status === 404);

  expect([await listed('a'), await listed('b'), await record()]).toEqual([undefined, undefined, []]);
});

test('the rights of the door are enough, and it asks for no others', async () => {
  await operator.stop();
  const grants = grantsIn(objects);
  const uses = usesIn(plane().auditFile, `system:serviceaccount:${IN}:${ACCOUNT}`);
  const asked = uses.filter(({ resource }) => !resource.startsWith('/api'));

  expect([...new Set(asked.filter((use) => grantFor(use, grants) === undefined).map(textOf))]).toEqual([]);
  const used = new Set(uses.map((use) => grantFor(use, grants)));
  expect(grants.filter((grant) => !used.has(grant)).map(textOf)).toEqual([]);
});
