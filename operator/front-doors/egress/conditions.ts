import type { Address } from '../../addressing/address';
import { EGRESS_KEYS } from '../../contract/egress';
import type { EgressPlan, EgressProblem } from '../../rules/egress/types';
import type { CarrierView } from './facts/carrier';
import { heldBackText, type HeldBack } from './facts/held-back';
import type { ServedNamespaces } from './facts/states';

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
  readonly view: CarrierView;
  /** Addresses of it that are to be released. */
  readonly heldBack: readonly HeldBack[];
  /** Addresses that keep it from going, since their namespaces wait for another EgressIPAM. */
  readonly moving: readonly MovingAddress[];
}

/** An address that its namespace keeps until another EgressIPAM has given it one. */
interface MovingAddress {
  readonly address: Address;
  readonly namespace: string;
  /** The other one. */
  readonly egressIpam: string;
  /** Why it has given none. */
  readonly problem?: EgressProblem;
}

/**
 * Makes the conditions of an EgressIPAM: those of the older operator, of which one is true at a time, and ours.
 *
 * @param plan - of the EgressIPAM
 * @param told - namespaces, and what carries the addresses
 * @returns each type once
 */
export function conditionsOf(
  plan: EgressPlan,
  { served, view, heldBack, moving }: ToldState,
): readonly EgressCondition[] {
  const { readiness } = plan;
  const carried = carriedBy(view);
  return [
    condition('Ready', ...readyWhy(plan, view)),
    ...servedConditions(served, view),
    condition('DataplaneAvailable', carried.is, carried),
    ...(view.isSelectionAdvisory ? [ADVISORY] : []),
    ...heldBackConditions(heldBack),
    ...movingConditions(moving),
    ...(plan.overlapsOtherDoor ? [OVERLAPS] : []),
    ...oldConditions(readiness, served),
  ];
}

function readyWhy({ readiness }: EgressPlan, view: CarrierView): readonly [boolean, Why] {
  const carried = carriedBy(view);
  if (!readiness.ok) return [false, readiness];
  if (!carried.is) return [false, carried];
  const [first] = view.unplaced;
  if (first === undefined)
    return [true, { reason: 'Applied', message: 'namespaces are given addresses of every CIDR' }];
  const count = String(view.unplaced.length);
  return [
    false,
    { reason: 'AddressesUnplaced', message: `addresses that are on no usable node: ${count}; ${first.message}` },
  ];
}

function servedConditions(
  { unserved, failed }: ServedNamespaces,
  { unplaced }: CarrierView,
): readonly EgressCondition[] {
  const names = new Set([...unserved, ...unplaced].map(({ namespace }) => namespace));
  const all = names.size + failed;
  const exhausted = unserved.find(({ problem }) => problem.reason === 'PoolExhausted')?.problem;
  const full = exhausted ?? unplaced.find(({ reason }) => reason === 'NodesFull');
  return [
    condition('Degraded', all > 0, {
      reason: all > 0 ? 'NamespacesUnserved' : 'AllServed',
      message: `namespaces that do not have what they ask for: ${String(all)}`,
    }),
    condition(
      'CapacityExhausted',
      full !== undefined,
      full ?? { reason: 'AddressesLeft', message: 'no namespace waits for a free address or node' },
    ),
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

function heldBackConditions(heldBack: readonly HeldBack[]): readonly EgressCondition[] {
  const [first] = heldBack;
  if (first === undefined) return [];
  const message = `addresses that are to be released and are not: ${String(heldBack.length)}; ${heldBackText(first)} (Namespace ${first.namespace})`;
  return [condition('ReleaseHeld', true, { reason: 'DataplaneNotDriven', message })];
}

function movingConditions(moving: readonly MovingAddress[]): readonly EgressCondition[] {
  const [first] = moving;
  if (first === undefined) return [];
  const { address, namespace, egressIpam, problem } = first;
  const why = problem === undefined ? 'it was not looked at yet' : `${problem.message} (${problem.reason})`;
  const cure = `take ${EGRESS_KEYS.egressIpam} off the namespace to let it go`;
  const message = `addresses that are kept until another EgressIPAM gives one: ${String(moving.length)}; Namespace ${namespace} keeps ${address.toString()} and waits for EgressIPAM ${egressIpam}: ${why}; ${cure}`;
  return [condition('DeletionHeld', true, { reason: 'NamespacesMove', message })];
}

type Why = Pick<EgressCondition, 'reason' | 'message'>;

const condition = (type: string, is: boolean, { reason, message }: Why): EgressCondition => ({
  type,
  status: is ? 'True' : 'False',
  reason,
  message,
});

const OVERLAPS: EgressCondition = {
  type: 'OverlapsOtherDoor',
  status: 'True',
  reason: 'OtherDoorIsStronger',
  message: 'addresses of the CIDRs that belong to a zone or an IPGroup of the same network are not given out here',
};

const ADVISORY: EgressCondition = {
  type: 'NodeSelectionAdvisory',
  status: 'True',
  reason: 'SubnetIsShared',
  message:
    'the dataplane chooses the nodes by their subnets, and may put addresses of one CIDR on nodes of another one',
};

function carriedBy({ choice, problem }: CarrierView): Why & { readonly is: boolean } {
  switch (choice.kind) {
    case 'none':
      return { is: true, reason: 'AnnotationOnly', message: 'addresses are written to the namespaces alone' };
    case 'missing':
      return { is: false, reason: choice.reason, message: choice.message };
    case 'driver':
      return problem === undefined
        ? { is: true, reason: 'DataplaneServes', message: `${choice.dataplane.name} carries the addresses` }
        : { is: false, reason: 'DataplaneUnknown', message: problem };
  }
}
