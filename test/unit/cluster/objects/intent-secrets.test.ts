import { INTENT_SECRETS } from '../../../../operator/contract/group';
import { bucketOf, readRow, writtenRow } from '../../../../operator/cluster/objects/intent-codec';
import { MAX_ROWS_PER_SECRET, openIntentSecrets } from '../../../../operator/cluster/objects/intent-secrets';
import { MemoryIntentRows, sharedIntents } from '../../../support/memory-intent-rows';
import type { IntentRow, IntentRows } from '../../../../operator/ports/intent-rows';
import { contract } from '../../../support/claims-suite';
import { ManualClock } from '../../../support/manual-clock';
import { MemoryApiClient } from '../../../support/memory-api-client';
import { RecordedLogger } from '../../../support/recorded-telemetry';

/** Opens a view of one table; the second one of a test is another process. */
type OpenRows = () => { readonly view: () => Promise<IntentRows> };

const inSecrets = (client = new MemoryApiClient()) => ({
  view: () =>
    openIntentSecrets({ client, namespace: 'ipam-system', clock: new ManualClock(), logger: new RecordedLogger() }),
});
const inMemory: OpenRows = () => {
  const table = sharedIntents();
  return { view: () => Promise.resolve(new MemoryIntentRows(table)) };
};

const row = (id: string, version: number, note = ''): IntentRow => ({ id, version, body: { note } });

/** Rows that a process knows at this moment. */
function known(rows: IntentRows): readonly IntentRow[] {
  const found: IntentRow[] = [];
  const stop = rows.watch((_id, now) => {
    if (now !== undefined) found.push(now);
  });
  stop();
  return found;
}

/** Everything that `ports/intent-rows` promises and that needs no second process to tell. */
function intentRowsSuite(openTable: OpenRows): void {
  let table: ReturnType<OpenRows>;
  let rows: IntentRows;
  beforeEach(async () => {
    table = openTable();
    rows = await table.view();
  });
  afterEach(() => rows.close());

  test('keeps what was put, for the next process too', async () => {
    await rows.put(row('a.1', 1, 'x'));
    await rows.put(row('q.2', 7, 'y'));
    const next = await table.view();
    expect([...known(next)].sort((a, b) => a.version - b.version)).toEqual([row('a.1', 1, 'x'), row('q.2', 7, 'y')]);
    await next.close();
  });

  test('refuses a version that is not the one of the row, and leaves it as it was', async () => {
    await rows.put(row('a.1', 1));
    for (const done of [
      rows.put(row('a.1', 2)),
      rows.put(row('a.1', 3), 2),
      rows.put(row('b', 1), 1),
      rows.remove('a.1', 2),
    ]) {
      expect(await done).toMatchObject({ ok: false, refusal: { code: 'store/conflict' } });
    }
    expect(known(rows)).toEqual([row('a.1', 1)]);
    expect(await rows.put(row('a.1', 2), 1)).toMatchObject({ ok: true });
    expect(await rows.remove('a.1', 2)).toMatchObject({ ok: true });
    expect(await rows.remove('a.1', 2)).toMatchObject({ ok: true });
    expect(known(rows)).toEqual([]);
    const next = await table.view();
    expect(known(next)).toEqual([]);
    await next.close();
  });

  test('lets one of many writers of a row win', async () => {
    await rows.put(row('a.1', 1));
    const other = await table.view();
    const done = await Promise.all(
      [2, 3, 4, 5].map((version) => (version % 2 === 0 ? rows : other).put(row('a.1', version), 1)),
    );
    expect(done.filter(({ ok }) => ok)).toHaveLength(1);
    await other.close();
  });

  test('tells what it knows and what it writes, before the call returns, until it is told to stop', async () => {
    await rows.put(row('a.1', 1));
    const told: string[] = [];
    const stop = rows.watch((id, now) => told.push(`${id} ${String(now?.version)}`));
    await rows.put(row('a.1', 2), 1);
    await rows.put(row('b.1', 1));
    await rows.remove('a.1', 2);
    stop();
    await rows.remove('b.1', 1);
    expect(told).toEqual(['a.1 1', 'a.1 2', 'b.1 1', 'a.1 undefined']);
  });

  test('serves nobody once it is closed', async () => {
    await rows.close();
    await expect(rows.put(row('a.1', 1))).rejects.toMatchObject({ code: 'store/closed' });
    await expect(rows.remove('a.1', 1)).rejects.toMatchObject({ code: 'store/closed' });
  });
}

contract<OpenRows>('intent rows', { memory: inMemory, Secrets: inSecrets }, intentRowsSuite);

describe('intent rows in Secrets', () => {
  const path = (name: string): string => `/api/v1/namespaces/ipam-system/secrets/${name}`;

  test('are spread over all of them, always the same way', () => {
    const buckets = Array.from({ length: 4_000 }, (_, i) => bucketOf(`a.${String(i)}`, INTENT_SECRETS.length));
    const counts = INTENT_SECRETS.map((_, index) => buckets.filter((each) => each === index).length);
    expect(Math.min(...counts)).toBeGreaterThan(180);
    expect(Math.max(...counts)).toBeLessThan(330);
    expect(['a.1', 'q.7', 'a.ff'].map((id) => bucketOf(id, 16))).toEqual([
      bucketOf('a.1', 16),
      bucketOf('q.7', 16),
      bucketOf('a.ff', 16),
    ]);
  });

  test('change one key of one Secret, under its version', async () => {
    const client = new MemoryApiClient();
    const rows = await inSecrets(client).view();
    const before = client.requests.length;
    await rows.put(row('a.1', 1));
    const [patch, ...others] = client.requests.slice(before).filter(({ method }) => method !== 'GET');
    expect(others).toEqual([]);
    expect(patch).toMatchObject({ method: 'PATCH', contentType: 'application/merge-patch+json' });
    expect(JSON.stringify(patch?.body)).toContain('"resourceVersion"');
    await rows.close();
  });

  test('come back when somebody deletes a Secret', async () => {
    const client = new MemoryApiClient();
    const rows = await inSecrets(client).view();
    await rows.put(row('a.1', 1));
    client.remove(path(INTENT_SECRETS[bucketOf('a.1', 16)] ?? ''));
    expect(await rows.put(row('a.1', 2), 1)).toMatchObject({ ok: true });
    expect(known(rows)).toEqual([row('a.1', 2)]);
    await rows.close();
  });

  test('take no more than a Secret may hold', async () => {
    const client = new MemoryApiClient();
    const name = INTENT_SECRETS[bucketOf('a.1', 16)] ?? '';
    const data = Object.fromEntries(
      Array.from({ length: MAX_ROWS_PER_SECRET }, (_, i) => [`x.${String(i)}`, writtenRow(row('x', 1))]),
    );
    client.put(path(name), { metadata: { name, namespace: 'ipam-system' }, data });
    const rows = await inSecrets(client).view();
    await expect(rows.put(row('a.1', 1))).rejects.toThrow(`Secret "${name}" has 900 rows`);
    await rows.close();
  });

  test('refuse what nobody of ours wrote, without quoting it', () => {
    const edited = Buffer.from('{"secret":"hunter2"').toString('base64');
    expect(() => readRow('a.1', edited)).toThrow('intent row "a.1" cannot be read');
    expect(() => readRow('a.1', edited)).not.toThrow('hunter2');
  });
});
