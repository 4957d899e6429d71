import { VIRTUAL_IP_STATES, type MigrationOrder, type VirtualIpView } from '../../../contract/kinds/virtual-ip';
import { VIRTUAL_IP_FINALIZERS } from '../../../contract/paas';
import { isIn } from '../../../addressing/address';
import { blockerOf, preparationOf, previewOf, type Blocker } from './checks';
import type { ExposedService, MigrationFacts, MigrationReason, MigrationStatus, MigrationStep } from './types';

const { valid, error, preparing, reassociating, cleaningUp, converting, assigning, migrated } = VIRTUAL_IP_STATES;
const REST: MigrationStep = { act: 'rest' };
const FINALIZERS: readonly string[] = Object.values(VIRTUAL_IP_FINALIZERS);

/** Steps of the migration by the state in which they are made. */
const STAGES: Readonly<Record<string, (facts: MigrationFacts) => MigrationStep>> = {
  [preparing]: prepare,
  [reassociating]: reassociate,
  [cleaningUp]: cleanUp,
  [converting]: convert,
  [assigning]: assign,
};
/** States up to which nothing is lost by going back. */
const EARLY: readonly string[] = [valid, preparing, reassociating];

/**
 * Decides the next step for one VirtualIP. The same facts always lead to the same step; a step that was carried out is never decided
 * again, so a process that ends after any write is followed by one that goes on.
 *
 * @param facts - the VirtualIP and everything that it touches, as it is stored now
 * @returns at most one write
 */
export function nextStep(facts: MigrationFacts): MigrationStep {
  const { virtualIp } = facts;
  if (heldBy(virtualIp).length === 0 && isOver(virtualIp)) return REST;
  if (isRestored(virtualIp)) return say(facts, DONE);
  if (virtualIp.isDying && isEnd(facts)) return end(facts);
  return ORDERS[virtualIp.order](facts);
}

/** Step that each order asks for. */
const ORDERS: Readonly<Record<MigrationOrder, (facts: MigrationFacts) => MigrationStep>> = {
  none: () => REST,
  'dry-run': (facts) => say(facts, { state: facts.virtualIp.state, ...previewOf(facts), reason: 'DryRun' }),
  rollback: (facts) => (isEarly(facts.virtualIp) ? rollBack(facts) : migrate(facts)),
  migrate,
};

const isOver = ({ isDying, state }: VirtualIpView): boolean => isDying || state === migrated;

// from a backup, without its status
const isRestored = (virtualIp: VirtualIpView): boolean =>
  virtualIp.isMarkedMigrated && virtualIp.state === '' && heldBy(virtualIp).length === 0;

const heldBy = ({ finalizers }: VirtualIpView): readonly string[] =>
  finalizers.filter((each) => FINALIZERS.includes(each));

/**
 * Tells the stage in which a migration goes on.
 *
 * @param virtualIp - with an order
 * @returns one of the states of the migration
 */
function stageOf({ state, resumeAt }: VirtualIpView): string {
  const at = state === error ? resumeAt : state;
  return at in STAGES ? at : preparing;
}

function isEarly(virtualIp: VirtualIpView): boolean {
  const { state } = virtualIp;
  return state !== migrated && EARLY.includes(state === valid ? valid : stageOf(virtualIp));
}

// A deletion waits for the end of a migration that was ordered, as long as there is a Service to migrate to.
function isEnd({ virtualIp, service }: MigrationFacts): boolean {
  const { order, state } = virtualIp;
  if (order === 'none' || order === 'dry-run') return true;
  if (order === 'rollback' && isEarly(virtualIp)) return false;
  if (service === undefined || service.isDying) return true;
  return stageOf(virtualIp) === assigning && state === error && !service.isLoadBalancer;
}

function end({ virtualIp, clone, holder }: MigrationFacts): MigrationStep {
  if (clone === 'stored') return { act: 'delete-clone' };
  if (clone === 'dying') return REST;
  if (holder.kind === 'virtual-ip' || (holder.kind === 'service' && holder.isReserved)) return { act: 'release' };
  const [finalizer] = heldBy(virtualIp);
  return finalizer === undefined ? REST : { act: 'let-go', finalizer };
}

function rollBack(facts: MigrationFacts): MigrationStep {
  const { virtualIp, holder } = facts;
  if (holder.kind === 'service' && holder.isReserved) return { act: 'hand-back' };
  if (virtualIp.state === valid) return { act: 'end-order' };
  return say(facts, {
    state: valid,
    message: 'the migration was taken back; nothing is changed',
    reason: 'RolledBack',
  });
}

function migrate(facts: MigrationFacts): MigrationStep {
  const { virtualIp } = facts;
  const { namespace, service, state } = virtualIp;
  if (state === valid || state === migrated) {
    return say(facts, progress(preparing, `it is being migrated to Service ${namespace}/${service}`));
  }
  return STAGES[stageOf(virtualIp)]?.(facts) ?? REST;
}

function prepare(facts: MigrationFacts): MigrationStep {
  const found = preparationOf(facts);
  if (found?.isWait === true) return say(facts, { state: preparing, message: found.message, reason: found.reason });
  if (found !== undefined) return fail(facts, preparing, found);
  if (!facts.virtualIp.finalizers.includes(VIRTUAL_IP_FINALIZERS.service)) return { act: 'hold' };
  return say(facts, progress(reassociating, 'its address is handed over to the Service'));
}

function reassociate(facts: MigrationFacts): MigrationStep {
  const { holder } = facts;
  const blocker = blockerOf(facts);
  const group = facts.group ?? (holder.kind === 'service' ? holder.group : undefined);
  if (blocker !== undefined || group === undefined) return fail(facts, reassociating, blocker);
  if (!isHandedOver(facts, group)) return { act: 'hand-over', group };
  return say(facts, progress(cleaningUp, 'the copy of the Service is taken away'));
}

function isHandedOver({ holder, service }: MigrationFacts, group: string): boolean {
  if (holder.kind !== 'service' || !holder.isBound || holder.group !== group) return false;
  return holder.isReserved || service?.isLoadBalancer === true;
}

// The record must have come to the Service before its copy goes: a Service that was made anew meanwhile is written to it first.
function lost(facts: MigrationFacts, at: string): MigrationStep | undefined {
  const { holder } = facts;
  const blocker = blockerOf(facts);
  if (blocker !== undefined) return fail(facts, at, blocker);
  if (holder.kind === 'service' && holder.isBound) return undefined;
  return say(
    facts,
    progress(reassociating, 'the Service is not the one that has the address; it is handed over again'),
  );
}

function cleanUp(facts: MigrationFacts): MigrationStep {
  const { virtualIp, clone } = facts;
  const problem = lost(facts, cleaningUp);
  if (problem !== undefined) return problem;
  // the other finalizer stays until the end, so that a deletion waits for it
  if (virtualIp.finalizers.includes(VIRTUAL_IP_FINALIZERS.ip))
    return { act: 'let-go', finalizer: VIRTUAL_IP_FINALIZERS.ip };
  if (clone === 'stored') return { act: 'delete-clone' };
  if (clone === 'dying') return REST;
  return say(facts, progress(converting, 'the Service becomes one of type LoadBalancer'));
}

function convert(facts: MigrationFacts): MigrationStep {
  const problem = lost(facts, converting);
  if (problem !== undefined) return problem;
  if (facts.service?.isLoadBalancer !== true) {
    const { obstacle } = facts;
    return obstacle === undefined
      ? { act: 'convert' }
      : fail(facts, converting, { reason: 'ServiceUnfit', message: obstacle });
  }
  return say(facts, progress(assigning, 'the Service gets the address'));
}

function assign(facts: MigrationFacts): MigrationStep {
  const { virtualIp, service } = facts;
  const { namespace, service: name, address, isAddressWished } = virtualIp;
  const blocker = blockerOf(facts);
  if (blocker !== undefined || service === undefined || address === undefined) return fail(facts, assigning, blocker);
  if (!service.isLoadBalancer) {
    const message = `Service ${namespace}/${name} is not of type LoadBalancer any more; change its type in its manifest, and here`;
    return fail(facts, assigning, { reason: 'ServiceChangedBack', message });
  }
  if (!isIn(address, service.shown)) return say(facts, progress(assigning, waitText(service)));
  if (!isAddressWished && service.isAddressRequested) return { act: 'clear-request' };
  if (heldBy(virtualIp).length > 0 || !virtualIp.isMarkedMigrated) return { act: 'finish' };
  return say(facts, DONE);
}

const waitText = ({ waitsFor }: ExposedService): string =>
  `the Service gets the address${waitsFor === undefined ? '' : `: ${waitsFor}`}`;

const DONE: MigrationStatus = {
  state: migrated,
  message: 'it has been migrated and can be deleted',
  reason: 'Migrated',
};

const progress = (state: string, message: string, reason: MigrationReason = 'InProgress'): MigrationStatus => ({
  state,
  message,
  reason,
});

function fail(facts: MigrationFacts, resumeAt: string, blocker: Blocker | undefined): MigrationStep {
  const { reason, message } = blocker ?? { reason: 'InProgress', message: 'it cannot go on' };
  return say(facts, { state: error, message, reason, resumeAt });
}

// What the status says already is not written again.
function say({ virtualIp }: MigrationFacts, status: MigrationStatus): MigrationStep {
  const { state, message, resumeAt, condition } = virtualIp;
  const isSaid =
    state === status.state &&
    message === status.message &&
    resumeAt === (status.resumeAt ?? '') &&
    condition?.reason === status.reason;
  return isSaid ? REST : { act: 'say', status };
}
