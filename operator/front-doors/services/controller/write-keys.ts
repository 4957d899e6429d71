import { METALLB } from '../../../contract/group';
import type { ServiceView } from '../../../contract/service';
import type { Grant } from '../../../ports/address-book';
import { afterRefusedWrite, SOON_MS, type ControllerContext, type Look } from './controller-parts';
import type { Known } from './known-services';
import type { AnnotationChanges } from '../wanted/patch';
import { awaitPublished } from '../admission/publish-wait';
import { namesExactly } from '../wanted/result-keys';
import type { Serving } from './serve-stored';
import type { StoredObject } from './stored-object';

/** First pause after a repair; doubled with each further one. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A Service whose keys stayed for so long is repaired at once again. */
const QUIET_MS = 300_000;

/** Result of writing: done, or when to come back. */
type Written = { readonly ok: true } | { readonly ok: false; readonly look: Look };

/**
 * Writes the keys of a served Service that are not there. Keys that were there and vanished are put back at most once a second,
 * and the more rarely the more often they are taken away.
 *
 * @param context - of the controller
 * @param work - the stored object and what is remembered of it
 * @param serving - what it has, and the keys that are due
 * @returns whether the object has its keys now
 */
export async function writeKeys(
  context: ControllerContext,
  { object, known }: { readonly object: StoredObject; readonly known: Known },
  serving: Serving & { readonly ok: true },
): Promise<Written> {
  const { parts } = context;
  const { view } = object;
  const due = [...serving.changes].filter(([name, value]) => view.annotations[name] !== value);
  if (due.length === 0) return settle(context, { object, known }, view);
  const lost = lostAmong(due, known);
  const nowMs = parts.clock.nowMs();
  if (lost.length > 0 && nowMs < known.repairNotBeforeMs)
    return { ok: false, look: { again: known.repairNotBeforeMs - nowMs } };
  const unpublished = await awaitPublished(parts, serving, { over: false });
  if (unpublished !== undefined) return { ok: false, look: { again: SOON_MS } };
  const values = Object.fromEntries(due.map(([name, value]) => [name, value ?? null]));
  const written = await parts.writer.annotate(known.key, values, { resourceVersion: object.resourceVersion });
  if (!written.ok) return { ok: false, look: afterRefusedWrite(written.refusal) };
  if (lost.length > 0)
    await countRepair(
      context,
      known,
      lost.map(([name]) => name),
    );
  return settle(context, { object, known }, { ...view, annotations: changed(view.annotations, serving.changes) });
}

// A wish that its user gave up was no key of ours, so writing it is no repair.
function lostAmong(
  due: readonly (readonly [string, string | undefined])[],
  { live, have }: Known,
): readonly (readonly [string, string | undefined])[] {
  const isWish = (name: string): boolean =>
    have !== undefined && !have.grants.some(({ writtenKeys }) => writtenKeys.includes(name));
  return due.filter(([name, value]) => value !== undefined && live?.annotations[name] === value && !isWish(name));
}

/**
 * Puts back what tells MetalLB of the addresses that a waiting Service keeps, where others were written over it: MetalLB would
 * take the working ones away, and may not give what is named. Keys of the user's own stay.
 *
 * @param context - of the controller
 * @param work - the stored object and what is remembered of it
 * @param held - what is bound to it, at least one address
 * @returns when to come back, if this has to be repeated
 */
export async function keepKeys(
  context: ControllerContext,
  { object, known }: { readonly object: StoredObject; readonly known: Known },
  held: readonly Grant[],
): Promise<Look> {
  const { view, resourceVersion } = object;
  const [first] = held;
  const current = view.annotations[METALLB.addresses];
  const ours = held.every(({ writtenKeys }) => writtenKeys.includes(METALLB.addresses));
  const addresses = held.map(({ address }) => address);
  if (first === undefined || !ours || (current !== undefined && namesExactly(current, addresses))) return {};
  const { parts } = context;
  const nowMs = parts.clock.nowMs();
  if (nowMs < known.repairNotBeforeMs) return { again: known.repairNotBeforeMs - nowMs };
  const values = { [METALLB.addresses]: addresses.map(String).join(','), [METALLB.pool]: first.zone };
  const written = await parts.writer.annotate(known.key, values, { resourceVersion });
  if (!written.ok) return afterRefusedWrite(written.refusal);
  await countRepair(context, known, [METALLB.addresses]);
  return {};
}

function settle(
  { parts }: ControllerContext,
  { known, object }: { readonly object: StoredObject; readonly known: Known },
  live: ServiceView,
): Written {
  if (known.live === undefined || live !== object.view) known.servedAtMs = parts.clock.nowMs();
  known.live = live;
  return { ok: true };
}

async function countRepair({ parts }: ControllerContext, known: Known, keys: readonly string[]): Promise<void> {
  const nowMs = parts.clock.nowMs();
  if (nowMs - known.repairNotBeforeMs > QUIET_MS) known.repairs = 0;
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(known.repairs, 10), LONGEST_PAUSE_MS);
  known.repairNotBeforeMs = nowMs + pauseMs;
  known.repairs += 1;
  parts.meter.count('service_repairs_total');
  if (known.repairs > 1) return;
  const message = `${keys.join(', ')} ${keys.length === 1 ? 'was' : 'were'} taken away or changed; put back from the record of addresses`;
  await parts.writer.event(known.key, { type: 'Warning', reason: 'KeysRepaired', message });
}

function changed(annotations: ServiceView['annotations'], changes: AnnotationChanges): ServiceView['annotations'] {
  const merged: Record<string, string> = { ...annotations };
  for (const [name, value] of changes) {
    if (value === undefined) Reflect.deleteProperty(merged, name);
    else merged[name] = value;
  }
  return merged;
}
