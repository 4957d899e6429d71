import { forEachAtOnce } from '../support/at-once';
import { clientOf, makeAdministrator } from './support/administrator';
import type { ClusterClient, KubeObject, Manifest } from './support/cluster-client';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { allocationCount, patienceFor } from './support/many-allocations';
import { NetworkScene, shownIn, type NetworkKind } from './support/network-scene';
import { startOperator } from './support/operator-process';
import { useControlPlane } from './support/use-control-plane';

const CLAIMS = '/apis/ipam.vitistack.io/v1alpha1/addressclaims';
const INSTALLATION = { services: { enabled: false }, networks: { enabled: true, orphanGraceSeconds: 3_600 } };
/** A backup tool. */
const TOOL = { namespace: 'velero', name: 'server' };
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
/** IPAllocations of a restore beside those of {@link NAMES}. */
const MORE = Array.from({ length: allocationCount(20) }, (_, index) => `m${String(index)}`);
const PATIENCE_MS = patienceFor(MORE.length);

const plane = useControlPlane({
  objects: 2 * MORE.length, // each with its claim
  prepare: async (control) => {
    await applyInstallation(control, INSTALLATION);
    await makeAdministrator(control, TOOL);
    await startOperator(control, { awaitWebhooks: false });
    await scene.open(control);
  },
});
const scene = new NetworkScene(plane, 'test');

/** An object without what a backup tool leaves out: identity, status and finalizers. */
function saved({ metadata, spec }: KubeObject, head: Pick<Manifest, 'apiVersion' | 'kind'>): Manifest {
  const { name, namespace, labels } = metadata;
  return {
    ...head,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...(labels === undefined ? {} : { labels }) },
    spec: spec ?? {},
  };
}

async function backUp(path: string, head: Pick<Manifest, 'apiVersion' | 'kind'>): Promise<readonly Manifest[]> {
  const { items = [] } = await plane().client.request('GET', path);
  return items.map((each) => saved(each, head));
}

const nephio = (kind: string) => ({ apiVersion: 'ipam.nephio.org/v1alpha1', kind });

// The API server takes a moment to know a changed policy.
async function putOnceLet(by: ClusterClient, path: string, object: Manifest): Promise<void> {
  await eventually(async () => {
    const { status, body } = await by.attempt('POST', path, object);
    if (status !== 201 && status !== 403) throw new RangeError(`${object.metadata.name}: ${String(body.message)}`);
    return status === 201;
  });
}

test(
  'DR-02 a backup tool restores AddressClaims as a member of the break-glass group, and every object has what it had',
  async () => {
    await scene.f2();
    // an order in which new objects would not get these addresses
    for (const name of NAMES) {
      await scene.allocation(name);
      await scene.ready('allocation', name);
    }
    for (const name of ['a', 'c']) {
      await scene.remove('allocation', name);
      await scene.gone('allocation', name);
      await scene.allocation(name);
      await scene.ready('allocation', name);
    }
    await scene.prefix('many-p1', '10.16.0.1/12', { network: 'many' });
    await forEachAtOnce(MORE, (name) => scene.allocation(name, { selector: scene.selecting('many') }));
    await scene.allShow(Object.fromEntries(MORE.map((name) => [name, undefined])), PATIENCE_MS);
    const [claims, instances, prefixes, allocations] = await Promise.all([
      backUp(CLAIMS, { apiVersion: 'ipam.vitistack.io/v1alpha1', kind: 'AddressClaim' }),
      backUp(scene.path('instance'), nephio('NetworkInstance')),
      backUp(scene.path('prefix'), nephio('IPPrefix')),
      backUp(scene.path('allocation'), nephio('IPAllocation')),
    ]);
    const [before, shown] = [await scene.record(), await shownByName()];
    await scene.clear(PATIENCE_MS);

    const backupTool = await clientOf(plane(), TOOL);
    const refused = await backupTool.attempt('POST', CLAIMS, claims[0]);
    expect([refused.status, refused.body.message?.includes('ipam-break-glass')]).toEqual([403, true]);
    // as docs/networks.md has it: for the time of the restore the group is that of the tool's ServiceAccounts
    await applyInstallation(plane(), { ...INSTALLATION, crds: { breakGlassGroup: 'system:serviceaccounts:velero' } });
    const [first, ...others] = claims as readonly [Manifest, ...Manifest[]];
    await putOnceLet(backupTool, CLAIMS, first);
    await forEachAtOnce(others, (claim) => putOnceLet(backupTool, CLAIMS, claim));
    const all: readonly (readonly [NetworkKind, readonly Manifest[]])[] = [
      ['allocation', allocations.toReversed()],
      ['prefix', prefixes],
      ['instance', instances],
    ];
    for (const [kind, objects] of all)
      await forEachAtOnce(objects, (object) => backupTool.request('POST', scene.path(kind), object));
    await scene.allShow(shown, PATIENCE_MS);
    for (const name of ['agg0', 'net1-p1']) await scene.ready('prefix', name);
    expect(await scene.record()).toEqual(before);
    await applyInstallation(plane(), INSTALLATION);
    await eventually(async () => (await backupTool.attempt('POST', `${CLAIMS}?dryRun=All`, claims[0])).status === 403);
    await scene.allocation('new');
    const given = shownIn(await scene.ready('allocation', 'new'));
    expect(Object.values(shown)).not.toContain(given);
  },
  PATIENCE_MS,
);

async function shownByName(): Promise<Readonly<Record<string, string>>> {
  const { items = [] } = await plane().client.request('GET', scene.path('allocation'));
  return Object.fromEntries(items.map((each) => [each.metadata.name, shownIn(each)]));
}
