import type { PostgresServer } from './postgres-server';

// Live addresses and free ranges of IPv4 must be each address once; overlaps would make the sum too large or show below.
const SUMS = `SELECT n.name,
  (SELECT coalesce(sum(last - first + 1), 0) FROM ipam.free_range f WHERE f.network = n.name AND family(f.first) = 4)
  + (SELECT coalesce(sum(ipam.last_of(a.address, a.length) - a.address + 1), 0) FROM ipam.address a
    WHERE a.network = n.name AND a.family = 4 AND a.ended_at IS NULL)
  + (SELECT count(DISTINCT o.address) FROM ipam.occupied o WHERE o.network = n.name AND family(o.address) = 4 AND o.carved
    AND NOT EXISTS (SELECT FROM ipam.address a WHERE a.network = o.network AND a.address = o.address AND a.ended_at IS NULL)) AS sum
  FROM ipam.network n`;
const BOTH = `SELECT a.address::text FROM ipam.address a JOIN ipam.free_range f
  ON f.network = a.network AND a.address BETWEEN f.first AND f.last WHERE a.ended_at IS NULL
  UNION ALL SELECT a.address::text FROM ipam.address a JOIN ipam.free_range f ON f.network = a.network
    AND a.address <= f.last AND ipam.last_of(a.address, a.length) >= f.first WHERE a.ended_at IS NULL AND a.length IS NOT NULL`;
const OVERLAPS = `SELECT a.first::text FROM ipam.free_range a JOIN ipam.free_range b
  ON a.network = b.network AND a.id < b.id AND a.first <= b.last AND b.first <= a.last`;
const LIVE_OVERLAPS = `SELECT a.address::text, b.address::text AS other FROM ipam.address a
  JOIN LATERAL ipam.overlaps(a.network, a.address, a.length) b ON b.id <> a.id WHERE a.ended_at IS NULL AND a.length IS NOT NULL`;
const ORPHANS = `SELECT a.address::text FROM ipam.address a WHERE a.ended_at IS NULL AND a.state <> 'foreign' AND NOT EXISTS (
  SELECT FROM ipam.holder h WHERE h.address_id = a.id AND (h.ended_at IS NULL OR h.former))`;

const UNSHOWN = `SELECT o.address::text FROM ipam.occupied o WHERE NOT o.avoided AND NOT EXISTS (
    SELECT FROM ipam.overlaps(o.network, o.address, NULL))
  UNION ALL SELECT a.address::text FROM ipam.address a WHERE a.ended_at IS NULL AND a.state = 'foreign' AND NOT EXISTS (
    SELECT FROM ipam.occupied o WHERE o.network = a.network AND o.address = a.address AND NOT o.avoided)`;

/** Lists faults between the tables of a store: space that leaked, overlaps, or is both held and free; empty when nothing is. */
export async function auditPostgres(server: PostgresServer, dsn: string): Promise<readonly string[]> {
  const [sums, ...faults] = await Promise.all(
    [SUMS, BOTH, OVERLAPS, LIVE_OVERLAPS, ORPHANS, UNSHOWN].map((text) => server.sql(text, dsn)),
  );
  const leaks = sums!.filter(({ sum }) => String(sum) !== String(2 ** 32));
  return [...leaks, ...faults.flat()].map((row) => JSON.stringify(row));
}
