import { ADDRESS_READY } from '../../../contract/group';
import { conditionTime } from '../../../runtime/condition-time';
import type { ControllerContext, Look } from './controller-parts';
import { afterRefusedWrite } from './controller-parts';
import type { Known } from './known-services';
import { ANNOUNCING, BOUND, FOREIGN_ADDRESS, saysTheSame, type Saying } from './status';
import type { StoredObject } from './stored-object';

/** Between two conditions of one Service that follow each other fast, so that a fight over it costs little. */
const PAUSE_MS = 1_000;
/** The same while another program writes addresses into its status. */
const FOREIGN_PAUSE_MS = 60_000;

/**
 * Brings the condition of a Service up to date, and tells of news in an Event. Writes nothing while it says the same already.
 *
 * @param context - of the controller
 * @param on - the stored object and what is remembered of it
 * @param saying - what there is to say
 * @returns when to come back
 */
export async function tellStatus(
  { parts }: ControllerContext,
  { object, known }: { readonly object: StoredObject; readonly known: Known },
  saying: Saying,
): Promise<Look> {
  const { condition: before } = object;
  if (saysTheSame(saying, before)) return {};
  const nowMs = parts.clock.nowMs();
  if (nowMs < known.statusNotBeforeMs) return { again: known.statusNotBeforeMs - nowMs };
  const lastTransitionTime = before?.status === saying.status ? before.lastTransitionTime : conditionTime(nowMs);
  const written = await parts.writer.condition(known.key, { type: ADDRESS_READY, ...saying, lastTransitionTime });
  if (!written.ok) return afterRefusedWrite(written.refusal);
  const isForeign = [saying, before].some((each) => each?.reason === FOREIGN_ADDRESS);
  const isFast = nowMs - known.statusWrittenAtMs < PAUSE_MS;
  known.statusNotBeforeMs = nowMs + (isForeign ? FOREIGN_PAUSE_MS : isFast ? PAUSE_MS : 0);
  known.statusWrittenAtMs = nowMs;
  await tellNews(parts, known, { saying, before });
  return {};
}

/** An Event with the line of the log that goes with it; a Normal one needs none. */
type News = { readonly type: 'Normal' } | { readonly type: 'Warning'; readonly log: string };

async function tellNews(
  { writer, logger }: ControllerContext['parts'],
  { key }: Known,
  { saying, before }: { readonly saying: Saying; readonly before: Saying | undefined },
): Promise<void> {
  const news = newsOf(saying, before);
  if (news === undefined) return;
  const { reason, message } = saying;
  const { namespace, name } = key;
  if (news.type === 'Warning') logger.warn(news.log, { namespace, name, reason, problem: message });
  await writer.event(key, { type: news.type, reason, message });
}

// Being served is news where the condition did not say so before: to a new Service, and to one that waited or was not announced.
function newsOf(saying: Saying, before: Saying | undefined): News | undefined {
  const { status, reason } = saying;
  if (status === 'True') return newsOfServed(reason, before);
  if (status === 'False') return { type: 'Warning', log: 'service waits' };
  if (reason === ANNOUNCING) return undefined;
  return { type: 'Warning', log: 'service has addresses that its status does not show' };
}

function newsOfServed(reason: string, before: Saying | undefined): News | undefined {
  if (reason !== BOUND && reason !== before?.reason) {
    const isForeign = reason === FOREIGN_ADDRESS;
    const log = isForeign ? 'status of a service shows a foreign address' : 'service keeps what it would not get today';
    return { type: 'Warning', log };
  }
  return before?.status === 'True' ? undefined : { type: 'Normal' };
}
