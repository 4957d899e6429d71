import { EGRESS_KEYS } from '../../../contract/egress';
import { quoteValue } from '../../../contract/quote';
import type { EgressAddress, EgressExplanation } from '../../../contract/ipam-api/egress-pages';
import type { JsonMap } from '../../../contract/loose-json';
import { conditionOf, statusIn } from '../../../contract/stored-status';
import { conditionSentence } from '../../../ledger/views/condition-sentences';
import { optInOf, readNamespace } from '../../../rules/egress';
import type { EgressNamespace, EgressPlan } from '../../../rules/egress/types';
import type { EgressPagesParts } from './egress-pages-parts';
import { addressAnswer, hindranceOf, factsOf, type PageFacts } from './page-facts';
import { recordSentences } from './record-sentences';

/** Which object is explained, as it is asked for. */
export interface AskedObject {
  /** In small letters, such as `namespace`. */
  readonly kind: string;
  readonly name: string;
}

const UNKNOWN: EgressExplanation = { known: false, sentences: [], addresses: [] };

/**
 * Explains a Namespace or an EgressIPAM.
 *
 * @param parts - record, objects, dataplanes
 * @param asked - kind and name
 * @returns what the door knows of it; not known for another kind, and for what the door has nothing to do with
 */
export function objectPage(parts: EgressPagesParts, { kind, name }: AskedObject): EgressExplanation {
  if (kind === 'namespace') return namespacePage(factsOf(parts), name);
  return kind === 'egressipam' ? egressIpamPage(factsOf(parts), name) : UNKNOWN;
}

function namespacePage(facts: PageFacts, name: string): EgressExplanation {
  const addresses = answersWhere(facts, ({ namespace }) => namespace === name);
  const object = facts.parts.namespaces.get('', name);
  const namespace = object === undefined ? undefined : readNamespace(object);
  if (addresses.length === 0 && namespace?.egressIpam === undefined) return UNKNOWN;
  return {
    known: true,
    sentences: [
      ...(namespace === undefined ? [] : askedSentences(facts, namespace)),
      ...addresses.flatMap((each) => recordSentences(facts, each)),
    ],
    addresses,
  };
}

function askedSentences(facts: PageFacts, namespace: EgressNamespace): readonly string[] {
  const { name, egressIpam, isDying } = namespace;
  const text = `Namespace ${name}`;
  const dying = isDying ? [`${text} is being deleted, and keeps its addresses until it is gone`] : [];
  if (egressIpam === undefined) return [`${text} opts in to no EgressIPAM (${EGRESS_KEYS.egressIpam})`, ...dying];
  const hindrance = hindranceOf(facts, namespace);
  const state = hindrance === undefined ? [] : [`it waits (${hindrance.reason}): ${hindrance.message}`];
  return [`${text} opts in to EgressIPAM ${quoteValue(egressIpam)}`, ...dying, ...state];
}

function egressIpamPage(facts: PageFacts, name: string): EgressExplanation {
  const { parts, plans } = facts;
  const addresses = answersWhere(facts, ({ egressIpam }) => egressIpam === name);
  const [object, plan] = [parts.egressIpams.get('', name), plans.plan(name)];
  if (object !== undefined && plan !== undefined)
    return { known: true, sentences: planSentences(facts, plan, { object, addresses }), addresses };
  if (addresses.length === 0) return UNKNOWN;
  const lost = `no EgressIPAM ${name} is stored, but addresses on record are from it: ${String(addresses.length)}`;
  return { known: true, sentences: [lost], addresses };
}

function planSentences(
  { parts }: PageFacts,
  { name, pools, readiness, isDying, overlapsOtherDoor }: EgressPlan,
  { object, addresses }: { readonly object: JsonMap; readonly addresses: readonly EgressAddress[] },
): readonly string[] {
  const text = `EgressIPAM ${name}`;
  const status = statusIn(object);
  const ready = conditionOf(status, 'Ready');
  const overlaps = 'addresses of its CIDRs that a zone or an IPGroup of the same network has are not given out';
  const waiting = parts.namespaces.list().filter((object) => optInOf(object) === name).length;
  return [
    `${text} gives addresses of ${pools.length === 0 ? 'no CIDR' : pools.map(({ cidr }) => cidr).join(', ')}`,
    `namespaces that opt in to it: ${String(waiting)}; addresses on record: ${String(addresses.length)}`,
    ...(readiness.ok ? [] : [`it gives nothing new (${readiness.reason}): ${readiness.message}`]),
    conditionSentence(text, ready),
    ...(isDying ? [`${text} is being deleted, and waits until its namespaces gave their addresses back`] : []),
    ...(overlapsOtherDoor ? [overlaps] : []),
  ];
}

const answersWhere = (facts: PageFacts, isWanted: (answer: EgressAddress) => boolean): readonly EgressAddress[] =>
  facts.records.map((record) => addressAnswer(facts, record)).filter(isWanted);
