/**
 * A process that takes addresses until its file cannot grow: prints what a look at the store said before, what the failed take said,
 * and what a look and a read say then. Started under a limit on the size of files.
 */
import { openSqliteStore } from '../../operator/backends/sql/sqlite/sqlite-claim-store';
import { SYSTEM_CLOCK } from '../../operator/backends/system/system-clock';
import { spaceOf, taking } from './claim-requests';

const MOST = 20_000;

async function outcomeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return 'fine';
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

async function main([path = '']: readonly string[]): Promise<void> {
  const store = await openSqliteStore({ path, clock: SYSTEM_CLOCK });
  const before = await outcomeOf(() => store.ping());
  const space = spaceOf('10.0.0.0/16');
  let take = 'fine';
  for (let i = 0; take === 'fine' && i < MOST; i++)
    take = await outcomeOf(() => store.take(taking(`s${String(i)}`, { space })));
  const after = await outcomeOf(() => store.ping());
  const read = await outcomeOf(() => store.tally());
  process.stdout.write(JSON.stringify({ before, take, after, read }));
  // its worker has nothing to store any more
  await store.close().catch(() => undefined);
}

void main(process.argv.slice(2));
