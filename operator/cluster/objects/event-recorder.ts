import { createHash, randomBytes } from 'node:crypto';
import { SERVICE } from '../../contract/service-identity';
import { MAX_NAME_LENGTH } from '../../contract/vocabulary';
import { isIpamError } from '../../errors/ipam-error';
import type { EventRecorder, ObjectEvent, ObjectReference } from '../../ports/event-recorder';
import type { Tools } from '../../ports/tools';
import type { ApiAnswer, ApiClient } from '../api/api-client';
import { apiPath } from '../api/api-path';
import { microTime } from '../lease/lease-record';

/** Parts of a {@link KubernetesEventRecorder}. */
export interface EventRecorderProps extends Pick<Tools, 'clock' | 'logger'> {
  readonly client: ApiClient;
  /** Name of this process, shown as the reporting instance. */
  readonly identity: string;
}

/** Reporting controller of every Event of this operator. */
export const CONTROLLER = 'ipam.vitistack.io/ipam-operator';
/** Action of the controller; the API server wants a word. */
const ACTION = 'Reconcile';
/** The API server refuses longer notes, counted in bytes, and longer names of instances. */
const MAX_NOTE_BYTES = 1024;
const MAX_INSTANCE = 128;
/** Equal Events further apart than this are told as two. */
const SERIES_MS = 360_000;
/** Writes about one object at once, and how long it takes until one more is allowed. */
const BURST = 25;
const REFILL_MS = 300_000;
/** Objects whose Events are remembered; with more, those that were quiet the longest are forgotten. */
const MAX_OBJECTS = 4096;
/** Kinds of Events that are remembered of one object. */
const MAX_SERIES = 32;
/** An Event is a courtesy: it holds up no caller for longer. */
const CALL_MS = 3000;

/** Equal Events about one object. */
interface Series {
  /** Of the Event object; undefined until it is stored. */
  name: string | undefined;
  count: number;
  /** How many of `count` the stored object tells of. */
  told: number;
  lastMs: number;
  writing: Promise<void> | undefined;
}

/** Events of one object that are remembered. */
interface Regarded {
  tokens: number;
  refilledMs: number;
  readonly series: Map<string, Series>;
}

/**
 * Writes Events about objects of any kind. Equal ones in a row are counted in one Event, and one object causes at most 25 writes at once
 * and one in five minutes after that; what is too much is counted and told with the next write.
 *
 * Safe for parallel calls. Needs no start; ends with its client.
 */
export class KubernetesEventRecorder implements EventRecorder {
  readonly #props: EventRecorderProps;
  /** By UID, the longest quiet one first. */
  readonly #regarded = new Map<string, Regarded>();

  /**
   * Makes one over an open client.
   *
   * @param props - client and tools
   */
  constructor(props: EventRecorderProps) {
    this.#props = props;
  }

  /** @inheritdoc */
  async record(regarding: ObjectReference, event: ObjectEvent): Promise<void> {
    const series = this.#seriesOf(regarding, event);
    series.count++;
    series.lastMs = this.#props.clock.nowMs();
    // One write at a time; it tells of everything that came until it began, the next one of the rest.
    while (series.told < series.count) {
      if (series.writing === undefined) {
        if (!this.#mayWrite(regarding)) return;
        series.writing = this.#write(regarding, event, series).finally(() => (series.writing = undefined));
      }
      await series.writing;
    }
  }

  async #write(regarding: ObjectReference, event: ObjectEvent, series: Series): Promise<void> {
    const { count } = series;
    // Given up or not: what could not be written is not tried again by itself.
    series.told = count;
    try {
      const answer =
        series.name === undefined ? await this.#create(regarding, event, series) : await this.#count(regarding, series);
      if (answer.ok) return;
      if (answer.status !== 404 || series.name === undefined) this.#lost(regarding, event, answer.reason);
      else {
        series.name = undefined; // it expired; the next write makes a new one
        const again = await this.#create(regarding, event, series);
        if (!again.ok) this.#lost(regarding, event, again.reason);
      }
    } catch (thrown) {
      this.#lost(regarding, event, isIpamError(thrown) ? thrown.code : 'internal');
    }
  }

  async #create(regarding: ObjectReference, event: ObjectEvent, series: Series): Promise<ApiAnswer> {
    const namespace = eventNamespace(regarding);
    const { apiVersion, kind, name, uid } = regarding;
    const eventName = eventNameOf(name);
    const now = microTime(series.lastMs);
    const answer = await this.#props.client.request({
      method: 'POST',
      path: apiPath({ ...EVENTS, namespace }),
      timeoutMs: CALL_MS,
      body: {
        apiVersion: EVENTS.apiVersion,
        kind: 'Event',
        metadata: { namespace, name: eventName },
        eventTime: now,
        type: event.type,
        reason: event.reason,
        note: shortened(event.message),
        action: ACTION,
        reportingController: CONTROLLER,
        reportingInstance: this.#props.identity.slice(0, MAX_INSTANCE),
        regarding: { apiVersion, kind, name, uid, ...(regarding.namespace === '' ? {} : { namespace }) },
        ...(series.count > 1 ? { series: { count: series.count, lastObservedTime: now } } : {}),
      },
    });
    if (answer.ok) series.name = eventName;
    return answer;
  }

  #count(regarding: ObjectReference, { name = '', count, lastMs }: Series): Promise<ApiAnswer> {
    const namespace = eventNamespace(regarding);
    return this.#props.client.request({
      method: 'PATCH',
      path: apiPath({ ...EVENTS, namespace, name }),
      timeoutMs: CALL_MS,
      contentType: 'application/merge-patch+json',
      body: { series: { count, lastObservedTime: microTime(lastMs) } },
    });
  }

  #seriesOf({ uid }: ObjectReference, event: ObjectEvent): Series {
    const nowMs = this.#props.clock.nowMs();
    const regarded = this.#regarded.get(uid) ?? { tokens: BURST, refilledMs: nowMs, series: new Map<string, Series>() };
    remember(this.#regarded, uid, { value: regarded, most: MAX_OBJECTS });
    const text = `${event.type}\n${event.reason}\n${event.message}`;
    const id = createHash('sha256').update(text).digest('base64');
    const known = regarded.series.get(id);
    const goesOn = known !== undefined && nowMs - known.lastMs < SERIES_MS;
    const series = goesOn ? known : { name: undefined, count: 0, told: 0, lastMs: nowMs, writing: undefined };
    remember(regarded.series, id, { value: series, most: MAX_SERIES });
    return series;
  }

  #mayWrite({ uid }: ObjectReference): boolean {
    const regarded = this.#regarded.get(uid);
    if (regarded === undefined) return true;
    const nowMs = this.#props.clock.nowMs();
    const refills = Math.max(0, Math.floor((nowMs - regarded.refilledMs) / REFILL_MS));
    regarded.tokens = Math.min(BURST, regarded.tokens + refills);
    regarded.refilledMs += refills * REFILL_MS;
    if (regarded.tokens === 0) return false;
    regarded.tokens--;
    return true;
  }

  #lost({ kind, namespace, name }: ObjectReference, { reason }: ObjectEvent, code: string): void {
    const shown = namespace === '' ? name : `${namespace}/${name}`;
    const about = kind === SERVICE.kind ? { service: shown } : { kind, object: shown };
    this.#props.logger.debug('an Event could not be written', { ...about, reason, code });
  }
}

// The API server takes Events about objects of the whole cluster in this namespace only.
const eventNamespace = ({ namespace }: ObjectReference): string => (namespace === '' ? 'default' : namespace);

// The object's name may be as long as a name can be; cut, it must not end in a character that only joins.
function eventNameOf(name: string): string {
  const random = randomBytes(8).toString('hex');
  const room = MAX_NAME_LENGTH - random.length - '.'.length;
  return `${name.slice(0, room).replace(/[-.]+$/u, '')}.${random}`;
}

/** Resource of Events. */
export const EVENTS = { apiVersion: 'events.k8s.io/v1', resource: 'events' } as const;

// Puts an entry at the young end, and lets the oldest one go when there are too many.
function remember<V>(
  map: Map<string, V>,
  key: string,
  { value, most }: { readonly value: V; readonly most: number },
): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.size > most ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}

function shortened(note: string): string {
  if (Buffer.byteLength(note) <= MAX_NOTE_BYTES) return note;
  const end = '…';
  const kept = Buffer.from(note).subarray(0, MAX_NOTE_BYTES - Buffer.byteLength(end));
  // a character cut in two decodes to a replacement character
  return `${kept.toString('utf8').replace(/\uFFFD+$/u, '')}${end}`;
}
