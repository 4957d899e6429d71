import type { Converted, LeftOut } from './convert';

/** Records that are left after those for one address were compared. */
export interface Merged {
  readonly kept: readonly Converted[];
  readonly left: readonly LeftOut[];
}

/**
 * Compares records for the same address in the same zone: the original had no unique index, and its clean-up could leave a record behind
 * whose address was given out again. Equal secrets are one owner, whose services count together; of different ones the only
 * record with a live service counts; where several live, only people can say whose the address is.
 *
 * @param records - in the order of the dump
 * @returns one record for each address
 */
export function mergeDuplicates(records: readonly Converted[]): Merged {
  const byPlace = new Map<string, Converted[]>();
  for (const record of records) {
    const key = `${record.claim.zone}\n${record.claim.address}`;
    byPlace.set(key, [...(byPlace.get(key) ?? []), record]);
  }
  const kept: Converted[] = [];
  const left: LeftOut[] = [];
  for (const same of byPlace.values()) {
    const owners = bySecret(same);
    const living = owners.filter(isAlive);
    const [only] = owners.length === 1 ? owners : living.length === 1 ? living : [];
    if (only !== undefined) kept.push(only);
    for (const other of owners) if (other !== only) left.push(refused(other, only));
  }
  return { kept, left };
}

function bySecret(records: readonly Converted[]): readonly Converted[] {
  const owners = new Map<string, Converted>();
  for (const record of records) {
    const { secret } = record.claim;
    const first = owners.get(secret);
    owners.set(secret, first === undefined ? record : joined(first, record));
  }
  return [...owners.values()];
}

// Of two entries for one service the living one counts, then the later one.
function joined(first: Converted, second: Converted): Converted {
  const services = new Map(first.claim.services.map((service) => [keyOf(service), service]));
  for (const service of second.claim.services) {
    const known = services.get(keyOf(service));
    if (known === undefined || known.expiresAt !== undefined || service.expiresAt === undefined)
      services.set(keyOf(service), service);
  }
  const note = `line ${second.line} has the same address and secret; their services were put together`;
  return {
    ...first,
    claim: { ...first.claim, services: [...services.values()] },
    notes: [...first.notes, ...second.notes, note],
  };
}

function keyOf({ serviceName, namespaceUid, clusterUid }: Converted['claim']['services'][number]): string {
  return JSON.stringify([serviceName, namespaceUid, clusterUid]);
}

function isAlive({ claim }: Converted): boolean {
  return claim.services.some(({ expiresAt }) => expiresAt === undefined);
}

function refused({ line, id, claim }: Converted, winner: Converted | undefined): LeftOut {
  const problem =
    winner === undefined
      ? 'several records with different secrets have this address; end all but one in the original, or import it by hand'
      : `line ${winner.line} has the same address with another secret and a live service`;
  return { line, id, zone: claim.zone, address: claim.address, verdict: 'refused', problem };
}
