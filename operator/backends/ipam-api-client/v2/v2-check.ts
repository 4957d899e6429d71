import type { Refusal } from '../../../errors/outcome';
import type { Doubt, V2Result } from './v2-call';
import { changed, type Intent, type IntentHolder } from './v2-intent';
import { save, type RemoteContext } from './v2-line';
import { callOf, isNobodys } from './v2-take';

/**
 * Finding of a check: `known`: the IPAM-API has it as it is here; `registered`: it did not know it, and has it again; `foreign`: it
 * has the address for another owner; `failed`: it could not be asked; `skipped`: the row is being worked on, or has no bound holder.
 */
export type Checked = 'known' | 'registered' | 'foreign' | 'failed' | 'skipped';

/** Longest time of one call. */
const CALL_MS = 5_000;
/** How long a call may go on in the IPAM-API after we stopped waiting. */
const REST_MS: Readonly<Record<Doubt, number>> = { no: 0, done: 0, cut: 2_000, running: 5_000 };

/** Finding of a check, and for how many milliseconds its calls may still be at work. */
export interface CheckEnd {
  readonly checked: Checked;
  readonly restMs: number;
}

/**
 * Asks the IPAM-API whether it still knows the holders of a row, by registering them once more, which changes nothing where it does.
 * An IPAM-API that comes from an older backup has them again afterwards. Where it gave the address to another owner meanwhile, the
 * holders keep it, and the row says so. Writes nothing while nothing changes.
 *
 * @param context - rows, calls, clock
 * @param id - of the row; nothing else of it may be told at the same time
 * @returns what was found
 */
export async function checkRow(context: RemoteContext, id: string): Promise<CheckEnd> {
  const intent = context.table.get(id)?.intent;
  if (intent === undefined || !isQuiet(intent, context.clock.nowMs())) return { checked: 'skipped', restMs: 0 };
  const holders = intent.holders.filter(isBound);
  let isNew = false;
  for (const holder of holders) {
    const result = await registerAgain(context, intent, holder);
    if (result.as !== 'done') return withoutSuccess(context, intent, result);
    isNew ||= result.fresh;
  }
  if (holders.length === 0) return { checked: 'skipped', restMs: 0 };
  await note(context, intent, undefined);
  return { checked: isNew ? 'registered' : 'known', restMs: 0 };
}

/**
 * Lists what is to be checked.
 *
 * @param context - with the rows
 * @returns ids of the rows with a holder that is a stored Service. O(rows)
 */
export function checkableRows({ table }: RemoteContext): readonly string[] {
  return table
    .every()
    .filter(({ intent }) => intent.address !== undefined && intent.holders.some(isBound))
    .map(({ intent }) => intent.id);
}

// Others may be about to call, or what an earlier call does is not known yet.
function isQuiet({ call, doubtMs = 0, next }: Intent, nowMs: number): boolean {
  return call === undefined && next === undefined && doubtMs <= nowMs;
}

function isBound({ phase, state, serviceUid }: IntentHolder): boolean {
  return phase === 'held' && state === 'bound' && serviceUid !== undefined;
}

async function registerAgain(
  { calls, clock, budgetMs }: RemoteContext,
  intent: Intent,
  holder: IntentHolder,
): Promise<V2Result> {
  const endMs = clock.nowMs() + Math.min(budgetMs, CALL_MS);
  const call = callOf(intent, holder);
  const result = await calls.register(call, endMs - clock.nowMs());
  const { former } = intent;
  if (result.as !== 'refused' || result.refusal.code !== 'secret/wrong' || former === undefined) return result;
  // a backup of before the rotation knows the former secret
  const rotation = { ...call, secret: former.value, newSecret: call.secret };
  const rotated = await calls.register(rotation, Math.max(1, endMs - clock.nowMs()));
  if (rotated.as === 'done') return { ...rotated, fresh: true };
  return rotated.as === 'failed' ? rotated : result;
}

async function withoutSuccess(
  context: RemoteContext,
  intent: Intent,
  result: Exclude<V2Result, { readonly as: 'done' }>,
): Promise<CheckEnd> {
  if (result.as === 'failed') return { checked: 'failed', restMs: REST_MS[result.doubt] };
  return { checked: await refused(context, intent, result.refusal), restMs: 0 };
}

async function refused(context: RemoteContext, intent: Intent, refusal: Refusal): Promise<Checked> {
  // no statement about this address: a login that is gone, a zone that is not served for a while
  if (!isNobodys(refusal.code)) return 'failed';
  const value = intent.address?.toString() ?? '';
  const isOther = refusal.code === 'secret/wrong';
  const disputed = isOther
    ? ({ code: 'address/foreign', message: `address "${value}" is held by another owner: ${refusal.message}` } as const)
    : { code: refusal.code, message: `address "${value}" is not on record there: ${refusal.message}` };
  await note(context, intent, disputed);
  return 'foreign';
}

// A row that changed meanwhile is checked again later: what was found may be about its former secret, or a holder that left.
async function note(context: RemoteContext, intent: Intent, disputed: Intent['disputed']): Promise<void> {
  if (intent.disputed?.message === disputed?.message) return;
  if (context.table.get(intent.id)?.intent.version !== intent.version) return;
  const { network, zone, address, disputed: before } = intent;
  const saved = await save(context, intent, changed(intent, { disputed }, context.clock.nowMs()));
  if (!saved.ok) return;
  const fields = { network, zone, address: address?.toString() };
  if (disputed === undefined) context.logger.info('the IPAM-API has the address of a Service for it again', fields);
  else if (before === undefined) {
    const { message: problem } = disputed;
    context.logger.warn('the IPAM-API has the address of a Service for another owner; it stays', {
      ...fields,
      problem,
    });
  }
}
