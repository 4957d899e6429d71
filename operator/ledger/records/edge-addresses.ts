import type { Zone } from '../../contract/zones';
import type { Outcome, Refusal } from '../../errors/outcome';
import type { PoolSpace } from '../../ports/claim-counts';
import type { ReserveRequest } from '../../ports/address-book';
import type { LedgerContext } from './ledger-context';

/** Begins the name under which edges are counted beside their zone; no zone can have such a name. */
const EDGES = 'edges of ';

/**
 * Names the edge addresses of a zone as a store counts them.
 *
 * @param zone - any zone
 * @returns one entry for each family that has some which are avoided
 */
export function edgeSpaces({ name, network, families, space, choosable }: Zone): readonly PoolSpace[] {
  if (choosable === space) return [];
  const edges = space.subtract(choosable);
  return families
    .filter((family) => edges.count(family) > 0n)
    .map((family) => ({ network, pool: `${EDGES}${name}`, family, space: edges }));
}

/**
 * Recognises the count of edge addresses.
 *
 * @param pool - name of a counted space
 * @returns the zone whose edges they are; undefined for a pool
 */
export function zoneOfEdges(pool: string): string | undefined {
  return pool.startsWith(EDGES) ? pool.slice(EDGES.length) : undefined;
}

/**
 * Adds to a refusal for want of addresses how many edge addresses remain, which are given to Services that name them.
 *
 * @param context - the ledger's parts
 * @param on - the request
 * @param on.request - its family counts
 * @param exhausted - the zone, and what the store refused
 * @returns the refusal, with one more clause where it helps
 */
export async function tellEdges(
  { counts }: Pick<LedgerContext, 'counts'>,
  { request }: { readonly request: Pick<ReserveRequest, 'family'> },
  { zone, refused }: { readonly zone: Zone; readonly refused: { readonly ok: false; readonly refusal: Refusal } },
): Promise<Outcome<never>> {
  const { refusal } = refused;
  const [edges] = edgeSpaces(zone).filter(({ family }) => family === request.family);
  if (refusal.code !== 'pool/exhausted' || edges === undefined) return refused;
  const counted = (await counts.usage([edges])).find(
    ({ pool, family }) => pool === edges.pool && family === edges.family,
  );
  const left = edges.space.count(edges.family) - BigInt(counted?.occupied ?? 0);
  if (left <= 0n) return refused;
  const which = left === 1n ? 'edge address remains, which is' : 'edge addresses remain, which are';
  const message = `${refusal.message}; ${left} ${which} given to a Service that names one`;
  return { ok: false, refusal: { ...refusal, message } };
}
