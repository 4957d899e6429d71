import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { isIpamError } from '../../errors/ipam-error';
import type { EventReader, FoundEvent, RecordedEvent, RecordedEvents } from '../../ports/event-reader';
import type { ObjectKey } from '../../ports/object-feed';
import type { Tools } from '../../ports/tools';
import type { ApiClient } from '../api/api-client';
import { apiPath } from '../api/api-path';
import { unavailable } from '../api/api-refusal';
import { CONTROLLER, EVENTS } from './event-recorder';

/** Most Events that are read of one object and reason; a program that counts equal ones has one or a few. */
const MOST = 50;
/** An Event is a courtesy: nothing waits longer for it. */
const CALL_MS = 3_000;
/** Events in one page of a list, and most pages that are read. */
const PAGE = 500;
const MOST_PAGES = 20;
/** A person waits for the answer. */
const LIST_MS = 10_000;

/** Parts of a {@link KubernetesEventReader}. */
export interface EventReaderProps extends Pick<Tools, 'logger'> {
  readonly client: ApiClient;
}

/** Reads Events from the API server, one list of one object and reason for each question. Safe for parallel calls. */
export class KubernetesEventReader implements EventReader, RecordedEvents {
  readonly #client: ApiClient;
  readonly #logger: Tools['logger'];

  /**
   * Makes one over an open client.
   *
   * @param props - client and logger
   */
  constructor({ client, logger }: EventReaderProps) {
    this.#client = client;
    this.#logger = logger;
  }

  /** @inheritdoc */
  async newest(
    { namespace, name, uid }: ObjectKey,
    { reason, reporter }: { readonly reason: string; readonly reporter: string },
  ): Promise<FoundEvent | undefined> {
    try {
      const answer = await this.#client.request({
        method: 'GET',
        path: apiPath({ ...EVENTS, namespace }),
        query: { fieldSelector: `regarding.uid=${uid},reason=${reason}`, limit: String(MOST) },
        timeoutMs: CALL_MS,
      });
      if (answer.ok) return newestOf(listOf(answer.body['items']).filter(isMap), reporter);
      this.#unread(`${namespace}/${name}`, String(answer.status));
    } catch (thrown) {
      this.#unread(`${namespace}/${name}`, isIpamError(thrown) ? thrown.code : 'internal');
    }
    return undefined;
  }

  /** @inheritdoc */
  async recorded(): Promise<readonly RecordedEvent[]> {
    const found: RecordedEvent[] = [];
    let from = '';
    for (let page = 0; page < MOST_PAGES; page++) {
      const answer = await this.#client.request({
        method: 'GET',
        path: apiPath(EVENTS),
        query: {
          fieldSelector: `reportingController=${CONTROLLER}`,
          limit: String(PAGE),
          ...(from === '' ? {} : { continue: from }),
        },
        timeoutMs: LIST_MS,
      });
      if (!answer.ok) throw unavailable('list Events', answer);
      found.push(...listOf(answer.body['items']).filter(isMap).map(recordedOf));
      from = textOf(metadataOf(answer.body)['continue']);
      if (from === '') break;
    }
    return found.toSorted((a, b) => Date.parse(b.time) - Date.parse(a.time));
  }

  #unread(object: string, code: string): void {
    this.#logger.debug('Events could not be read', { object, code });
  }
}

function newestOf(events: readonly JsonMap[], reporter: string): FoundEvent | undefined {
  const [newest] = events
    .filter((event) => reporterOf(event) === reporter)
    .map((event) => ({ message: textOf(event['note']), time: timeOf(event) }))
    .toSorted((a, b) => Date.parse(b.time) - Date.parse(a.time));
  return newest;
}

function recordedOf(event: JsonMap): RecordedEvent {
  const { kind, namespace, name } = mapOf(event['regarding']);
  return {
    message: textOf(event['note']),
    time: timeOf(event),
    reason: textOf(event['reason']),
    regarding: { kind: textOf(kind), namespace: textOf(namespace), name: textOf(name) },
  };
}

// Programs that record by the older API leave the newer fields empty.
function reporterOf(event: JsonMap): string {
  return textOf(event['reportingController']) || textOf(mapOf(event['deprecatedSource'])['component']);
}

function timeOf(event: JsonMap): string {
  const last = textOf(mapOf(event['series'])['lastObservedTime']) || textOf(event['deprecatedLastTimestamp']);
  return last || textOf(event['eventTime']) || textOf(metadataOf(event)['creationTimestamp']);
}
