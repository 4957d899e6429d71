import { NOW } from './claim-requests';
import type { PostgresServer } from './postgres-server';
import type { StoreClock } from './store-under-test';

/** Says the moment that a table has. */
const REPLACED = `CREATE TABLE IF NOT EXISTS public.test_clock (now_ms bigint NOT NULL);
  INSERT INTO public.test_clock SELECT ${NOW} WHERE NOT EXISTS (SELECT FROM public.test_clock);
  CREATE OR REPLACE FUNCTION ipam.now_ms() RETURNS bigint LANGUAGE sql AS 'SELECT now_ms FROM public.test_clock'`;

/**
 * Stops the clock of a PostgreSQL store at the start of all test time.
 *
 * @param server - where its database is
 * @param dsn - its database, in which a store was opened before
 * @returns the clock as contracts move it
 */
export async function stopPostgresClock(server: PostgresServer, dsn: string): Promise<StoreClock> {
  await server.sql(REPLACED, dsn);
  return stoppedClock(server, dsn);
}

/**
 * Gives the clock of a copy of a database whose clock was stopped.
 *
 * @param server - where the copy is
 * @param dsn - the copy
 * @returns the clock as contracts move it
 */
export function stoppedClock(server: PostgresServer, dsn: string): StoreClock {
  let nowMs = NOW;
  return {
    nowMs: () => nowMs,
    advance: async (ms) => {
      nowMs += ms;
      await server.sql(`UPDATE public.test_clock SET now_ms = ${nowMs}`, dsn);
    },
  };
}
