import { ADMIN_PATHS } from '../../contract/ipam-api/admin-paths';
import { isMap, textOf } from '../../contract/loose-json';
import { LOAD_BALANCER } from '../../contract/service';
import type { ApiCaller } from '../calls/api-caller';
import type { ServiceName } from '../arguments/service-name';

/** How a Service stands in the operator's own cluster. */
export interface StoredService {
  readonly clusterUid: string;
  /** False: the cluster has no such Service. */
  readonly found: boolean;
  /** Last words of the operator about it, and other facts, each a sentence. */
  readonly sentences: readonly string[];
}

/**
 * Asks the admin socket how a Service stands. A server elsewhere does not tell, and neither does a cluster that is away.
 *
 * @param api - the server
 * @param service - which one
 * @returns what is stored; undefined where it is not known
 */
export async function storedService(
  api: ApiCaller,
  { namespace, name }: ServiceName,
): Promise<StoredService | undefined> {
  const page = await api.page(
    `${ADMIN_PATHS.storedServices}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`,
  );
  if (!page.ok || page.value.status !== 200) return undefined;
  const body: unknown = JSON.parse(page.value.text);
  if (!isMap(body)) return undefined;
  const { stored } = body;
  const clusterUid = textOf(body['clusterUid']);
  if (!isMap(stored)) return { clusterUid, found: false, sentences: [] };
  return { clusterUid, found: true, sentences: sentencesOf(stored) };
}

/** Verbs for a Service by the status of our condition. */
const VERBS: ReadonlyMap<string, string> = new Map([
  ['True', 'is served'],
  ['Unknown', 'has addresses that are not seen to be announced'],
]);

function sentencesOf(stored: Readonly<Record<string, unknown>>): readonly string[] {
  const sentences: string[] = [];
  if (stored['dying'] === true) sentences.push('it is being deleted, and waits for its finalizers');
  const type = textOf(stored['type']);
  if (type !== LOAD_BALANCER) {
    sentences.push(
      `it is of type ${type === '' ? 'ClusterIP' : type}, and only Services of type LoadBalancer get addresses`,
    );
  }
  const { condition } = stored;
  if (isMap(condition)) {
    const [status, reason, message] = ['status', 'reason', 'message'].map((key) => textOf(condition[key]));
    const verb = VERBS.get(status ?? '') ?? 'waits';
    sentences.push(`it ${verb} since ${textOf(condition['since'])} (${reason ?? ''}): ${message ?? ''}`);
  }
  return sentences;
}
