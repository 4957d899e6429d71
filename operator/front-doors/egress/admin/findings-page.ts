import { EGRESS_FINALIZER, OLD_EGRESS_FINALIZER } from '../../../contract/egress';
import { firstFindings, type DoorFinding, type DoorFindings } from '../../../contract/ipam-api/door-pages';
import { metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { conditionOf, statusIn } from '../../../contract/stored-status';
import { otherFinalizers, sinceText } from '../../../ledger/views/condition-sentences';
import { readNamespace } from '../../../rules/egress';
import type { EgressNamespace } from '../../../rules/egress/types';
import type { EgressPagesParts } from './egress-pages-parts';
import { addressAnswer, dataplaneOf, freeIn, hindranceOf, factsOf, type PageFacts } from './page-facts';
import { notReleasedText } from '../facts/held-back';
import { heldBy } from '../facts/record';
import { unseenAt } from '../facts/seen-dataplanes';

/**
 * Looks at everything of the door that may need a person.
 *
 * @param parts - record, objects, dataplanes
 * @returns the findings, those about EgressIPAMs first
 * @remarks O(namespaces and claims).
 */
export function findingsPage(parts: EgressPagesParts): DoorFindings {
  const facts = factsOf(parts);
  const ipams = parts.egressIpams.list();
  const optedIn = parts.namespaces
    .list()
    .map(readNamespace)
    .filter(({ egressIpam }) => egressIpam !== undefined);
  return {
    check: 'EgressIPAMs',
    well: `${String(ipams.length)} EgressIPAMs are ready, and ${String(optedIn.length)} namespaces have what they ask for, with ${String(facts.records.length)} addresses on record`,
    counted: 'ipam_egress_',
    findings: [
      ...firstFindings(ipams.flatMap((object) => notReady(facts, object))),
      ...firstFindings(full(facts)),
      ...firstFindings(ipams.flatMap(finalizerFindings)),
      ...firstFindings(optedIn.flatMap((namespace) => waiting(facts, namespace))),
      ...firstFindings(optedIn.flatMap((namespace) => withoutRecord(facts, namespace))),
      ...firstFindings(withoutNamespace(facts)),
      ...firstFindings(notDriven(facts)),
      ...firstFindings(unplaced(facts)),
    ],
  };
}

const checkOf = (object: JsonMap): string => `EgressIPAM ${textOf(metadataOf(object)['name'])}`;

function notReady({ plans }: PageFacts, object: JsonMap): readonly DoorFinding[] {
  const { name, deletionTimestamp } = metadataOf(object);
  if (deletionTimestamp !== undefined) return [];
  const check = checkOf(object);
  const plan = plans.plan(textOf(name));
  const overlaps = 'has CIDRs of which a part belongs to a zone or an IPGroup of the same network';
  const over: readonly DoorFinding[] =
    plan?.overlapsOtherDoor === true ? [{ verdict: 'watch', check, finding: overlaps }] : [];
  if (plan?.readiness.ok === false) {
    const { reason, message } = plan.readiness;
    return [{ verdict: 'bad', check, finding: `gives nothing new (${reason}): ${message}` }, ...over];
  }
  const ready = conditionOf(statusIn(object), 'Ready');
  if (ready?.['status'] !== 'False') return over;
  return [{ verdict: 'bad', check, finding: `is not ready ${sinceText(ready)}` }, ...over];
}

// A full CIDR keeps no namespace from its addresses yet; namespaces that wait for it are findings of their own.
function full(facts: PageFacts): readonly DoorFinding[] {
  return facts.plans.all().flatMap(({ name, network, pools, readiness }) =>
    pools
      .filter((pool) => readiness.ok && freeIn(facts, network, pool) === 0n)
      .map(({ cidr }): DoorFinding => ({
        verdict: 'watch',
        check: `EgressIPAM ${name}`,
        finding: `is full in ${cidr}: a new namespace finds no free address`,
      })),
  );
}

function finalizerFindings(object: JsonMap): readonly DoorFinding[] {
  const others = otherFinalizers(object, EGRESS_FINALIZER);
  const check = checkOf(object);
  if (metadataOf(object)['deletionTimestamp'] !== undefined) {
    const until = 'until its namespaces gave their addresses back';
    const waits = others.length === 0 ? until : `${until}, and for the finalizers ${others.join(', ')} too`;
    return [{ verdict: 'watch', check, finding: `is being deleted, and waits ${waits}` }];
  }
  const old = others.filter((each) => each === OLD_EGRESS_FINALIZER);
  const finding = `has the finalizer ${OLD_EGRESS_FINALIZER} of the older operator`;
  return old.length === 0 ? [] : [{ verdict: 'watch', check, finding }];
}

function waiting(facts: PageFacts, namespace: EgressNamespace): readonly DoorFinding[] {
  const hindrance = hindranceOf(facts, namespace);
  if (hindrance === undefined) return [];
  const { reason, message } = hindrance;
  return [{ verdict: 'bad', check: `Namespace ${namespace.name}`, finding: `waits (${reason}): ${message}` }];
}

function withoutRecord({ parts }: PageFacts, namespace: EgressNamespace): readonly DoorFinding[] {
  const { name, list } = namespace;
  const held = heldBy(parts.known, namespace);
  if (list.kind !== 'listed') return [];
  const lost = list.addresses.filter((address) => !held.some((each) => each.address.equals(address)));
  const finding = `lists ${lost.join(', ')}, which is not on record for it`;
  return lost.length === 0 ? [] : [{ verdict: 'watch', check: `Namespace ${name}`, finding }];
}

function withoutNamespace({ parts, records, nodes }: PageFacts): readonly DoorFinding[] {
  return records.flatMap((record): readonly DoorFinding[] => {
    const { address, state, namespace } = addressAnswer({ nodes }, record);
    if (state !== 'held' || parts.namespaces.get('', namespace) !== undefined) return [];
    const end = unseenAt(parts, record).length > 0 ? 'stays so' : 'is given back with the next comparison';
    const finding = `is on record for Namespace ${namespace}, which is not stored, and ${end}`;
    return [{ verdict: 'watch', check: `AddressClaim ${address}`, finding }];
  });
}

// One finding for each dataplane, whose addresses are all told alike.
function notDriven({ parts, records }: PageFacts): readonly DoorFinding[] {
  const counts = new Map<string, { readonly first: string; readonly count: number }>();
  for (const record of records.filter(({ state }) => state === 'held'))
    for (const name of unseenAt(parts, record)) {
      const { first = record.address.toString(), count = 0 } = counts.get(name) ?? {};
      counts.set(name, { first, count: count + 1 });
    }
  return [...counts].map(([name, { first, count }]) => ({
    verdict: 'watch',
    check: `dataplane ${name}`,
    finding: `may have ${String(count)} of the addresses on record, and is not driven; ${notReleasedText(first, [name])}`,
  }));
}

function unplaced({ parts, records, nodes }: PageFacts): readonly DoorFinding[] {
  return records.flatMap((record): readonly DoorFinding[] => {
    const { address, egressIpam, namespace, state, node } = addressAnswer({ nodes }, record);
    const dataplane = state === 'held' && node === undefined ? dataplaneOf(parts, egressIpam) : undefined;
    if (dataplane === undefined) return [];
    const problem = dataplane.problemOf(namespace);
    const why = problem === undefined ? '' : ` (${problem.reason}): ${problem.message}`;
    return [
      { verdict: 'bad', check: `Namespace ${namespace}`, finding: `has ${address}, which no node carries${why}` },
    ];
  });
}
