import type { Address } from '../../../addressing/address';
import type { EgressExplanation, EgressHistory } from '../../../contract/ipam-api/egress-pages';
import { eventsAbout } from '../../../ledger/views/events-about';
import type { AddressRecord } from '../../../ports/claims';
import { poolAt } from '../../../rules/egress/judge-list';
import type { EgressPlan, EgressPool } from '../../../rules/egress/types';
import type { EgressPagesParts } from './egress-pages-parts';
import { addressAnswer, factsOf, type PageFacts } from './page-facts';
import { holderText } from '../facts/record';
import { recordSentences } from './record-sentences';

/**
 * Explains an address in every network: its Namespace and node, or whether it can be given.
 *
 * @param parts - record, objects, what the cluster shows
 * @param address - any address
 * @returns what the door knows of it; not known where it lies in no CIDR of an EgressIPAM and is not on record
 */
export function addressPage(parts: EgressPagesParts, address: Address): EgressExplanation {
  const facts = factsOf(parts);
  const records = recordsAt(facts, address);
  const plans = facts.plans.all().filter((plan) => poolAt(plan, address) !== undefined);
  const free = plans.filter(({ network }) => !records.some((record) => record.network === network));
  const addresses = records.map((record) => addressAnswer(facts, record));
  const sentences = [
    ...addresses.flatMap((each) => recordSentences(facts, each)),
    ...free.map((plan) => freeSentence(facts, plan, address)),
  ];
  const isKnown = sentences.length > 0;
  return {
    known: isKnown,
    sentences: isKnown ? sentences : [`${address.toString()} lies in no CIDR of an EgressIPAM`],
    addresses,
  };
}

/**
 * Tells the past of an address, as far as the cluster knows it: an AddressClaim has its present holder, and Events name the address for
 * a while.
 *
 * @param parts - record and Events
 * @param address - any address
 * @returns its claims, and the Events of this operator that name it
 * @throws IpamError `cluster/unavailable`
 */
export async function historyPage(parts: EgressPagesParts, address: Address): Promise<EgressHistory> {
  const facts = factsOf(parts);
  const addresses = recordsAt(facts, address).map((record) => addressAnswer(facts, record));
  return { addresses, events: await eventsAbout(parts.recordedEvents, address) };
}

const recordsAt = ({ records }: PageFacts, address: Address): readonly AddressRecord[] =>
  records.filter((record) => record.address.equals(address));

function freeSentence(facts: PageFacts, plan: EgressPlan, address: Address): string {
  const pool = poolAt(plan, address);
  const text = address.toString();
  const place = `${pool?.cidr ?? ''} of EgressIPAM ${plan.name}`;
  const why = pool === undefined ? undefined : whyNotGiven(facts, { plan, pool, address });
  if (why !== undefined) return `${text} of ${place} ${why}`;
  if (!plan.readiness.ok) return `${text} of ${place} is free, and is not given: ${plan.readiness.message}`;
  return `${text} is free in ${place}`;
}

interface Spot {
  readonly plan: EgressPlan;
  readonly pool: EgressPool;
  readonly address: Address;
}

function whyNotGiven({ parts, inUse }: PageFacts, { plan, pool, address }: Spot): string | undefined {
  const other = parts.known.at({ network: plan.network, address });
  if (other !== undefined && other.door !== 'egress') return `is held by ${holderText(other)}`;
  const source = inUse.sourceAt(address, { network: plan.network });
  if (source !== undefined) return `is in use by ${source}`;
  if (pool.reserved.contains(address)) return 'is reserved';
  return pool.usable.contains(address) ? undefined : 'belongs to a pool of another front door';
}
