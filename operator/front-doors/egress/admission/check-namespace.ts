import type { ApiUser } from '../../../contract/api-user';
import type { AdmissionRequest } from '../../../contract/admission-review';
import { EGRESS_GROUP, NAMESPACE } from '../../../contract/egress';
import { EGRESS_IPAM } from '../../../contract/kinds/egress-ipam';
import { isMap, type JsonMap } from '../../../contract/loose-json';
import { refusalOf } from '../../../errors/ipam-error';
import { isOutage } from '../../../errors/outage';
import type { Refusal } from '../../../errors/outcome';
import { faultFields } from '../../../errors/trace';
import { allow, deny, type Verdict } from '../../../reviews/verdict';
import { keysSet, readNamespace, reviewNamespace, USE_VERB, useForbidden } from '../../../rules/egress';
import type { EgressNamespace } from '../../../rules/egress/types';
import { heldBy } from '../facts/record';
import { viewOf } from '../facts/view';
import { verdictOf, type EgressAdmissionParts } from './admission-parts';

const UNASKED = 'rights could not be asked for; the namespace is admitted, and the EgressIPAM gives it addresses';

/**
 * Checks what a Namespace asks of the Egress door: first whether its author may, then its list. Nothing is written, so a dry run is judged as
 * the real call.
 *
 * @param parts - of the door
 * @param request - CREATE or UPDATE of a Namespace, or of its status
 * @returns the verdict
 */
export async function checkNamespace(parts: EgressAdmissionParts, request: AdmissionRequest): Promise<Verdict> {
  const { object: after, oldObject } = request;
  if (request.kind !== NAMESPACE.kind || !isMap(after)) return allow('not-ours');
  const before = isMap(oldObject) ? oldObject : undefined;
  const keys = keysSet({ after, before });
  const namespace = readNamespace(after);
  if (keys.length === 0 || namespace.isDying) return allow('unchanged');
  const right = await askRight(parts, request.user, { namespace, keys });
  return right.refusal === undefined ? withWarnings(judge(parts, after), right.warnings) : deny(right.refusal);
}

/** Answer about a right, with what is told to the user beside it. */
interface Right {
  readonly refusal?: Refusal;
  readonly warnings: readonly string[];
}

async function askRight(
  { access, whenUnavailable, tools }: EgressAdmissionParts,
  user: ApiUser,
  { namespace, keys }: { readonly namespace: EgressNamespace; readonly keys: readonly string[] },
): Promise<Right> {
  const { egressIpam: name } = namespace;
  if (access === undefined || name === undefined) return { warnings: [] };
  const wanted = { verb: USE_VERB, group: EGRESS_GROUP, resource: EGRESS_IPAM.plural, name };
  try {
    const allowed = await access.allows(user, wanted);
    return allowed.ok ? { warnings: [] } : { refusal: useForbidden(user.username, name, keys), warnings: [] };
  } catch (thrown) {
    if (!isOutage(thrown)) throw thrown;
    if (whenUnavailable === 'deny') return { refusal: refusalOf(thrown), warnings: [] };
    tools.logger.warn(UNASKED, { namespace: namespace.name, ...faultFields(thrown) });
    return { warnings: [UNASKED] };
  }
}

// The list is judged by what this process knows; the controller judges it again.
function judge({ state }: EgressAdmissionParts, after: JsonMap): Verdict {
  const namespace = readNamespace(after);
  const held = heldBy(state.parts.known, namespace);
  return verdictOf(reviewNamespace(after, held, viewOf(state, namespace.name)));
}

function withWarnings(verdict: Verdict, warnings: readonly string[]): Verdict {
  if (!verdict.allowed || warnings.length === 0) return verdict;
  return { ...verdict, warnings: [...warnings, ...(verdict.warnings ?? [])] };
}
