import { EGRESS_GROUP, EGRESS_KEYS } from '../../contract/egress';
import type { JsonMap } from '../../contract/loose-json';
import { mapOf, metadataOf } from '../../contract/loose-json';
import { quoteValue } from '../../contract/quote';
import type { Refusal } from '../../errors/outcome';
import { notFound, whyNothingNew } from './decide-namespace';
import { judgeList } from './judge-list';
import { emptyOptIn, readNamespace } from './read-namespace';
import type { EgressReview } from './review-egress-ipam';
import type { EgressProblem, EgressView, HeldEgress } from './types';

/** Verb by which a user may opt namespaces in to an EgressIPAM. */
export const USE_VERB = 'use';

/** A change of the annotations of a Namespace. */
export interface NamespaceChange {
  readonly after: JsonMap;
  /** Undefined for a new one. */
  readonly before: JsonMap | undefined;
}

const AT = (key: string): string => `metadata.annotations[${key}]`;

/**
 * Tells which annotations of the Egress door a change sets.
 *
 * @param change - old and new Namespace
 * @param change.after - the new one
 * @param change.before - the old one
 * @returns keys that have another value now; those that are taken off ask for nothing
 */
export function keysSet({ after, before }: NamespaceChange): readonly string[] {
  const [now, old] = [after, before].map((each) => mapOf(metadataOf(each)['annotations']));
  return Object.values(EGRESS_KEYS).filter((key) => now?.[key] !== undefined && now[key] !== old?.[key]);
}

/**
 * Judges the annotations of a Namespace. Whether its author may use the EgressIPAM is asked elsewhere.
 *
 * @param after - the Namespace as it would be stored
 * @param held - what the record grants to a Namespace of its name
 * @param view - EgressIPAMs, and the use of addresses
 * @returns a wrong list as a problem; what keeps it waiting as a warning
 */
export function reviewNamespace(after: JsonMap, held: readonly HeldEgress[], view: EgressView): EgressReview {
  const namespace = readNamespace(after);
  const { egressIpam, list } = namespace;
  if (egressIpam === undefined) {
    const empty = emptyOptIn(after);
    const message = `${AT(EGRESS_KEYS.addresses)} has no effect without ${EGRESS_KEYS.egressIpam}`;
    return {
      problems: [],
      warnings: [...(empty === undefined ? [] : [empty]), ...(list.kind === 'none' ? [] : [message])],
    };
  }
  const plan = view.plan(egressIpam);
  const waits = plan === undefined ? notFound(egressIpam) : whyNothingNew(namespace, plan);
  if (plan === undefined || waits !== undefined) return told(waits);
  const judged = judgeList({ namespace, held, plan, view });
  return told(judged.ok ? undefined : judged.problem);
}

function told(problem: EgressProblem | undefined): EgressReview {
  if (problem === undefined) return { problems: [], warnings: [] };
  const { state, reason, message } = problem;
  // its labels may come later, and what it waits for may come too
  if (state === 'pending' || reason === 'NamespaceNotSelected') return { problems: [], warnings: [message] };
  const field = AT(EGRESS_KEYS.addresses);
  const text = message.startsWith(field) ? message : `${field}: ${message}`;
  return { problems: [{ code: 'egress/list', field, message: `${text} (${reason})` }], warnings: [] };
}

/**
 * Says that a user may not use an EgressIPAM.
 *
 * @param username - as the API server knows it
 * @param egressIpam - name of the EgressIPAM
 * @param keys - annotations that are set
 * @returns refusal `egress/forbidden`
 */
export function useForbidden(username: string, egressIpam: string, keys: readonly string[]): Refusal {
  const [field] = keys.map(AT);
  const message = `${field ?? ''}: ${quoteValue(username)} needs the right to ${USE_VERB} egressipams.${EGRESS_GROUP} ${quoteValue(egressIpam)}, to give a namespace its addresses`;
  return { code: 'egress/forbidden', message, ...(field === undefined ? {} : { field }) };
}
