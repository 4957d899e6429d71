/**
 * Takes pairs of addresses, one of each family, until it is killed: `node claims-taker.js <file or connection string> <round>`. Writes `<key> <address>` for each
 * answer, synchronously, so that whatever was answered is in the pipe when the kill comes.
 */
import { writeSync } from 'node:fs';
import { openPostgresStore } from '../../operator/backends/sql/postgres/postgres-claim-store';
import { openSqliteStore } from '../../operator/backends/sql/sqlite/sqlite-claim-store';
import { SYSTEM_CLOCK } from '../../operator/backends/system/system-clock';
import { valueOf } from '../../operator/errors/ipam-error';
import type { Claims } from '../../operator/ports/claims';
import { holderOf, spaceOf, takingBoth } from './claim-requests';

const CALLERS = 8;

async function takeForEver(store: Claims, label: string): Promise<never> {
  const space = spaceOf('10.0.0.0/12', '2001:db8::/64');
  for (let i = 0; ; i++) {
    const key = `${label}-${i}`;
    const both = valueOf(await store.take(takingBoth(key, { space, holder: holderOf(key, { key }) })));
    for (const { record } of both) writeSync(1, `${key} ${record.family} ${record.address.toString()}\n`);
  }
}

async function main([path = '', round = '']: readonly string[]): Promise<void> {
  const store = path.startsWith('postgresql:')
    ? await openPostgresStore({ dsn: path, clock: SYSTEM_CLOCK })
    : await openSqliteStore({ path, clock: SYSTEM_CLOCK });
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => takeForEver(store, `${round}-${caller}`)));
}

void main(process.argv.slice(2));
