/**
 * Takes addresses until it is killed: `node claim-store-taker.js <file or connection string> <round>`. Writes `<key> <address>` for each
 * answer, synchronously, so that whatever was answered is in the pipe when the kill comes.
 */
import { writeSync } from 'node:fs';
import { openPostgresStore } from '../../operator/backends/sql/postgres/postgres-claim-store';
import { openSqliteStore } from '../../operator/backends/sql/sqlite/sqlite-claim-store';
import { SYSTEM_CLOCK } from '../../operator/backends/system/system-clock';
import { valueOf } from '../../operator/errors/ipam-error';
import type { ClaimStore } from '../../operator/ports/claim-store';
import { holderOf, spaceOf, taking } from './claim-requests';

const CALLERS = 8;

async function takeForEver(store: ClaimStore, label: string): Promise<never> {
  const space = spaceOf('10.0.0.0/12');
  for (let i = 0; ; i++) {
    const key = `${label}-${i}`;
    const { record } = valueOf(await store.take(taking(key, { space, holder: holderOf(key, { key }) })));
    writeSync(1, `${key} ${record.address.toString()}\n`);
  }
}

async function main([path = '', round = '']: readonly string[]): Promise<void> {
  const store = path.startsWith('postgresql:')
    ? await openPostgresStore({ dsn: path, clock: SYSTEM_CLOCK })
    : await openSqliteStore({ path });
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => takeForEver(store, `${round}-${caller}`)));
}

void main(process.argv.slice(2));
