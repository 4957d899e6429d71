import { isIn, type Address } from '../../addressing/address';
import { PrefixSet } from '../../addressing/prefix-set';
import { unknownZone } from '../../rules/zone-limits';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { ContestRequest, EndContests } from '../../ports/address-book';
import type { AddressRecord, NewHolder } from '../../ports/claims';
import { contestedHolder, ownerOf, ownHolder, type Claim } from '../records/claims';
import type { LedgerContext } from '../records/ledger-context';
import { orAgain, untilSettled, type Attempt } from '../records/until-settled';
import { lostRace } from './commit-step';
import { dropClaim } from './end-claim';

/**
 * Most objects of one cluster that contest one address. One is enough to keep the address from others, and every read, write and refusal
 * of the address names them all.
 */
const MOST_CONTESTING = 16;

/**
 * Notes that a stored object shows an address which the record does not grant it; see `AddressBook.contest`.
 *
 * @param context - the ledger's parts
 * @param request - the stored object, and what it shows
 * @returns whether the address is contested now; false where the record grants it to the object; or refusal `cluster/quota` where so many
 *   objects of the cluster contest it that one more changes nothing
 */
export async function contest(context: LedgerContext, request: ContestRequest): Promise<Outcome<boolean>> {
  return untilSettled(() => context.turns.run(request.address, () => contestOnce(context, request)));
}

/**
 * Ends what a stored object contests; see `AddressBook.endContests`.
 *
 * @param context - the ledger's parts
 * @param request - UID and cluster of the object, and what it still shows
 * @returns the addresses that it contests no more; or refusal `store/conflict`, after which the call can be repeated
 */
export async function endContests(
  context: LedgerContext,
  { serviceUid: uid, clusterUid: cluster, keep }: EndContests,
): Promise<Outcome<readonly Address[]>> {
  const ended: Address[] = [];
  for (const { network, address } of await context.claims.list({ by: 'uid', uid })) {
    if (isIn(address, keep)) continue;
    const endOnce = async (): Promise<Attempt<boolean>> => {
      const record = await context.claims.get({ network, address });
      const holder = record === undefined ? undefined : contestedHolder(record, { uid, cluster });
      return record === undefined || holder === undefined ? accept(false) : endOne(context, { record, holder });
    };
    const done = await untilSettled(() => context.turns.run(address, endOnce));
    if (!done.ok) return done;
    if (done.value) ended.push(address);
  }
  return accept(ended);
}

// The quarantine of a holder that was released meanwhile goes on; a contest alone starts none.
async function endOne(context: LedgerContext, claim: Claim): Promise<Attempt<boolean>> {
  const dropped = await dropClaim(context, claim, true);
  return dropped === 'again' || !dropped.ok ? dropped : accept(true);
}

async function contestOnce(
  context: LedgerContext,
  { claimant, zone: name, address }: ContestRequest,
): Promise<Attempt<boolean>> {
  const catalogue = context.zones.current();
  const zone = catalogue.zone(name);
  if (zone === undefined) return { ok: false, refusal: unknownZone(catalogue, name) };
  const holder: NewHolder = { owner: ownerOf(claimant), state: 'contested' };
  const { network } = zone;
  const record = await context.claims.get({ network, address });
  if (record?.state === 'held') return contestHeld(context, record, { claimant, holder });
  // an address that is in use is no longer between two owners
  const over = record?.state === 'quarantined' ? { returningOver: record.version } : {};
  const want = { family: address.family, address, space: PrefixSet.EMPTY, ...over };
  const taken = await context.claims.take({ network, pool: name, wants: [want], holder });
  if (taken.ok) return accept(true);
  return record?.state !== 'foreign' && lostRace(taken.refusal) ? 'again' : taken;
}

async function contestHeld(
  context: LedgerContext,
  record: AddressRecord,
  { claimant, holder }: { readonly claimant: ContestRequest['claimant']; readonly holder: NewHolder },
): Promise<Attempt<boolean>> {
  const { owner } = holder;
  const own = ownHolder(record, claimant);
  // one of the same name that is bound to an older object may not become this one's
  if (own !== undefined && (own.owner.uid ?? owner.uid) === owner.uid) return accept(false);
  return contestedHolder(record, owner) === undefined ? join(context, record, holder) : accept(true);
}

async function join(context: LedgerContext, record: AddressRecord, holder: NewHolder): Promise<Attempt<boolean>> {
  const { network, address, version, holders } = record;
  const { cluster } = holder.owner;
  const contesting = holders.filter(({ state, owner }) => state === 'contested' && owner.cluster === cluster);
  if (contesting.length >= MOST_CONTESTING) return refuseContest(cluster, address);
  const written = orAgain(await context.claims.bind({ network, address, version, holder }));
  return written === 'again' || !written.ok ? written : accept(true);
}

function refuseContest(cluster: string, address: Address): Outcome<never> {
  const value = address.toString();
  const message = `address "${value}" is contested by ${MOST_CONTESTING} objects of cluster "${cluster}" already, which is the limit; it is given to no other owner while one of them shows it`;
  return refuse('cluster/quota', message, { value });
}
