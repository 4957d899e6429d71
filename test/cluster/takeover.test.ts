import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { IpamOperatorProps } from '../../constructs';
import { IPAM } from '../../operator/contract/group';
import type { Json, KubeObject } from './support/cluster-client';
import { applyInstallation } from './support/installation';
import { startCertManager, startMetalLb } from './support/neighbours';
import { startOperator, type RunningOperator } from './support/operator-process';
import {
  ORIGINAL,
  ORIGINAL_WEBHOOKS,
  originalAnnotations,
  originalPool,
  originalSecret,
  type OriginalWish,
} from './support/original';
import { ServiceScene, type Wanted } from './support/service-scene';
import { ingressOf, isReady } from './support/services';
import { useControlPlane } from './support/use-control-plane';

const PROPS: Partial<IpamOperatorProps> = {
  zones: [
    { name: 'hnet-private', prefixes: ['10.75.0.0/24'] },
    { name: 'inet', prefixes: ['10.76.0.0/24', 'fd00:76::/112'] },
  ],
  services: { defaultZone: 'hnet-private' },
  zonePools: 'claims',
  whenUnavailable: 'admit',
};
const DEFAULT_SECRET = 'OriginalDefaultSecretOfTheCluster';
const POOLS = '/apis/metallb.io/v1beta1/namespaces/metallb-system/ipaddresspools';
const inet6 = { ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' };
const dual = { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' };
const port = (number: number) => ({ ports: [{ port: number }] });

interface Served {
  readonly wish: OriginalWish;
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** Addresses that the original has given. */
const SERVED: Readonly<Record<string, Served>> = {
  plain: { wish: { zone: 'hnet-private', addresses: '10.75.0.0' } },
  high: { wish: { zone: 'hnet-private', addresses: '10.75.0.200' } },
  six: { wish: { zone: 'inet', addresses: 'fd00:76::5', family: 'ipv6' }, spec: inet6 },
  both: { wish: { zone: 'inet', addresses: 'fd00:76::6,10.76.0.6', family: 'dual' }, spec: dual },
  custom: { wish: { zone: 'inet', addresses: '10.76.0.7', secret: 'mine' } },
  any1: { wish: { zone: 'inet', addresses: '10.76.0.8', sharingKey: 'of-us' }, spec: port(81) },
  any2: { wish: { zone: 'inet', addresses: '10.76.0.8', sharingKey: 'of-us' }, spec: port(82) },
};
const NAMES = Object.keys(SERVED);
const wanted = ({ wish, spec = {} }: Served): Wanted => ({ annotations: originalAnnotations(wish), spec });
const addressesOf = ({ wish }: Served): string => wish.addresses.split(',').toSorted().join();

let operator: RunningOperator;
/** Every state of addresses that a Service was ever seen in, by its name. */
const history = new Map<string, Set<string>>();
const plane = useControlPlane({
  programs: ['metallb-controller', 'cert-manager'],
  prepare: async (control) => {
    const { client } = control;
    await Promise.all([startMetalLb(control), startCertManager(control)]);
    await client.apply([...ORIGINAL, originalSecret(DEFAULT_SECRET)]);
    await scene.open();
    await scene.secret('mine', 'the-own-secret-of-a');
    for (const zone of ['hnet-private', 'inet']) {
      const served = Object.values(SERVED).filter(({ wish }) => wish.zone === zone);
      const addresses = new Set(served.flatMap(({ wish }) => wish.addresses.split(',')));
      await client.apply([originalPool(zone, [...addresses])], { fieldManager: 'manager' });
    }
    for (const [name, served] of Object.entries(SERVED)) await scene.create(name, wanted(served));
    for (const [name, served] of Object.entries(SERVED)) await shows(name, addressesOf(served));
    await client.apply(ORIGINAL_WEBHOOKS, { fieldManager: 'manager' });
    followAll();
  },
});
const scene = new ServiceScene({ plane, operator: () => operator, namespace: 'a' });

const shownBy = (object: KubeObject): string => ingressOf(object).toSorted().join();

const shows = (name: string, addresses: string): Promise<KubeObject> =>
  scene.when(name, (object) => shownBy(object) === addresses);

function followAll(): void {
  const following = plane().client.watchUntil(
    scene.path(),
    (all) => {
      for (const each of all) {
        const { name, uid } = each.metadata;
        const states = history.get(`${name} ${uid}`) ?? new Set();
        history.set(`${name} ${uid}`, states.add(shownBy(each)));
      }
      return false;
    },
    900_000,
  );
  following.catch(() => undefined); // ends with the control plane
}

/** Names of Services whose address was ever taken away or changed. */
async function moved(): Promise<readonly string[]> {
  const stored = await Promise.all(NAMES.map((name) => scene.get(name)));
  return stored
    .filter(({ metadata: { name, uid } }) => history.get(`${name} ${uid}`)?.size !== 1)
    .map(({ metadata: { name } }) => name);
}

/** How often MetalLB took an address away from a Service. */
async function clearings(): Promise<number> {
  const events = await plane().client.request('GET', '/api/v1/namespaces/a/events');
  return (events.items ?? []).filter(({ reason }) => /^clearAssignment$/iu.test(reason ?? '')).length;
}

async function allAsServed(): Promise<void> {
  for (const [name, served] of Object.entries(SERVED))
    await scene.when(name, (object) => isReady(object) && shownBy(object) === addressesOf(served));
}

async function entriesOf(zone: string): Promise<readonly Json[]> {
  const { spec } = await plane().client.request('GET', `${POOLS}/${zone}`);
  return spec?.['addresses'] ?? [];
}

describe('an installation of the original', () => {
  test('is taken over in place, and no address moves', async () => {
    const { client, kubectl } = plane();
    const deployment = '/apis/apps/v1/namespaces/ipam-system/deployments/ipam-controller-manager';
    // the selector of a Deployment cannot be changed, so the old one goes first; its webhooks fail until ours answer
    await client.request('DELETE', deployment);
    await applyInstallation(plane(), PROPS);
    operator = await startOperator(plane(), { args: { 'shutdown-delay': '0' } });
    await allAsServed();

    expect(await moved()).toEqual([]);
    expect(await clearings()).toBe(0);
    const secret = await client.request('GET', '/api/v1/namespaces/ipam-system/secrets/default');
    expect(Buffer.from(secret.data?.['secret'] ?? '', 'base64').toString()).toBe(DEFAULT_SECRET);
    // of Services: a deletion is never asked about
    const path = 'jsonpath={.items[*].webhooks[?(@.rules[0].resources[0]=="services")].rules}';
    const rules = await kubectl('get', 'validatingwebhookconfigurations', '-o', path);
    expect(rules).toContain('UPDATE');
    expect(rules).not.toContain('DELETE');
    const { spec } = await client.request('GET', '/api/v1/namespaces/ipam-system/services/ipam-webhook-service');
    expect(spec?.['selector']).not.toHaveProperty('control-plane');
  });

  test('has its pools kept from now on, with the same addresses and the next one', async () => {
    await scene.create('next', { annotations: { [IPAM.zone]: 'inet' } });
    const next = await scene.ready('next');

    expect(ingressOf(next)).toEqual(['10.76.0.0']);
    expect(await entriesOf('inet')).toEqual(
      // one by one, as the original wrote them (FU-42)
      expect.arrayContaining([
        ...[0, 6, 7, 8].map((last) => `10.76.0.${last}/32`),
        ...['fd00:76::5/128', 'fd00:76::6/128'],
      ]),
    );
    expect(await clearings()).toBe(0);
    expect(await moved()).toEqual([]);
  });

  test('has its secrets as proofs: the default one in the namespace, a custom one, and nobody else', async () => {
    const other = new ServiceScene({ plane, operator: () => operator, namespace: 'b' });
    await other.open();
    const taken = (name: string): Wanted => wanted({ ...SERVED[name]!, spec: port(83) });

    await expect(other.create('thief', taken('plain'))).rejects.toThrow('10.75.0.0');
    await expect(
      other.create('thief', { annotations: { [IPAM.zone]: 'inet', [IPAM.addresses]: '10.76.0.7' } }),
    ).rejects.toThrow('10.76.0.7');
    await scene.create('any3', taken('any1'));
    await scene.when('any3', (object) => isReady(object) && shownBy(object) === '10.76.0.8');
    await scene.remove('any3');
    await allAsServed();
  });
});

describe('DR-02 what was restored', () => {
  test('a lost store begins anew after the Secret of its keys is removed, and every Service keeps its addresses', async () => {
    const { client, folder } = plane();
    await operator.stop();
    const volume = join(folder, 'volumes', 'ipam-data');
    rmSync(volume, { recursive: true });
    mkdirSync(volume);
    await expect(operator.restart()).rejects.toThrow(/remove the Secret "ipam-keys" of namespace "ipam-system"/u);
    await client.request('DELETE', '/api/v1/namespaces/ipam-system/secrets/ipam-keys');
    operator = await startOperator(plane(), { name: 'anew', args: { 'shutdown-delay': '0' } });
    await allAsServed();
    await scene.create('fresh', { annotations: { [IPAM.zone]: 'inet' } });
    const fresh = await scene.ready('fresh');

    expect(ingressOf(fresh)).toEqual(['10.76.0.1']);
    expect(ingressOf(await scene.get('next'))).toEqual(['10.76.0.0']);
    expect(await clearings()).toBe(0);
    expect(await moved()).toEqual([]);
  });

  test('Services that come back with new UIDs and nothing else get the addresses that they had', async () => {
    const backup = await Promise.all(NAMES.map((name) => scene.get(name)));
    for (const name of NAMES) await scene.remove(name);
    await scene.holds('hnet-private', 0);
    await scene.create('between'); // has none of theirs: they are quarantined
    const between = ingressOf(await scene.ready('between'));
    for (const { metadata, spec } of backup.toReversed())
      await scene.create(metadata.name, {
        annotations: metadata.annotations ?? {},
        spec: { ...restorable(spec) },
      });
    await allAsServed();

    expect(between).toEqual(['10.75.0.1']);
  });

  test('also while the operator is down the whole time', async () => {
    const backup = await Promise.all(NAMES.map((name) => scene.get(name)));
    await operator.kill('SIGKILL');
    for (const name of NAMES) await scene.remove(name);
    for (const { metadata, spec } of backup)
      await scene.create(metadata.name, { annotations: metadata.annotations ?? {}, spec: { ...restorable(spec) } });
    await operator.restart();
    await allAsServed();
    await scene.holds('hnet-private', 3);

    expect(ingressOf(await scene.get('between'))).toEqual(['10.75.0.1']);
  });
});

/** Reduces a spec as a backup tool does: to nothing that the old cluster chose. */
function restorable(spec: KubeObject['spec']): Readonly<Record<string, unknown>> {
  const { ports, ipFamilies, ipFamilyPolicy } = (spec ?? {}) as unknown as Readonly<Record<string, unknown>>;
  const plain = (ports as readonly { readonly port: number }[]).map(({ port: number }) => ({ port: number }));
  return { ports: plain, ipFamilies, ipFamilyPolicy };
}
