import { ADDRESS_CLAIM } from '../../operator/contract/kinds/address-claim';
import { ADDRESS_TABLE } from '../../operator/contract/kinds/address-table';
import { IP_ALLOCATION } from '../../operator/contract/kinds/ip-allocation';
import { IP_PREFIX } from '../../operator/contract/kinds/ip-prefix';
import { NETWORK_INSTANCE } from '../../operator/contract/kinds/network-instance';
import { forEachAtOnce } from '../support/at-once';
import type { Json, KubeObject } from './support/cluster-client';
import { eventually } from './support/eventually';
import { allocationCount, patienceFor } from './support/many-allocations';
import { shownIn } from './support/network-scene';
import { useNetworks } from './support/use-networks';

const COUNT = allocationCount(60);
const PATIENCE_MS = patienceFor(COUNT);
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const KINDS = [NETWORK_INSTANCE, IP_PREFIX, IP_ALLOCATION, ADDRESS_CLAIM, ADDRESS_TABLE];

// each allocation has its claim
const { plane, scene } = useNetworks({ objects: 2 * COUNT });

async function given(): Promise<Readonly<Record<string, string>>> {
  const { items = [] } = await plane().client.request('GET', scene.path('allocation'));
  return Object.fromEntries(items.map((each) => [each.metadata.name, shownIn(each)]));
}

/** UIDs of the claims: none is made anew. */
async function claimUids(): Promise<readonly string[]> {
  const { items = [] } = await plane().client.request(
    'GET',
    `/apis/ipam.vitistack.io/v1alpha1/${ADDRESS_CLAIM.plural}`,
  );
  return items.map(({ metadata }) => metadata.uid).toSorted();
}

const storedCrds = (): Promise<readonly KubeObject[]> =>
  Promise.all(KINDS.map(({ group, plural }) => plane().client.request('GET', `${CRDS}/${plural}.${group}`)));

/** Changes the versions of every kind. */
async function change(versionsOf: (crd: KubeObject) => unknown): Promise<void> {
  for (const crd of await storedCrds()) {
    const patch = { spec: { versions: versionsOf(crd) } };
    await plane().client.request('PATCH', `${CRDS}/${crd.metadata.name}`, patch, 'merge');
  }
}

/** The versions of a kind with a field and a column that a later release has. */
function laterVersions({ spec }: KubeObject): unknown {
  const [version] = (spec?.['versions'] ?? []) as unknown as readonly Json[];
  const later = structuredClone(version ?? {}) as Record<string, Json>;
  const properties = later['schema']?.['openAPIV3Schema']?.['properties'] as unknown as Record<
    string,
    Record<string, unknown>
  >;
  const inSpec = (properties['spec'] ?? {}) as { properties?: Record<string, unknown> };
  inSpec.properties = { ...inSpec.properties, later: { type: 'string', maxLength: 63 } };
  const columns = (later['additionalPrinterColumns'] ?? []) as unknown as readonly unknown[];
  return [
    { ...later, additionalPrinterColumns: [...columns, { name: 'LATER', type: 'string', jsonPath: '.spec.later' }] },
  ];
}

test(
  'the kinds of a later release come and go while everything is stored, and nothing moves',
  async () => {
    await scene.instance();
    await scene.prefix('net1-p1', '10.64.0.1/12', { network: 'net1' });
    await scene.ready('prefix', 'net1-p1');
    const names = Array.from({ length: COUNT }, (_, index) => `a${String(index)}`);
    await forEachAtOnce(names, (name) => scene.allocation(name));
    await scene.allShow(Object.fromEntries(names.map((name) => [name, undefined])), PATIENCE_MS);
    const before = await storedCrds();
    const [shown, uids] = [await given(), await eventually(claimUids)];

    await change(laterVersions);
    // the API server opens its storage anew for a changed kind, and refuses everything for a moment
    await eventually(() => scene.allocation('meanwhile', { later: 'yes' }));
    await eventually(() => scene.ready('allocation', 'meanwhile'));
    expect(await eventually(given)).toMatchObject(shown);

    await change((crd) => before.find(({ metadata }) => metadata.name === crd.metadata.name)?.spec?.['versions']);
    await eventually(() => scene.allocation('afterwards'));
    const last = shownIn(await eventually(() => scene.ready('allocation', 'afterwards')));
    const now = await eventually(given);
    expect(now).toEqual({ ...shown, meanwhile: now['meanwhile'], afterwards: last });
    expect(await eventually(claimUids)).toEqual(expect.arrayContaining([...uids]));
    expect(await eventually(claimUids)).toHaveLength(uids.length + 2);
    expect(new Set(Object.values(now)).size).toBe(COUNT + 2);
  },
  2 * PATIENCE_MS,
);
