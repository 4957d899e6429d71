import type { IpamOperatorProps } from '../../constructs';
import { IPAM, METALLB } from '../../operator/contract/group';
import { AdmissionLoad } from './support/admission-load';
import type { KubeObject } from './support/cluster-client';
import { CutScene } from './support/cut-scene';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { startCertManager, startMetalLb } from './support/neighbours';
import { PostgresPair, type StoredClaim } from './support/postgres-pair';
import { Replicas } from './support/replicas';
import { ServiceScene } from './support/service-scene';
import { conditionOf, ingressOf, isReady } from './support/services';
import { useControlPlane } from './support/use-control-plane';
import { orSoak } from './support/soak';

const CONNECTION = 'ipam-postgres';
const SERVING = '/api/v1/namespaces/ipam-system/secrets/webhook-server-cert';
const PROPS: Partial<IpamOperatorProps> = {
  zonePools: 'claims',
  store: { postgres: { connection: { name: CONNECTION } } },
  // a busy machine lets more than the usual 64 come at once after a fail-over, and deletes what moved before it was bound
  settings: { maxReservationsPerNamespace: 400, reservationLeaseSeconds: 30 },
  zones: [
    { name: 'load', prefixes: ['10.80.0.0/21'], quarantineSeconds: 1 },
    { name: 'tight', prefixes: ['10.81.0.0/28'], quarantineSeconds: 1 },
    { name: 'line', prefixes: ['10.82.0.0/30'], quarantineSeconds: 1 },
  ],
};
const LOAD = { annotations: { [IPAM.zone]: 'load' } };
const TIGHT = { annotations: { [IPAM.zone]: 'tight' } };
const TIGHT_SIZE = 16;
/** Half a minute of them, or longer if what happens meanwhile takes longer. */
const ADMISSIONS = orSoak(600, 3_600);
/** Of a load, before the leader is killed. */
const TAKEN_EARLY = 40;
/** Bindings that a replica must make while none leads: more than a namespace may have unbound by default. */
const LIMIT = 64;
/** Services that are older than the installation: four for the addresses of their zone, two that wait. */
const LINE = Array.from({ length: 6 }, (_, i) => `line-${String(i)}`);
/** From a take in one replica to the pool that another one writes, and to MetalLB; most of it is this busy machine. A resync is minutes away. */
const TOLD_MS = 120_000;

/** A reservation that nothing was stored for, the sweeps that end it, and its quarantine. */
const SWEPT_MS = 240_000;

let database: PostgresPair;
let replicas: Replicas;
/** Services whose CREATE a killed process did not answer. */
const cut = new Set<string>();
/** Addresses that two Services showed at one moment. */
const doubles: string[] = [];
/** Addresses that each Service showed that was not moved, by UID. */
const shown = new Map<string, Set<string>>();
let everybody: Promise<unknown>;

const plane = useControlPlane({
  programs: ['metallb-controller', 'cert-manager'],
  prepare: async (control) => {
    [database] = await Promise.all([PostgresPair.start(), startMetalLb(control), startCertManager(control)]);
    control.onStop(() => database.remove());
    await scene.open(control);
    for (const name of LINE)
      await control.client.apply([scene.manifest(name, { annotations: { [IPAM.zone]: 'line' } })]);
    await applyInstallation(control, PROPS);
    const metadata = { name: CONNECTION, namespace: 'ipam-system' };
    await control.client.apply([{ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { dsn: database.dsn } }]);
    replicas = new Replicas(control);
  },
});
const scene = new ServiceScene({ plane, operator: () => replicas.of(replicas.names[0] ?? ''), namespace: 'a' });
const load = new AdmissionLoad(plane, scene, 'load');

const namedIn = ({ metadata: { annotations = {} } }: KubeObject): readonly string[] =>
  (annotations[METALLB.addresses] ?? '').split(',').filter((address) => address !== '');

/** Looks at every version of every Service until one named `end` is there. */
function followEverybody(): Promise<unknown> {
  const look = (all: readonly KubeObject[]): boolean => {
    // by our word and by MetalLB's: each Service counts an address once
    const addresses = all.flatMap((each) => [...new Set([...ingressOf(each), ...namedIn(each)])]);
    if (new Set(addresses).size < addresses.length)
      doubles.push(...addresses.filter((address, i) => addresses.indexOf(address) !== i));
    for (const each of all) {
      const seen = shown.get(each.metadata.uid) ?? new Set();
      for (const address of ingressOf(each)) seen.add(address);
      shown.set(each.metadata.uid, seen);
    }
    return all.some(({ metadata }) => metadata.name === 'end');
  };
  return plane().client.watchUntil(scene.path(), look, 900_000);
}

const list = async (): Promise<readonly KubeObject[]> =>
  (await plane().client.request('GET', scene.path())).items ?? [];

const inZone = (all: readonly KubeObject[], zone: string): readonly KubeObject[] =>
  all.filter(({ metadata }) => metadata.annotations?.[IPAM.zone] === zone);

/** Throws unless Services, database and pool say the same of a zone, name by name. */
async function expectSquare(zone: string): Promise<true> {
  const all = inZone(await list(), zone);
  const services = all.map((each) => `${ingressOf(each).join()} ${each.metadata.name} ${each.metadata.uid}`);
  // a reservation of a call that a killed process was answering ends with its lease, minutes later
  const rows = await database.claims(zone);
  const leased = rows.filter(({ service, uid }) => uid === null && cut.has(service));
  const held = rows.filter((row) => !leased.includes(row));
  const textOf = ({ address, service, uid }: StoredClaim): string => `${address} ${service} ${uid}`;
  const claims = held.map(textOf);
  const [more, less] = [
    held.filter((each) => !services.includes(textOf(each))).map((each) => `${textOf(each)} ${each.state}`),
    services.filter((each) => !claims.includes(each)),
  ];
  if (more.length + less.length > 0)
    throw new RangeError(`only in the database: ${more.join('; ')}; only in the API server: ${less.join('; ')}`);
  if (!all.every(isReady)) throw new RangeError('not all are ready');
  const published = [...all.flatMap(ingressOf), ...leased.map(({ address }) => address)];
  if (!(await CutScene.publishes(plane(), zone, published))) throw new RangeError('the pool differs');
  return true;
}

/** Remembers the Services whose reservation stays for its lease, since nothing of them was stored. */
function noteCut(failed: readonly string[]): void {
  for (const each of failed) cut.add(/^(?:create|move) (\S+):/u.exec(each)?.[1] ?? '');
}

const waiting = async (): Promise<readonly KubeObject[]> =>
  inZone(await list(), 'line').filter((each) => conditionOf(each)?.status === 'False');

describe('two operators on one empty PostgreSQL database', () => {
  test('start at the same time: one makes the tables and the key, one leads', async () => {
    await replicas.start(2);
    await replicas.leader();
    everybody = followEverybody();
    everybody.catch(() => undefined); // told by the last test
    await eventually(() => scene.create('first', LOAD));
    await scene.ready('first');
    const versions = await database.sql("SELECT value FROM ipam.setting WHERE name = 'schemaVersion'");
    expect(versions).toHaveLength(1);
    await eventually(() => expectSquare('load'));
  });

  test('CONC-02 give each address of a nearly full zone once, and refuse who comes too late', async () => {
    const names = Array.from({ length: TIGHT_SIZE + 4 }, (_, i) => `tight-${String(i)}`);
    const before = await replicas.reviews();
    const answers = await Promise.allSettled(names.map((name) => scene.create(name, TIGHT)));
    const refused = answers.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
    expect(refused).toHaveLength(4);
    expect(refused.every((text) => text.includes('"tight"'))).toBe(true);
    await eventually(() => expectSquare('tight'), TOLD_MS);
    expect(await database.claims('tight')).toHaveLength(TIGHT_SIZE);
    const after = await replicas.reviews();
    expect(replicas.names.filter((name) => (after.get(name) ?? 0) === (before.get(name) ?? 0))).toEqual([]);
  });

  test('CONC-02 let who finds no address wait, and serve it when one comes back', async () => {
    const served = async (): Promise<readonly KubeObject[]> => inZone(await list(), 'line').filter(isReady);
    await eventually(async () => (await served()).length === 4 && (await waiting()).length === 2);
    const [first] = await served();
    await scene.remove(first?.metadata.name ?? '');
    await eventually(async () => (await served()).length === 4, TOLD_MS);
    expect(await waiting()).toHaveLength(1);
  });

  test('WH-11 CONC-02 serve 20 admissions a second through a rolling restart, a new certificate and a fail-over of the database', async () => {
    const { client } = plane();
    load.begin();
    await replicas.roll();
    const { data: old } = await client.request('GET', SERVING);
    await client.request('DELETE', SERVING);
    const renewed = await client.objectWhen(SERVING, ({ data }) => data?.['tls.crt'] !== old?.['tls.crt']);
    await replicas.serve(Buffer.from(renewed.data?.['tls.crt'] ?? '', 'base64'));
    await database.failOver();
    await replicas.leader();
    await load.reaches(ADMISSIONS);
    const { failed, ...result } = await load.end();
    process.stderr.write(`admissions through it all: ${JSON.stringify(result)}\n`);
    noteCut(failed);
    expect(failed).toEqual([]);
    await eventually(() => expectSquare('load'), SWEPT_MS);
  });

  test('WH-11 CONC-02 bind and serve on while the Lease of a killed leader runs out', async () => {
    const lost = await replicas.leader();
    const [other = ''] = replicas.names.filter((name) => name !== lost);
    // whoever moves waits for the pool, which a leader publishes
    const later = new AdmissionLoad(plane, scene, 'load', { prefix: 'later', moves: false });
    later.begin();
    await later.reaches(TAKEN_EARLY);
    const before = await replicas.lateBindings(other);
    await replicas.lose(lost);
    // a busy machine takes longer than the Lease stands, so that it is renewed in the place of the killed one
    await eventually(async () => {
      await replicas.renewLease();
      return (await replicas.lateBindings(other)) >= before + LIMIT;
    });
    const { failures } = later;
    expect(await replicas.leads(other)).toBe(false);
    expect(await replicas.leader()).toBe(other);
    const { failed, ...result } = await later.end();
    process.stderr.write(`admissions while nobody led: ${JSON.stringify(result)}\n`);
    await replicas.of(lost).restart();
    // the API server calls nobody else for what the killed process was answering
    expect(failed.filter((each) => !each.includes('failed calling webhook'))).toEqual([]);
    expect(failed).toHaveLength(failures);
    noteCut(failed);
    await eventually(() => expectSquare('load'), SWEPT_MS);
  });

  test('lose, double and move nothing when either is killed amid creates, moves and releases', async () => {
    const lost = await replicas.leader();
    const follower = replicas.names.find((name) => name !== lost) ?? '';
    const churn = Array.from({ length: 8 }, (_, worker) => churnOf(worker));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await replicas.lose(lost);
    expect(await replicas.leader()).toBe(follower);
    // one waits since before this replica led
    const [served] = inZone(await list(), 'line').filter(isReady);
    await scene.remove(served?.metadata.name ?? '');
    await eventually(async () => (await waiting()).length === 0, TOLD_MS);
    await replicas.of(lost).restart();
    await replicas.lose(follower);
    expect(await replicas.leader()).toBe(lost);
    await replicas.of(follower).restart();
    churning = false;
    await Promise.all(churn);
    for (const zone of ['load', 'tight', 'line']) await eventually(() => expectSquare(zone), SWEPT_MS);
  });

  test('no address was ever shown twice, and who was not moved never lost its own', async () => {
    await eventually(() => scene.create('end', LOAD));
    await everybody;
    const all = inZone(await list(), 'load');
    expect(doubles).toEqual([]);
    expect([...(shown.get((await scene.get('first')).metadata.uid) ?? [])]).toEqual(
      ingressOf(await scene.get('first')),
    );
    expect(all.flatMap(({ metadata: { name } }) => load.wished.get(name) ?? []).length).toBeGreaterThan(0);
    expect(await database.faults()).toEqual([]);
  });
});

let churning = true;
/** Creates, moves and deletes one Service again and again, each call until it is served. */
async function churnOf(worker: number): Promise<void> {
  for (let round = 0; churning; round++) {
    const name = `churn-${String(worker)}-${String(round)}`;
    const there = (): Promise<boolean> => list().then((all) => all.some(({ metadata }) => metadata.name === name));
    await eventually(async () => (await there()) || (await scene.create(name, LOAD).then(() => true)));
    // what moves before it is bound leaves a reservation that ends with its lease, minutes later
    await scene.ready(name);
    const address = `10.80.7.${String(worker * 32 + (round % 32))}`;
    await eventually(() => scene.annotate(name, { [IPAM.addresses]: address }));
    // MetalLB may show it before it is bound, and what is deleted in between is a reservation too
    const isBound = (service: KubeObject): boolean =>
      isReady(service) && conditionOf(service)?.message.includes(`"${address}"`) === true;
    await scene.when(name, (service) => isBound(service) && ingressOf(service).join() === address);
    if (round % 3 > 0) await scene.remove(name);
  }
}
