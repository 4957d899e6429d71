import { FIELD_MANAGER } from '../../contract/group';
import type { WebhookConfiguration } from '../../contract/webhook-configurations';
import { listOf, mapOf, textOf, type JsonMap } from '../../contract/loose-json';
import type { ApiAnswer, ApiClient } from '../api/api-client';
import { apiPath } from '../api/api-path';

/** Looks at one configuration while others change it. */
const ATTEMPTS = 3;

/** One webhook configuration after a try to put the bundle into it. */
export interface BundleSight {
  readonly configuration: string;
  /** PEM that all our webhooks in it trust now; empty while they differ; undefined: unknown, or it is not there. */
  readonly bundle?: string;
  /** It, or every webhook of ours in it, does not exist, so no call comes. */
  readonly absent: boolean;
  /** Whether it was written. */
  readonly written: boolean;
  /** Why it was not read or not written. */
  readonly problem?: string;
}

/** Configurations that are to trust a bundle. */
interface Trusting {
  readonly configurations: readonly WebhookConfiguration[];
  /** Ends the calls. */
  readonly signal: AbortSignal;
}

/**
 * Makes webhook configurations trust a bundle. Changes `caBundle` of our webhooks and nothing else, and writes nothing
 * where it is right already.
 *
 * @param client - of the API server
 * @param bundle - PEM of the CAs
 * @param trusting - configurations, and what ends the calls
 * @returns what each configuration trusts now
 * @throws IpamError `cluster/unavailable` when the API server gave no answer
 */
export async function putCaBundle(
  client: ApiClient,
  bundle: string,
  { configurations, signal }: Trusting,
): Promise<readonly BundleSight[]> {
  return Promise.all(configurations.map((configuration) => put({ client, configuration, signal }, bundle)));
}

/**
 * Tells whether callers trust certificates of a CA, as far as it is known.
 *
 * @param sights - what the configurations trust
 * @param authority - PEM of the CA
 * @returns true when every configuration that exists trusts it; an unknown one does not count as such
 */
export function trustedBy(sights: readonly BundleSight[], authority: string): boolean {
  return sights.every(({ absent, bundle }) => absent || (bundle ?? '').includes(authority.trim()));
}

interface Place {
  readonly client: ApiClient;
  readonly configuration: WebhookConfiguration;
  readonly signal: AbortSignal;
}

async function put(place: Place, bundle: string): Promise<BundleSight> {
  const { name } = place.configuration;
  const wanted = Buffer.from(bundle).toString('base64');
  let sight: BundleSight = { configuration: name, absent: false, written: false };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const got = await call(place);
    if (!got.ok) {
      if (got.status === 404) return { configuration: name, absent: true, written: false };
      return { ...sight, problem: `it cannot be read (${refusalText(got)})` };
    }
    const found = findWebhooks(got.body, place.configuration.webhooks);
    const [first] = found;
    if (first === undefined) return { configuration: name, absent: true, written: false };
    const isOne = found.every(({ caBundle }) => caBundle === first.caBundle);
    sight = { configuration: name, absent: false, written: false, bundle: isOne ? decoded(first.caBundle) : '' };
    const stale = found.filter(({ caBundle }) => caBundle !== wanted);
    if (stale.length === 0) return sight;
    const patch = stale.flatMap((webhook) => patchOf(webhook, wanted));
    const answer = await call(place, patch);
    if (answer.ok) return { ...sight, written: true, bundle };
    sight = { ...sight, problem: `it cannot be written (${refusalText(answer)})` };
    // 404, 409 and 422: it changed since we read it, and the tests of the patch failed.
    if (![404, 409, 422].includes(answer.status)) return sight;
  }
  return sight;
}

function call({ client, configuration, signal }: Place, patch?: readonly object[]): Promise<ApiAnswer> {
  const { resource, name } = configuration;
  const path = apiPath({ apiVersion: 'admissionregistration.k8s.io/v1', resource, name });
  if (patch === undefined) return client.request({ method: 'GET', path, signal });
  return client.request({
    method: 'PATCH',
    path,
    body: patch,
    signal,
    query: { fieldManager: FIELD_MANAGER },
    contentType: 'application/json-patch+json',
  });
}

interface FoundWebhook {
  readonly index: number;
  readonly name: string;
  /** Base64 as it stands; empty when there is none. */
  readonly caBundle: string;
}

function findWebhooks(configuration: JsonMap, names: readonly string[]): readonly FoundWebhook[] {
  return listOf(configuration['webhooks']).flatMap((each, index) => {
    const webhook = mapOf(each);
    const name = textOf(webhook['name']);
    return names.includes(name) ? [{ index, name, caBundle: textOf(mapOf(webhook['clientConfig'])['caBundle']) }] : [];
  });
}

// The tests make the index safe, and keep a replica that looked earlier from undoing the write of another one. Server-side
// apply would have to own a whole list entry with its required fields, beside the applier of the manifests.
function patchOf({ index, name, caBundle }: FoundWebhook, wanted: string): readonly object[] {
  const at = `/webhooks/${String(index)}`;
  return [
    { op: 'test', path: `${at}/name`, value: name },
    ...(caBundle === '' ? [] : [{ op: 'test', path: `${at}/clientConfig/caBundle`, value: caBundle }]),
    { op: 'add', path: `${at}/clientConfig/caBundle`, value: wanted },
  ];
}

function decoded(caBundle: string): string {
  return Buffer.from(caBundle, 'base64').toString('utf8');
}

/**
 * Names a refusal of the API server without its text, which may quote what was sent.
 *
 * @param answer - what the API server sent
 * @param answer.status - the HTTP one
 * @param answer.reason - reason of the Status object; may be empty
 * @returns for example `403 Forbidden`
 */
export function refusalText({ status, reason }: { readonly status: number; readonly reason: string }): string {
  return `${String(status)} ${reason}`.trim();
}
