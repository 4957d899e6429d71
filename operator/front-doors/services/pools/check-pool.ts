import { parseAddress, type Address } from '../../../addressing/address';
import { PrefixSetBuilder } from '../../../addressing/prefix-set';
import { POOL_WITHDRAW, readAddressPool, withdraws, type PoolView } from '../../../contract/address-pool';
import type { AdmissionRequest } from '../../../contract/admission-review';
import { METALLB_FROM_POOL, METALLB_NAMESPACE } from '../../../contract/group';
import { listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { LOAD_BALANCER } from '../../../contract/service';
import { DEFAULT_NETWORK } from '../../../contract/zones';
import type { Refusal } from '../../../errors/outcome';
import { refusalOfLate, withinDeadline, type Awaiting } from '../wanted/admission-deadline';
import type { PoolHolders, ServicesDoorParts } from '../wanted/door-parts';
import { faultFields } from '../../../reviews/report-verdict';
import { allow, deny, type Verdict } from '../../../reviews/verdict';

/** Holders that a refusal names at most. */
const MOST_NAMED = 10;
/** Prefixes that a refusal lists at most. */
const MOST_PREFIXES = 8;
const UNREAD = 'claims of a pool could not be read; the stored Services decide';
/** States of holders whose address is in use, or is about to be. */
const IN_USE: readonly string[] = ['reserved', 'bound', 'contested'];

/** Parts of the check of pools. */
export type PoolCheckParts = Pick<
  ServicesDoorParts,
  'clock' | 'logger' | 'meter' | 'cluster' | 'zones' | 'settings'
> & {
  readonly holders: PoolHolders;
};

/** One address and the Service that uses it. */
interface Held {
  readonly address: Address;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Checks a change of a MetalLB pool: what takes addresses out of it that Services use is refused, unless an annotation of the pool
 * allows it. A dry run is answered like the real call.
 *
 * @param parts - of the door, and the source of holders
 * @param request - an UPDATE or DELETE of a pool of ours
 * @returns the verdict; while the record does not answer, the stored Services alone decide
 */
export async function checkPool(parts: PoolCheckParts, request: AdmissionRequest): Promise<Verdict> {
  const before = readAddressPool(request.oldObject);
  if (before === undefined || request.kind !== 'IPAddressPool' || request.subResource !== '') return allow('not-ours');
  const after = request.operation === 'DELETE' ? undefined : readAddressPool(request.object);
  const isTaken = ({ address, namespace }: Held): boolean =>
    withdraws(before, after, { address, namespace }) &&
    !before.withdrawable.contains(address) &&
    after?.withdrawable.contains(address) !== true;
  // most changes of a pool take nothing out of it
  const all = [...shownHolders(parts, before), ...(await holdersInTime(parts, before.name))];
  const taken = distinct(all.filter(isTaken));
  return taken.length === 0 ? allow('verified') : deny(inUse(before, after, taken));
}

async function holdersInTime(parts: PoolCheckParts, pool: string): Promise<readonly Held[]> {
  const { clock, logger, meter, settings } = parts;
  const recorded = await withinDeadline(clock, settings.deadlineSeconds, (attempt) =>
    recordedHolders(parts, pool, attempt),
  );
  if (recorded.kind === 'done') return recorded.result;
  const { code } = refusalOfLate(meter, recorded);
  logger.warn(UNREAD, { pool, code });
  return [];
}

async function recordedHolders(
  { holders, cluster, zones, logger }: PoolCheckParts,
  pool: string,
  awaiting: Awaiting,
): Promise<readonly Held[]> {
  try {
    awaiting.awaits = 'api-server';
    const own = await cluster.clusterUid();
    awaiting.awaits = 'store';
    const network = zones.current().zone(pool)?.network ?? DEFAULT_NETWORK;
    const records = await holders.record.list({ by: 'pool', network, pool });
    return records.flatMap(({ address, holders: each }) =>
      each.flatMap(({ state, owner }) =>
        owner.cluster === own && owner.namespace !== '' && IN_USE.includes(state)
          ? [{ address, namespace: owner.namespace, name: owner.name }]
          : [],
      ),
    );
  } catch (thrown) {
    logger.warn(UNREAD, { pool, ...faultFields(thrown) });
    return [];
  }
}

// What MetalLB announces is in use, whatever the record says.
function shownHolders({ holders, settings }: PoolCheckParts, pool: PoolView): readonly Held[] {
  return holders.feed.list().flatMap((service) => {
    const spec = mapOf(service['spec']);
    if (spec['type'] !== LOAD_BALANCER || !isAnnouncedByMetalLb(service, pool, settings.loadBalancerClasses)) return [];
    const { namespace, name } = metadataOf(service);
    const owner = { namespace: textOf(namespace), name: textOf(name) };
    return ingressOf(service).map((address) => ({ address, ...owner }));
  });
}

function isAnnouncedByMetalLb(service: JsonMap, { name }: PoolView, classes: readonly string[]): boolean {
  const loadBalancerClass = textOf(mapOf(service['spec'])['loadBalancerClass']);
  if (loadBalancerClass === '' || classes.includes(loadBalancerClass)) return true;
  return mapOf(metadataOf(service)['annotations'])[METALLB_FROM_POOL] === name;
}

function ingressOf(service: JsonMap): readonly Address[] {
  return listOf(mapOf(mapOf(service['status'])['loadBalancer'])['ingress']).flatMap((entry) => {
    const parsed = parseAddress(textOf(mapOf(entry)['ip']));
    return parsed.ok ? [parsed.value] : [];
  });
}

function distinct(held: readonly Held[]): readonly Held[] {
  const byText = new Map(held.map((each) => [textOfHeld(each), each]));
  return [...byText.values()].toSorted((a, b) => a.address.compareTo(b.address) || (a.name < b.name ? -1 : 1));
}

const textOfHeld = ({ address, namespace, name }: Held): string => `${String(address)} of Service ${namespace}/${name}`;

function inUse(before: PoolView, after: PoolView | undefined, taken: readonly Held[]): Refusal {
  const named = taken.slice(0, MOST_NAMED).map(textOfHeld).join(', ');
  const more = taken.length > MOST_NAMED ? ` and ${String(taken.length - MOST_NAMED)} more` : '';
  const what = after === undefined ? 'deleting it' : 'this change';
  const order = 'set the zone to draining, move these Services, then change the pool';
  const command = `kubectl -n ${METALLB_NAMESPACE} annotate ipaddresspool ${before.name} "${POOL_WITHDRAW}=${spaceOf(before, after, taken)}"`;
  const message = `MetalLB pool "${before.name}": ${what} withdraws addresses that are in use: ${named}${more}; ${order}; to withdraw them all the same: ${command}`;
  return { code: 'pool/in-use', field: after === undefined ? 'metadata.name' : 'spec.addresses', message };
}

// The prefixes that go, where they are few; else the addresses that are in use, so that the text stays short.
function spaceOf(before: PoolView, after: PoolView | undefined, taken: readonly Held[]): string {
  const gone = after === undefined ? before.space : before.space.subtract(after.space);
  const prefixes = gone.prefixes().map(String);
  if (prefixes.length > 0 && prefixes.length <= MOST_PREFIXES) return prefixes.join(',');
  const builder = new PrefixSetBuilder();
  for (const { address } of taken) builder.add(address);
  const inUseSpace = builder.build().prefixes().map(String);
  return inUseSpace.length <= MOST_PREFIXES
    ? inUseSpace.join(',')
    : `${inUseSpace.slice(0, MOST_PREFIXES).join(',')},…`;
}
