import { forEachAtOnce } from '../support/at-once';
import type { KubeObject } from './support/cluster-client';
import { eventually } from './support/eventually';
import { followIngress, type IngressWatch } from './support/follow-ingress';
import { applyInstallation } from './support/installation';
import { OlderOperator } from './support/older-operator';
import { startOperator, type RunningOperator } from './support/operator-process';
import { ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';
import { VipScene } from './support/vip-scene';

/** IPs; `VIPS_MANY=10000` takes minutes. */
const COUNT = Number(process.env['VIPS_MANY'] ?? '300');
/** Those with a Service; the others wait for one from a backup. */
const SERVED = 60;
const PATIENCE_MS = 120_000 + 60 * COUNT;

let older: OlderOperator;
let operator: RunningOperator;
let followed: IngressWatch;
const plane = useControlPlane({
  prepare: async (control) => {
    older = await OlderOperator.install(control);
    await scene.open(control);
  },
});
const scene = new VipScene(plane, 'test');
const addressOf = (index: number): string => `10.46.${String(Math.floor(index / 256))}.${String(index % 256)}`;

const indexes = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** What the older operator reads of an IP, and the identity of the object. */
const oldView = ({ metadata: { name, uid, labels, annotations } }: KubeObject): string =>
  [name, uid, labels?.['ipgroup'], annotations?.['virtualips.paas.il/owner']].join(' ');
// The API server opens its storage anew for a changed kind, and refuses everything for a moment.
const views = async (): Promise<readonly string[]> => eventually(async () => (await scene.ips()).map(oldView).sort());

async function servedAddresses(): Promise<Readonly<Record<string, string>>> {
  const { items = [] } = await plane().client.request('GET', scene.path());
  return Object.fromEntries(items.map((each) => [each.metadata.name, ingressOf(each).join()]));
}

async function upgrade(): Promise<void> {
  await applyInstallation(plane(), {
    services: { enabled: false },
    vips: { enabled: true, classless: true, orphanGraceSeconds: 86_400 },
  });
  operator = await startOperator(plane(), { awaitWebhooks: false });
}

/** Waits until each Service is named by its UID in the spec of its IP. */
async function isBound(addresses: Readonly<Record<string, string>>): Promise<void> {
  const { items = [] } = await plane().client.request('GET', scene.path());
  for (const { metadata } of items) {
    const [address = ''] = (addresses[metadata.name] ?? '').split(',');
    const name = address.includes(':') ? 'fd00-0000-0000-0000-0000-0000-0000-0000' : address;
    await scene.ipWhen(name, ({ spec }) => spec?.['owner']?.['uid'] === metadata.uid);
  }
}

test(
  'R6 the kinds of version 1.0 become ours with everything that is stored, and no address moves',
  async () => {
    await older.group('ipgroup-1', '10.46.0.0/16', []);
    await forEachAtOnce(indexes(COUNT), (index) =>
      index < SERVED
        ? older.service(`s${String(index)}`, { ingress: [{ ip: addressOf(index) }], ip: addressOf(index) })
        : older.ip(addressOf(index), `test/later-${String(index)}`, 'ipgroup-1'),
    );
    const [before, shown] = [await views(), await servedAddresses()];
    expect(before).toHaveLength(COUNT);
    followed = followIngress(plane());
    await upgrade();
    await isBound(shown);
    expect([await views(), await servedAddresses()]).toEqual([before, shown]);
    await scene.groupWhen('ipgroup-1', ({ status }) => status?.['allocated'] === String(COUNT));
    await scene.group('six', { segment: 'fd00::/64' });
    await scene.create('six', {
      spec: { loadBalancerClass: undefined, ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' },
    });
    await scene.create('new', { spec: { loadBalancerClass: undefined } });
    await scene.shows('six', 'fd00::');
    await scene.shows('new', addressOf(COUNT));
  },
  2 * PATIENCE_MS,
);

test(
  'R6 back to version 1.0 and forth again nothing is lost and no address moves, also of what the older operator wrote meanwhile',
  async () => {
    const [before, shown] = [await views(), await servedAddresses()];
    const holders = new Map((await scene.ips()).map(({ metadata, spec }) => [metadata.name, spec?.['holders']]));
    // as docs/migration.md has it
    await operator.stop();
    await plane().kubectl('delete', 'validatingadmissionpolicybindings,validatingadmissionpolicies', 'ipam-ip-guard');
    for (const name of ['ipgroup-1', 'six'])
      await plane().kubectl('patch', 'ipgroups', name, '--type=merge', '-p', '{"metadata":{"finalizers":[]}}');
    older = await OlderOperator.install(plane());
    expect([await views(), await servedAddresses()]).toEqual([before, shown]);
    expect((await scene.ips()).map(({ spec }) => Object.keys(spec ?? {})).filter((keys) => keys.length > 0)).toEqual(
      [],
    );
    // it writes one anew, which loses all but label and annotation, and gives an address
    const rewritten = await scene.ipWhen(addressOf(COUNT), () => true);
    const { metadata } = rewritten;
    const annotations = { ...metadata.annotations, 'example.com/seen': 'yes' };
    const body = { ...rewritten, metadata: { ...metadata, annotations } };
    // the API server takes a moment to forget a policy
    await eventually(async () => {
      const { status } = await plane().client.attempt('PUT', `/apis/paas.org/v1/ips/${addressOf(COUNT)}`, body);
      return status === 200;
    });
    await older.service('theirs', { ingress: [{ ip: addressOf(COUNT + 1) }], ip: addressOf(COUNT + 1) });

    await upgrade();
    const now = await servedAddresses();
    expect(now).toEqual({ ...shown, theirs: addressOf(COUNT + 1) });
    await isBound(now);
    const after = await views();
    expect(after.filter((each) => !each.startsWith(`${addressOf(COUNT + 1)} `))).toEqual(before);
    const changed = (await scene.ips()).filter(
      ({ metadata, spec }) => JSON.stringify(spec?.['holders']) !== JSON.stringify(holders.get(metadata.name)),
    );
    expect(changed.map(({ metadata }) => metadata.name).sort()).toEqual(
      [addressOf(COUNT), addressOf(COUNT + 1)].sort(),
    );
    await scene.groupReady('ipgroup-1');
    await scene.create('last', { spec: { loadBalancerClass: undefined } });
    await scene.shows('last', addressOf(COUNT + 2));
    expect(await followed.emptied()).toEqual([]);
  },
  2 * PATIENCE_MS,
);
