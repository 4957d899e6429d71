import type { EgressPlan } from '../../rules/egress/types';
import type { ServedNamespaces } from './states';

/** A condition of an EgressIPAM, without its time. */
export interface EgressCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** Everything else that the conditions tell of. */
interface ToldState {
  readonly served: ServedNamespaces;
  /** As the spec asks for it; empty where it does not. */
  readonly dataplane: string;
}

/**
 * Makes the conditions of an EgressIPAM: those of the older operator, of which one is true at a time, and ours.
 *
 * @param plan - of the EgressIPAM
 * @param told - namespaces and dataplane
 * @returns each type once
 */
export function conditionsOf(plan: EgressPlan, { served, dataplane }: ToldState): readonly EgressCondition[] {
  const { readiness } = plan;
  const carried = carriedBy(dataplane);
  const gives = readiness.ok
    ? { reason: 'Applied', message: 'namespaces are given addresses of every CIDR' }
    : { reason: readiness.reason, message: readiness.message };
  const isReady = readiness.ok && carried.is;
  return [
    condition('Ready', isReady, readiness.ok && !carried.is ? carried : gives),
    ...servedConditions(served),
    condition('DataplaneAvailable', carried.is, carried),
    ...(plan.overlapsOtherDoor ? [OVERLAPS] : []),
    ...oldConditions(readiness, served),
  ];
}

function servedConditions({ unserved, failed }: ServedNamespaces): readonly EgressCondition[] {
  const all = unserved.length + failed;
  const exhausted = unserved.find(({ problem }) => problem.reason === 'PoolExhausted');
  return [
    condition('Degraded', all > 0, {
      reason: all > 0 ? 'NamespacesUnserved' : 'AllServed',
      message: `namespaces that do not have what they ask for: ${String(all)}`,
    }),
    condition('CapacityExhausted', exhausted !== undefined, {
      reason: exhausted === undefined ? 'AddressesLeft' : 'PoolExhausted',
      message: exhausted?.problem.message ?? 'no namespace waits for a free address',
    }),
  ];
}

// Reasons as the older operator wrote them, to the letter.
function oldConditions(readiness: EgressPlan['readiness'], { failed }: ServedNamespaces): readonly EgressCondition[] {
  const failure = failed === 0 ? undefined : 'the work on a namespace failed and is tried again';
  const message = readiness.ok ? failure : readiness.message;
  return [
    condition('ReconcileSuccess', message === undefined, { reason: 'LastReconcileCycleSucceded', message: '' }),
    condition('ReconcileError', message !== undefined, { reason: 'LastReconcileCycleFailed', message: message ?? '' }),
  ];
}

type Why = Pick<EgressCondition, 'reason' | 'message'>;

const condition = (type: string, is: boolean, { reason, message }: Why): EgressCondition => ({
  ...{ type, status: is ? 'True' : 'False' },
  ...{ reason, message },
});

const OVERLAPS: EgressCondition = {
  ...{ type: 'OverlapsOtherDoor', status: 'True', reason: 'OtherDoorIsStronger' },
  message: 'addresses of the CIDRs that belong to a zone or an IPGroup of the same network are not given out here',
};

function carriedBy(dataplane: string): Why & { readonly is: boolean } {
  if (dataplane === 'none')
    return { is: true, reason: 'AnnotationOnly', message: 'addresses are written to the namespaces alone' };
  const message =
    'this version writes addresses to the namespaces alone and drives no dataplane; spec.dataplane: none says that this is meant';
  return { is: false, reason: 'NoDriver', message };
}
