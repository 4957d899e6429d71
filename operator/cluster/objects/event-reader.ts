import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { isIpamError } from '../../errors/ipam-error';
import type { EventReader, FoundEvent } from '../../ports/event-reader';
import type { ObjectKey } from '../../ports/object-feed';
import type { Tools } from '../../ports/tools';
import type { ApiClient } from '../api/api-client';
import { apiPath } from '../api/api-path';
import { EVENTS } from './event-recorder';

/** Most Events that are read of one object and reason; a program that counts equal ones has one or a few. */
const MOST = 50;
/** An Event is a courtesy: nothing waits longer for it. */
const CALL_MS = 3_000;

/** Parts of a {@link KubernetesEventReader}. */
export interface EventReaderProps extends Pick<Tools, 'logger'> {
  readonly client: ApiClient;
}

/** Reads Events from the API server, one list of one object and reason for each question. Safe for parallel calls. */
export class KubernetesEventReader implements EventReader {
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

// Programs that record by the older API leave the newer fields empty.
function reporterOf(event: JsonMap): string {
  return textOf(event['reportingController']) || textOf(mapOf(event['deprecatedSource'])['component']);
}

function timeOf(event: JsonMap): string {
  const last = textOf(mapOf(event['series'])['lastObservedTime']) || textOf(event['deprecatedLastTimestamp']);
  return last || textOf(event['eventTime']) || textOf(metadataOf(event)['creationTimestamp']);
}
