import { MIGRATED_CONDITION, VIRTUAL_IP, VIRTUAL_IP_API, VIRTUAL_IP_STATES } from '../../../contract/kinds/virtual-ip';
import { listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { IP_NETWORK, MIGRATION_KEYS, VIRTUAL_IP_FINALIZERS } from '../../../contract/paas';
import type { Outcome } from '../../../errors/outcome';
import type { ObjectKey } from '../../../ports/object-feed';
import type { MigrationStatus, MigrationStep } from '../../../rules/vips/migration/types';
import { conditionTime } from '../../../runtime/condition-time';
import { afterWrite } from '../../../errors/after-write';
import { converted, type Gathered } from './facts';
import { handedBack, handedOver, type IpChange } from './ip-object';
import type { MigrationParts } from './migration-parts';

/**
 * Carries out one step. Each write names the version that was decided on, so that a step which something else overtook is decided anew.
 *
 * @param parts - writers
 * @param gathered - what was decided on
 * @param step - the decision
 * @returns true where it was done; false where it has to wait a moment
 * @throws IpamError where the cluster does not answer, or refuses a write for a reason that no second look ends
 */
export async function carryOut(parts: MigrationParts, gathered: Gathered, step: Write): Promise<boolean> {
  if (step.act === 'convert' && !isKnown(parts, gathered)) return false;
  // whatever its result, everything is read anew
  afterWrite(await write(parts, gathered, step));
  return true;
}

type Write = Exclude<MigrationStep, { readonly act: 'rest' }>;
type Act<A extends Write['act']> = Extract<Write, { readonly act: A }>;

/** Write of each step. */
const WRITES: {
  readonly [A in Write['act']]: (parts: MigrationParts, gathered: Gathered, step: Act<A>) => Promise<Outcome<unknown>>;
} = {
  say: (parts, gathered, { status }) => say(parts, gathered, status),
  hold: (parts, gathered) =>
    changeVirtualIp(parts, gathered, ({ finalizers }) => ({
      finalizers: [...listOf(finalizers), VIRTUAL_IP_FINALIZERS.service],
    })),
  'let-go': (parts, gathered, { finalizer }) =>
    changeVirtualIp(parts, gathered, ({ finalizers }) => ({
      finalizers: listOf(finalizers).filter((each) => each !== finalizer),
    })),
  finish: (parts, gathered) => changeVirtualIp(parts, gathered, finished),
  'end-order': (parts, gathered) =>
    changeVirtualIp(parts, gathered, ({ annotations }) => {
      const { [MIGRATION_KEYS.migrate]: _order, ...rest } = mapOf(annotations);
      return { annotations: rest };
    }),
  'hand-over': (parts, gathered, { group }) => handOver(parts, gathered, group),
  'hand-back': (parts, gathered) => writeIp(parts, gathered, handedBack),
  release: (parts, { objects }) => deleted(parts.ipWriter, objects.ip),
  'delete-clone': (parts, { objects }) => deleted(parts.serviceWriter, objects.clone),
  convert: (parts, gathered) =>
    changeService(parts, gathered, (service) => converted(parts, gathered.facts.virtualIp, service)),
  'clear-request': (parts, gathered) =>
    changeService(parts, gathered, (service) => {
      const { loadBalancerIP: _request, ...spec } = mapOf(service['spec']);
      return { ...service, spec };
    }),
};

const write = <A extends Write['act']>(
  parts: MigrationParts,
  gathered: Gathered,
  step: Act<A> & { readonly act: A },
): Promise<Outcome<unknown>> => WRITES[step.act](parts, gathered, step);

// The VIPs door decides by what the watch told it, and is not to meet a Service whose address it does not know yet.
function isKnown({ known }: MigrationParts, { facts, objects }: Gathered): boolean {
  const { address } = facts.virtualIp;
  const uid = metadataOf(objects.service)['uid'];
  if (address === undefined) return false;
  return known.at({ network: IP_NETWORK, address })?.holders.some(({ owner }) => owner.uid === uid) === true;
}

const gone: Outcome<unknown> = { ok: true, value: undefined };

function keyOf(object: JsonMap): ObjectKey {
  const { namespace, name, uid } = metadataOf(object);
  return { namespace: textOf(namespace), name: textOf(name), uid: textOf(uid) };
}

const versionOf = (object: JsonMap) => ({ resourceVersion: textOf(metadataOf(object)['resourceVersion']) });

function deleted(
  writer: Pick<MigrationParts['ipWriter'], 'delete'>,
  object: JsonMap | undefined,
): Promise<Outcome<unknown>> {
  return object === undefined ? Promise.resolve(gone) : writer.delete(keyOf(object), versionOf(object));
}

function changeVirtualIp(
  { virtualIpWriter }: MigrationParts,
  { objects }: Gathered,
  change: (metadata: JsonMap) => JsonMap,
): Promise<Outcome<unknown>> {
  const metadata = metadataOf(objects.virtualIp);
  return virtualIpWriter.replace({ ...objects.virtualIp, metadata: { ...metadata, ...change(metadata) } });
}

function finished({ finalizers, annotations }: JsonMap): JsonMap {
  const ours: readonly unknown[] = Object.values(VIRTUAL_IP_FINALIZERS);
  return {
    finalizers: listOf(finalizers).filter((each) => !ours.includes(each)),
    annotations: { ...mapOf(annotations), [MIGRATION_KEYS.migrated]: 'true' },
  };
}

function changeService(
  { serviceWriter }: MigrationParts,
  { objects }: Gathered,
  change: (service: JsonMap) => JsonMap,
): Promise<Outcome<unknown>> {
  const { service } = objects;
  return service === undefined ? Promise.resolve(gone) : serviceWriter.replace(change(service));
}

function handOver(parts: MigrationParts, gathered: Gathered, group: string): Promise<Outcome<unknown>> {
  const { service } = gathered.objects;
  if (service === undefined) return Promise.resolve(gone);
  const { name, uid } = keyOf(service);
  return writeIp(parts, gathered, (change) => handedOver(change, { name, uid }, group));
}

function writeIp(
  { ipWriter, clock }: MigrationParts,
  { facts, objects }: Gathered,
  made: (change: IpChange) => JsonMap,
): Promise<Outcome<unknown>> {
  const { virtualIp } = facts;
  const { address } = virtualIp;
  if (address === undefined) return Promise.resolve(gone);
  const before = objects.ip;
  const object = made({ before, address, virtualIp, now: new Date(clock.nowMs()).toISOString() });
  return before === undefined ? ipWriter.create(object) : ipWriter.replace(object);
}

/** Longest message that a condition has. */
const MAX_MESSAGE = 1024;

async function say(
  parts: MigrationParts,
  { facts, objects }: Gathered,
  status: MigrationStatus,
): Promise<Outcome<unknown>> {
  const isDone = status.state === VIRTUAL_IP_STATES.migrated;
  const { state, message, resumeAt = null } = status;
  const patch = {
    status: {
      state,
      message,
      resumeAt,
      conditions: [conditionOf(parts, facts, status)],
      ...(isDone ? { keepalivedGroup: null, gsm: null, clonedService: null } : {}),
    },
  };
  const key = keyOf(objects.virtualIp);
  const outcome = await parts.virtualIpWriter.patchStatus(key, patch, versionOf(objects.virtualIp));
  if (outcome.ok) await tell(parts, key, status);
  return outcome;
}

function conditionOf(
  { clock }: MigrationParts,
  { virtualIp }: Gathered['facts'],
  { state, message, reason }: MigrationStatus,
) {
  const status = state === VIRTUAL_IP_STATES.migrated ? 'True' : 'False';
  const { condition: before } = virtualIp;
  const now = conditionTime(clock.nowMs());
  const lastTransitionTime = before?.status === status ? before.since : now;
  return { type: MIGRATED_CONDITION, status, reason, message: message.slice(0, MAX_MESSAGE), lastTransitionTime };
}

async function tell({ logger, events }: MigrationParts, key: ObjectKey, status: MigrationStatus): Promise<void> {
  const { state, message, reason } = status;
  const { namespace, name } = key;
  const fields = { namespace, name, state, reason, problem: message };
  const isError = state === VIRTUAL_IP_STATES.error;
  if (isError) logger.warn('migration of a VirtualIP cannot go on', fields);
  else logger.info('migration of a VirtualIP', fields);
  if (!isError && state !== VIRTUAL_IP_STATES.migrated) return;
  await events.record(subjectOf(key), { type: isError ? 'Warning' : 'Normal', reason, message });
}

const subjectOf = (key: ObjectKey) => ({ apiVersion: VIRTUAL_IP_API, kind: VIRTUAL_IP.kind, ...key });
