import type { IpamOperatorProps } from '../../constructs';
import { INTENT_SECRETS, IPAM, METALLB } from '../../operator/contract/group';
import { synthesized } from '../support/operator-objects';
import { PostgresServer } from '../support/postgres-server';
import type { ClusterClient, KubeObject, Manifest } from './support/cluster-client';
import type { ControlPlane } from './support/control-plane';
import { applyInstallation } from './support/installation';
import { startCertManager, startMetalLb } from './support/neighbours';
import { startOperator, type RunningOperator } from './support/operator-process';
import type { OwnProcess } from './support/own-process';
import { WEBHOOK_NAMES } from '../../operator/contract/group';
import { grantFor, grantsIn, textOf, usesUntilNow, type Grant, type Use } from './support/rights';
import { conditionOf, isReady } from './support/services';
import { letUnseenPass, UNSEEN } from './support/unseen';
import { useControlPlane } from './support/use-control-plane';

const USER = 'system:serviceaccount:ipam-system:ipam-controller-manager';
const ZONES: NonNullable<IpamOperatorProps['zones']> = [
  { name: 'wide', prefixes: ['10.90.0.0/24', 'fd00:90::/112'], quarantineSeconds: 1 },
  { name: 'one', prefixes: ['10.91.0.0/32'], quarantineSeconds: 1 },
];
interface Shape {
  readonly title: string;
  readonly props: Partial<IpamOperatorProps>;
  readonly postgres?: boolean;
}

const SHAPES: readonly Shape[] = [
  { title: 'SQLite, pools of prefixes, certificates of cert-manager', props: {} },
  {
    title: 'SQLite, pools of claims, its own certificates',
    props: { zonePools: 'claims', certificates: 'self-managed' },
  },
  {
    title: 'PostgreSQL, pools of claims, certificates of cert-manager',
    props: { zonePools: 'claims', store: { postgres: { connection: { name: 'dsn' } } } },
    postgres: true,
  },
];

/** Uses of Secrets by a remote record; exercised by `remote.test.ts`. */
const INTENT_USES = {
  get: 'intents of calls whose answer was lost, read at the start',
  list: 'each Secret is followed by its name',
  watch: 'what another replica wrote is seen',
  patch: 'an intent is written before each call',
};
const intentRights = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    INTENT_SECRETS.flatMap((name) =>
      Object.entries(INTENT_USES).map(([verb, why]) => [`${verb} secrets "${name}" in ipam-system`, why]),
    ),
  );

/** Shapes that are not started here; rights that no other shape has, and what they are for. */
const NOT_STARTED: readonly (Shape & { readonly only: Readonly<Record<string, string>> })[] = [
  {
    title: 'an IPAM-API elsewhere',
    props: { store: { remote: { url: 'https://ipam.example', token: { name: 'token' } } } },
    only: intentRights(),
  },
  {
    title: 'no Services, an IPAM-API alone',
    props: { services: { enabled: false }, ipamApi: { expose: {} } },
    only: {},
  },
];

const SERVICES = '/api/v1/namespaces/team/services';

interface Wanted {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
}

const service = (name: string, zone: string, { labels = {}, annotations = {}, spec = {} }: Wanted = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, labels, annotations: { [IPAM.zone]: zone, ...annotations } },
  spec: { type: 'LoadBalancer', ports: [{ port: 80 }], ...spec },
});

/** @returns MetalLB's controller */
async function install(plane: ControlPlane, { props, postgres = false }: Shape): Promise<OwnProcess> {
  const { client } = plane;
  const issuer = props.certificates === 'self-managed' ? [] : [startCertManager(plane)];
  const [metallb] = await Promise.all([startMetalLb(plane), ...issuer]);
  await applyInstallation(plane, { zones: ZONES, ...props });
  await letUnseenPass(plane);
  await client.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } }]);
  const data = { secret: Buffer.from('a secret of the team').toString('base64') };
  await client.request('POST', '/api/v1/namespaces/team/secrets', secret('mine', data));
  if (!postgres) return metallb;
  const server = await PostgresServer.start();
  plane.onStop(() => server.remove());
  const dsn = Buffer.from(await server.newDatabase()).toString('base64');
  await client.request('POST', '/api/v1/namespaces/ipam-system/secrets', secret('dsn', { dsn }));
  return metallb;
}

const secret = (name: string, data: object) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, data });

interface Running {
  readonly operator: RunningOperator;
  readonly metallb: OwnProcess;
}

/** Everything that can happen to Services, over a restart; the operator has an empty store at first. */
async function live(client: ClusterClient, { operator, metallb }: Running, shape: Shape): Promise<void> {
  await client.request('POST', SERVICES, service('plain', 'wide'));
  const annotations = { [IPAM.secret]: 'mine', [IPAM.ipFamily]: 'dual' };
  await client.request(
    'POST',
    SERVICES,
    service('own', 'wide', { annotations, spec: { ipFamilyPolicy: 'RequireDualStack' } }),
  );
  for (const name of ['plain', 'own']) await ready(client, name);
  await strip(client, 'plain');
  await move(client, 'plain', '10.90.0.77');
  await wait(client);
  await hide(client, metallb);
  if (shape.props.certificates === 'self-managed') await damageCertificates(client);
  await operator.restart();
  for (const name of ['plain', 'own']) await client.request('DELETE', `${SERVICES}/${name}`);
  await client.watchUntilEmpty(SERVICES);
}

const when = (client: ClusterClient, name: string, predicate: (object: KubeObject) => boolean): Promise<KubeObject> =>
  client.objectWhen(`${SERVICES}/${name}`, predicate);
const ready = (client: ClusterClient, name: string): Promise<KubeObject> => when(client, name, isReady);
const patch = (client: ClusterClient, name: string, change: object): Promise<KubeObject> =>
  client.request('PATCH', `${SERVICES}/${name}`, change, 'merge');

async function strip(client: ClusterClient, name: string): Promise<void> {
  const nothing = { metadata: { annotations: { [METALLB.pool]: null, [METALLB.addresses]: null } } };
  await client.request('PATCH', `${SERVICES}/${name}/status`, nothing, 'merge');
  await when(client, name, ({ metadata }) => metadata.annotations?.[METALLB.addresses] !== undefined);
}

async function move(client: ClusterClient, name: string, address: string): Promise<void> {
  await patch(client, name, { metadata: { annotations: { [IPAM.addresses]: address } } });
  await when(client, name, (object) => isReady(object) && object.metadata.annotations?.[METALLB.addresses] === address);
}

// The same Service waits twice for the same reason, so that its second Event counts up the first.
async function wait(client: ClusterClient): Promise<void> {
  await client.request('POST', SERVICES, service('holder', 'one'));
  await ready(client, 'holder');
  await client.request('POST', SERVICES, service('waiter', 'one', { labels: UNSEEN }));
  for (const next of ['next', 'last']) {
    await when(client, 'waiter', (object) => conditionOf(object)?.reason === 'PoolExhausted');
    await client.request('DELETE', `${SERVICES}/${next === 'next' ? 'holder' : 'next'}`);
    await ready(client, 'waiter');
    if (next === 'last') break;
    await patch(client, 'waiter', { spec: { type: 'ClusterIP' } });
    await client.request('POST', SERVICES, service(next, 'one', { labels: UNSEEN }));
    await ready(client, next);
    await patch(client, 'waiter', { spec: { type: 'LoadBalancer' } });
  }
  await client.request('DELETE', `${SERVICES}/waiter`);
}

// Why MetalLB announces nothing is looked for in its Events.
async function hide(client: ClusterClient, metallb: OwnProcess): Promise<void> {
  metallb.kill('SIGSTOP');
  await client.request('POST', SERVICES, service('hidden', 'wide'));
  await when(client, 'hidden', (object) => conditionOf(object)?.reason === 'NoAnnouncer');
  metallb.kill('SIGCONT');
  await ready(client, 'hidden');
  await client.request('DELETE', `${SERVICES}/hidden`);
}

// What cannot be used is replaced, at the next start at the latest.
async function damageCertificates(client: ClusterClient): Promise<void> {
  const data = { 'ca.key': Buffer.from('nonsense').toString('base64') };
  await client.request('PATCH', '/api/v1/namespaces/ipam-system/secrets/ipam-self-signed', { data }, 'merge');
}

const grantsOf = ({ props }: Shape): readonly Grant[] => grantsIn(synthesized(props) as unknown as readonly Manifest[]);

/** Rights of the shapes that are tried here. */
const exercised = new Set(SHAPES.flatMap(grantsOf).map(textOf));

describe.each(SHAPES)('the rights of an operator with $title', (shape) => {
  let metallb: OwnProcess;
  const plane = useControlPlane({
    audit: true,
    programs: ['metallb-controller', 'cert-manager'],
    prepare: async (control) => {
      metallb = await install(control, shape);
    },
  });
  let uses: readonly Use[] = [];
  let grants: readonly Grant[] = [];

  beforeAll(async () => {
    const { client } = plane();
    grants = grantsOf(shape);
    const operator = await startOperator(plane(), { args: { 'shutdown-delay': '0' } });
    await live(client, { operator, metallb }, shape);
    if (shape.props.zonePools === 'claims')
      await client.watchUntil('/apis/metallb.io/v1beta1/namespaces/metallb-system/ipaddresspools', (pools) =>
        pools.every(({ metadata: { name } }) => name === 'ipam-waiting'),
      );
    await operator.stop();
    uses = await usesUntilNow(plane(), USER);
  });

  test('are all used', () => {
    const used = new Set(uses.flatMap((use) => grantFor(use, grants) ?? []).map(textOf));
    // the rights to the own CA are the same for all doors with webhooks
    const isOfOtherDoor = ({ name }: Grant): boolean => name === WEBHOOK_NAMES.egressConfiguration;
    expect(grants.filter((grant) => !isOfOtherDoor(grant) && !used.has(textOf(grant))).map(textOf)).toEqual([]);
    expect(grants.length).toBeGreaterThan(10);
  });

  test('are enough: the API server forbids nothing, and nothing else is asked for', () => {
    expect(uses.filter(({ status }) => status === 401 || status === 403).map(textOf)).toEqual([]);
    expect(uses.filter((use) => grantFor(use, grants) === undefined).map(textOf)).toEqual([]);
  });

  test('write Services by patches of their status alone', () => {
    const writes = uses.filter(
      ({ resource, verb }) => resource.split('/')[0] === 'services' && !['get', 'list', 'watch'].includes(verb),
    );
    expect(new Set(writes.map(({ verb, resource }) => `${verb} ${resource}`))).toEqual(
      new Set(['patch services/status']),
    );
  });
});

test.each(NOT_STARTED)('the rights of an operator with $title are those and few more', (shape) => {
  const grants = grantsOf(shape);
  const more = grants.map(textOf).filter((text) => !exercised.has(text));
  expect(new Set(more)).toEqual(new Set(Object.keys(shape.only)));
});
