import { isMap, mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { INTENT_SECRETS } from '../../contract/group';
import { IpamError } from '../../errors/ipam-error';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { IntentListener, IntentRow, IntentRows } from '../../ports/intent-rows';
import type { ApiAnswer, ApiClient } from '../api/api-client';
import { apiPath } from '../api/api-path';
import { bucketOf, readRow, writtenRow } from './intent-codec';
import { openObjectFeed, type FeedTools, type WatchedObjects } from '../watch/object-feed';

/** Most rows of one Secret. The API server takes 1 MiB in all; a row has about 900 bytes. */
export const MAX_ROWS_PER_SECRET = 900;
/** Most bytes of one Secret, below the 1 MiB of the API server. */
const MAX_SECRET_BYTES = 960 * 1024;
/** Conflicts in a row after which a write gives up. */
const MAX_TRIES = 12;

/** Parts of {@link openIntentSecrets}. */
export interface IntentSecretsParts extends FeedTools {
  readonly client: ApiClient;
  readonly namespace: string;
}

/** One Secret as it is known. */
interface Bucket {
  readonly name: string;
  version: bigint;
  resourceVersion: string;
  rows: ReadonlyMap<string, IntentRow>;
  /** The rows as they are stored, by id. */
  encoded: ReadonlyMap<string, string>;
  feed: WatchedObjects | undefined;
  /** Changes of this process wait for each other, so that they do not conflict among themselves. */
  line: Promise<unknown>;
}

/**
 * Opens the intent rows in Secrets of our namespace, `ipam-intents-0` and on: rows are spread by the hash of their id, each is one
 * key, and each write is a merge patch of that key under the resource version, so that several replicas can write. Secrets are
 * made at once where they are missing, and followed one by one, by name.
 *
 * @param parts - API server, namespace, clock and telemetry
 * @returns the rows, every Secret read
 * @throws IpamError `cluster/unavailable`, `cluster/refused`, `store/schema` for a row that cannot be read
 */
export async function openIntentSecrets(parts: IntentSecretsParts): Promise<IntentRows> {
  const rows = new SecretRows(parts);
  await rows.open();
  return rows;
}

class SecretRows implements IntentRows {
  readonly #parts: IntentSecretsParts;
  readonly #listeners = new Set<IntentListener>();
  readonly #buckets: readonly Bucket[];
  #closed = false;

  constructor(parts: IntentSecretsParts) {
    this.#parts = parts;
    this.#buckets = INTENT_SECRETS.map((name) => ({
      name,
      version: -1n,
      resourceVersion: '',
      rows: new Map(),
      encoded: new Map(),
      feed: undefined,
      line: Promise.resolve(),
    }));
  }

  async open(): Promise<void> {
    await Promise.all(this.#buckets.map((bucket) => this.#read(bucket)));
    for (const bucket of this.#buckets) this.#follow(bucket);
  }

  put(row: IntentRow, before?: number): Promise<Outcome<void>> {
    return this.#change(row.id, before, row);
  }

  async remove(id: string, before: number): Promise<Outcome<void>> {
    const removed = await this.#change(id, before, undefined);
    return !removed.ok && this.#bucket(id).rows.get(id) === undefined ? accept(undefined) : removed;
  }

  watch(listener: IntentListener): () => void {
    const entry: IntentListener = (id, row) => {
      listener(id, row);
    };
    for (const { rows } of this.#buckets) for (const row of rows.values()) entry(row.id, row);
    this.#listeners.add(entry);
    return () => {
      this.#listeners.delete(entry);
    };
  }

  problem(): string | undefined {
    for (const { feed } of this.#buckets) {
      const problem = feed?.problem();
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    await Promise.all(this.#buckets.flatMap(({ feed }) => (feed === undefined ? [] : [feed.close()])));
  }

  #bucket(id: string): Bucket {
    return this.#buckets[bucketOf(id, this.#buckets.length)] as Bucket;
  }

  #requireOpen(): void {
    if (this.#closed) throw new IpamError('store/closed', 'the intent rows were closed');
  }

  #change(id: string, before: number | undefined, row: IntentRow | undefined): Promise<Outcome<void>> {
    const bucket = this.#bucket(id);
    const turn = bucket.line.then(() => this.#write(bucket, { id, before, row }));
    bucket.line = turn.catch(() => undefined);
    return turn;
  }

  async #write(
    bucket: Bucket,
    { id, before, row }: { id: string; before: number | undefined; row: IntentRow | undefined },
  ): Promise<Outcome<void>> {
    this.#requireOpen();
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      if (bucket.rows.get(id)?.version !== before) return conflict(id);
      if (row !== undefined) requireRoom(bucket, row);
      const answer = await this.#patch(bucket, id, row);
      if (answer.ok) {
        this.#take(bucket, answer.body);
        return accept(undefined);
      }
      // 404: the Secret was deleted; it is made anew with what it still has
      if (answer.status !== 409 && answer.status !== 404) throw unexpected(bucket.name, answer);
      await this.#read(bucket);
    }
    return conflict(id);
  }

  #patch({ name, resourceVersion }: Bucket, id: string, row: IntentRow | undefined): Promise<ApiAnswer> {
    return this.#parts.client.request({
      method: 'PATCH',
      path: this.#path(name),
      contentType: 'application/merge-patch+json',
      body: { metadata: { resourceVersion }, data: { [id]: row === undefined ? null : writtenRow(row) } },
    });
  }

  async #read(bucket: Bucket): Promise<void> {
    const { client, namespace } = this.#parts;
    const found = await client.request({ method: 'GET', path: this.#path(bucket.name) });
    if (found.ok) {
      this.#take(bucket, found.body);
      return;
    }
    if (found.status !== 404) throw unexpected(bucket.name, found);
    const made = await client.request({
      method: 'POST',
      path: apiPath({ apiVersion: 'v1', resource: 'secrets', namespace }),
      body: {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'Opaque',
        metadata: { name: bucket.name, namespace },
        // what was known stays known: a deleted Secret must not make the operator forget what it holds
        data: Object.fromEntries(bucket.encoded),
      },
    });
    if (made.ok) this.#take(bucket, made.body);
    else if (made.status === 409) await this.#read(bucket);
    else throw unexpected(bucket.name, made);
  }

  #follow(bucket: Bucket): void {
    const { client, namespace, ...tools } = this.#parts;
    const resource = { apiVersion: 'v1', resource: 'secrets', namespace };
    bucket.feed = openObjectFeed(client, { resource, fieldSelector: `metadata.name=${bucket.name}` }, tools);
    bucket.feed.onChange(({ key, after }) => {
      if (key.name !== bucket.name) return;
      if (after !== undefined) this.#take(bucket, after);
      else if (!this.#closed) void this.#read(bucket).catch(() => undefined);
    });
  }

  // States come twice, as answer and from the watch; an older one never replaces a newer one.
  #take(bucket: Bucket, secret: JsonMap): void {
    const resourceVersion = textOf(metadataOf(secret)['resourceVersion']);
    const version = /^[0-9]+$/u.test(resourceVersion) ? BigInt(resourceVersion) : bucket.version + 1n;
    if (version <= bucket.version) return;
    bucket.version = version;
    bucket.resourceVersion = resourceVersion;
    const { rows: before, encoded } = bucket;
    const next = readRows(bucket, mapOf(secret['data']));
    bucket.rows = next.rows;
    bucket.encoded = next.encoded;
    for (const id of before.keys()) if (!next.rows.has(id)) this.#tell(id, undefined);
    for (const [id, row] of next.rows) if (next.encoded.get(id) !== encoded.get(id)) this.#tell(id, row);
  }

  #tell(id: string, row: IntentRow | undefined): void {
    for (const listener of this.#listeners) listener(id, row);
  }

  #path(name: string): string {
    return apiPath({ apiVersion: 'v1', resource: 'secrets', namespace: this.#parts.namespace, name });
  }
}

// Rows that did not change are not parsed again: each write brings the whole Secret back.
function readRows(known: Bucket, data: JsonMap): Pick<Bucket, 'rows' | 'encoded'> {
  const rows = new Map<string, IntentRow>();
  const encoded = new Map<string, string>();
  for (const [id, value] of Object.entries(data)) {
    if (typeof value !== 'string') continue;
    const old = known.encoded.get(id) === value ? known.rows.get(id) : undefined;
    rows.set(id, old ?? readRow(id, value));
    encoded.set(id, value);
  }
  return { rows, encoded };
}

function requireRoom({ name, rows, encoded }: Bucket, row: IntentRow): void {
  if (rows.has(row.id)) return;
  let bytes = 0;
  for (const [id, value] of encoded) bytes += id.length + value.length * 0.75;
  if (rows.size < MAX_ROWS_PER_SECRET && bytes + writtenRow(row).length * 0.75 < MAX_SECRET_BYTES) return;
  const limit = `${String(rows.size)} rows, which is what it may hold`;
  throw new IpamError('store/unavailable', `Secret "${name}" has ${limit}; delete Services that need no address`);
}

function conflict(id: string): Outcome<never> {
  return refuse('store/conflict', `intent row "${id}" was changed by another process at the same time`);
}

function unexpected(name: string, { status, message, body }: ApiAnswer & { ok: false }): IpamError {
  const why = isMap(body) && message !== '' ? `: ${message}` : '';
  return new IpamError('cluster/unavailable', `the API server answered ${String(status)} for Secret "${name}"${why}`);
}
