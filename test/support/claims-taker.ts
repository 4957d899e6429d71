/**
 * Takes pairs of addresses, one of each family, until it is killed: `node claims-taker.js <file or connection string> <round>`. Writes `<key> <address>` for each
 * pair, and takes the next one when that is in the pipe: the kill loses at most one pair of each caller.
 */
import { openPostgresStore } from '../../operator/backends/sql/postgres/postgres-claim-store';
import { openSqliteStore } from '../../operator/backends/sql/sqlite/sqlite-claim-store';
import { SYSTEM_CLOCK } from '../../operator/backends/system/system-clock';
import { valueOf } from '../../operator/errors/ipam-error';
import type { Claims } from '../../operator/ports/claims';
import { holderOf, spaceOf, takingBoth } from './claim-requests';

const CALLERS = 8;

// the pipe takes no more for a moment where its reader is slow, which a synchronous write answers with EAGAIN
const written = (text: string): Promise<unknown> => new Promise((resolve) => process.stdout.write(text, resolve));

async function takeForEver(store: Claims, label: string): Promise<never> {
  const space = spaceOf('10.0.0.0/12', '2001:db8::/64');
  for (let i = 0; ; i++) {
    const key = `${label}-${i}`;
    const both = valueOf(await store.take(takingBoth(key, { space, holder: holderOf(key, { key }) })));
    await written(both.map(({ record }) => `${key} ${record.family} ${record.address.toString()}\n`).join(''));
  }
}

async function main([path = '', round = '']: readonly string[]): Promise<void> {
  // the test that started it is gone
  process.stdin.resume().once('end', () => process.exit(1));
  const store = path.startsWith('postgresql:')
    ? await openPostgresStore({ dsn: path, clock: SYSTEM_CLOCK })
    : await openSqliteStore({ path, clock: SYSTEM_CLOCK });
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => takeForEver(store, `${round}-${caller}`)));
}

void main(process.argv.slice(2));
