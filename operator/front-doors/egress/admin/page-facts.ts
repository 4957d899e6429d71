import { PrefixSet } from '../../../addressing/prefix-set';
import type { EgressAddress } from '../../../contract/ipam-api/egress-pages';
import { listOf, mapOf, textOf } from '../../../contract/loose-json';
import { optionalField } from '../../../contract/optional-field';
import { statusIn } from '../../../contract/stored-status';
import type { AddressRecord } from '../../../ports/claims';
import type { EgressDataplane } from '../../../ports/egress-dataplane';
import { decideNamespace, outcomeOf } from '../../../rules/egress';
import type { EgressNamespace, EgressPool } from '../../../rules/egress/types';
import type { EgressPagesParts } from './egress-pages-parts';
import { InUse } from '../facts/in-use';
import { EgressPlans } from '../facts/plans';
import { egressRecords, heldBy } from '../facts/record';
import { viewOf, type ViewedContext } from '../facts/view';

/** What the cluster has at the time of one page. The page of any process tells the same, whether it leads or not. */
export interface PageFacts extends ViewedContext {
  readonly parts: EgressPagesParts;
  /** Claims of the door, in each network the lowest address first; those whose quarantine is over are left out. */
  readonly records: readonly AddressRecord[];
  /** Names of the nodes that carry an address, by its text. */
  readonly nodes: ReadonlyMap<string, string>;
  /** Free addresses of each CIDR that was asked for; many namespaces ask for the same. */
  readonly free: Map<EgressPool, bigint>;
}

/** Why a namespace does not have what it asks for. */
export interface Hindrance {
  readonly reason: string;
  readonly message: string;
}

/**
 * Looks at record and cluster for one page.
 *
 * @param parts - record, objects, dataplanes
 * @returns all that pages are made of
 * @remarks O(namespaces and claims).
 */
export function factsOf(parts: EgressPagesParts): PageFacts {
  const plans = new EgressPlans(parts);
  const nowMs = parts.clock.nowMs();
  const records = recordsIn(parts, plans).filter(({ quarantine }) => (quarantine?.untilMs ?? Infinity) > nowMs);
  const carried = parts.dataplanes.open().flatMap((dataplane) => dataplane.placed());
  return {
    parts,
    plans,
    inUse: new InUse(parts, plans),
    isGiving: true,
    records,
    // of an address on two nodes the confirmed place comes first
    nodes: new Map(carried.toReversed().map(({ address, node }) => [address.toString(), node])),
    free: new Map(),
  };
}

// Those in quarantine have no holder to be found by. Of an EgressIPAM that is gone they are in the network of another, or in the default one.
function recordsIn({ known }: EgressPagesParts, plans: EgressPlans): readonly AddressRecord[] {
  const networks = [...plans.all(), ...egressRecords(known)].map(({ network }) => network);
  return [...new Set(['default', ...networks])]
    .flatMap((network) => known.within(network, PrefixSet.EVERYTHING))
    .filter(({ door }) => door === 'egress');
}

/**
 * Shows an address on record.
 *
 * @param facts - of the page
 * @param record - of the door
 * @returns the answer about it
 */
export function addressAnswer({ nodes }: Pick<PageFacts, 'nodes'>, record: AddressRecord): EgressAddress {
  const { network, pool: egressIpam, holders, quarantine } = record;
  const address = record.address.toString();
  const holder = quarantine?.former ?? holders[0];
  const held = {
    address,
    network,
    egressIpam,
    namespace: holder?.owner.name ?? '',
    since: new Date(holder?.sinceMs ?? record.takenAtMs).toISOString(),
  };
  if (quarantine === undefined) return { ...held, state: 'held', ...optionalField('node', nodes.get(address)) };
  const until = Number.isFinite(quarantine.untilMs) ? { until: new Date(quarantine.untilMs).toISOString() } : {};
  return { ...held, state: 'quarantined', ...until };
}

/**
 * Tells why a namespace does not have what it asks for: what the door decides now, or else what the process that leads has written to the status
 * of the EgressIPAM, such as that a CIDR is full.
 *
 * @param facts - of the page
 * @param namespace - the stored one
 * @returns undefined for one that has everything
 */
export function hindranceOf(facts: PageFacts, namespace: EgressNamespace): Hindrance | undefined {
  const { parts, plans } = facts;
  const asking = { namespace, held: heldBy(parts.known, namespace) };
  const decision = decideNamespace(asking, viewOf(facts, namespace.name));
  const plan = plans.plan(namespace.egressIpam ?? '');
  const network = plan?.network ?? '';
  // as if each CIDR gave its lowest free address
  const filled = decision.slots.map(({ pool }) => (freeIn(facts, network, pool) > 0n ? pool.prefix.first : undefined));
  const { problem } = outcomeOf(asking, decision, { filled, plan });
  if (problem !== undefined || decision.slots.length === 0) return problem;
  const status = statusIn(parts.egressIpams.get('', namespace.egressIpam ?? '') ?? {});
  const written = listOf(status['unserved'])
    .map(mapOf)
    .find((each) => each['namespace'] === namespace.name);
  if (written !== undefined) return { reason: textOf(written['reason']), message: textOf(written['message']) };
  return { reason: 'Pending', message: 'it was not looked at yet' };
}

/**
 * Counts the addresses of a CIDR that can be given now.
 *
 * @param facts - of the page
 * @param network - of the EgressIPAM
 * @param pool - the CIDR
 * @returns the number
 */
export function freeIn(
  { records, inUse, free }: Pick<PageFacts, 'records' | 'inUse' | 'free'>,
  network: string,
  pool: EgressPool,
): bigint {
  const known = free.get(pool);
  if (known !== undefined) return known;
  const taken = records.filter((record) => record.network === network && pool.prefix.contains(record.address));
  const count = inUse.freeOf(pool, { network, held: taken.map(({ address }) => address) });
  free.set(pool, count);
  return count;
}

/**
 * Finds what carries the addresses of an EgressIPAM.
 *
 * @param parts - dataplanes and EgressIPAMs
 * @param egressIpam - its name
 * @returns undefined where its addresses are written to namespaces alone
 */
export function dataplaneOf(
  { dataplanes, egressIpams }: Pick<EgressPagesParts, 'dataplanes' | 'egressIpams'>,
  egressIpam: string,
): EgressDataplane | undefined {
  const asked = textOf(mapOf(egressIpams.get('', egressIpam)?.['spec'])['dataplane']);
  const choice = dataplanes.choose(asked === '' ? 'auto' : asked);
  return choice.kind === 'driver' ? choice.dataplane : undefined;
}
