import { serviceIdentity } from '../../contract/service-identity';
import { NEVER_SHARES } from '../../contract/sharing-terms';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { ExchangeMove, Grant } from '../../ports/address-book';
import type { AddressRecord, Exchanges } from '../../ports/claims';
import { samePlace } from '../../rules/secrets';
import { othersOn } from '../decisions/keep-claim';
import { blockersOf, unshareable } from '../decisions/sharing-check';
import type { Claim } from '../records/claims';
import { grantOf } from '../records/grant';
import { namesOf } from '../../errors/named-objects';
import { explain } from '../records/holder-words';
import type { LedgerContext } from '../records/ledger-context';
import { orAgain, untilSettled, type Attempt } from '../records/until-settled';

/**
 * Exchanges the addresses of a circle of stored objects; see `AddressBook.exchange`.
 *
 * @param context - the ledger's parts
 * @param moves - each object, with the address that it leaves and the one that it comes to
 * @returns the new grants, in the order of the moves; or the refusal
 */
export async function exchange(
  context: LedgerContext,
  moves: readonly ExchangeMove[],
): Promise<Outcome<readonly Grant[]>> {
  const { exchanges } = context;
  if (exchanges === undefined)
    return refuse('store/no-exchange', 'the store of addresses cannot exchange addresses in one step');
  return untilSettled(() => exchangeOnce(context, exchanges, moves));
}

async function exchangeOnce(
  { claims }: LedgerContext,
  exchanges: Exchanges,
  moves: readonly ExchangeMove[],
): Promise<Attempt<readonly Grant[]>> {
  const leaving: Claim[] = [];
  for (const move of moves) {
    const record = await claims.get({ network: move.network, address: move.from });
    const claim = boundClaim(record, move);
    if (!claim.ok) return claim;
    leaving.push(claim.value);
  }
  const problem = ownerProblem(leaving) ?? sharingProblem(moves, leaving);
  if (problem !== undefined) return problem;
  const places = moves.map(({ network, to }, i) => {
    const { record, holder } = leaving[i] as Claim;
    const from = { network, address: record.address, version: record.version, holderId: holder.id };
    return { from, to: { network, address: to } };
  });
  const exchanged = orAgain(await exchanges.exchange(places));
  if (exchanged === 'again' || !exchanged.ok) return exchanged;
  const grants = exchanged.value.map((record, i) => {
    const holder = record.holders.find(({ id }) => id === leaving[i]?.holder.id);
    return holder === undefined ? undefined : grantOf({ record, holder }, false);
  });
  return accept(grants.filter((grant) => grant !== undefined));
}

function boundClaim(record: AddressRecord | undefined, move: ExchangeMove): Outcome<Claim> {
  const { serviceUid, clusterUid, from } = move;
  const holder = record?.holders.find(
    ({ state, owner }) => state === 'bound' && owner.uid === serviceUid && owner.cluster === clusterUid,
  );
  if (record !== undefined && holder !== undefined) return accept({ record, holder });
  const value = from.toString();
  const standing = record === undefined ? 'is free' : explain(record, namesOf(clusterUid));
  return refuse('reservation/missing', `address "${value}" cannot be exchanged, since it ${standing}`, { value });
}

// A claimant with the secret of an address owns it inside of the namespace, so one secret for all of them proves every move.
function ownerProblem([first, ...others]: readonly Claim[]): Outcome<never> | undefined {
  const secret = first?.record.secret;
  if (first === undefined || secret === undefined) return foreignSecret(first);
  const place = serviceIdentity(first.holder.owner);
  const stranger = others.find(({ record, holder }) => {
    const isProven = record.secret?.hash === secret.hash && record.secret.scope === secret.scope;
    return !isProven || !samePlace(serviceIdentity(holder.owner), place);
  });
  return stranger === undefined ? undefined : foreignSecret(stranger);
}

function foreignSecret(claim: Claim | undefined): Outcome<never> {
  const value = claim?.record.address.toString() ?? '';
  const message = `address "${value}" is held under another secret, or in another namespace, than those that it would be exchanged with`;
  return refuse('secret/wrong', message, { value });
}

// Others on the address stay where they are, and have to share it with the one that comes.
function sharingProblem(moves: readonly ExchangeMove[], leaving: readonly Claim[]): Outcome<never> | undefined {
  for (const [i, { network, to }] of moves.entries()) {
    const there = leaving.find(({ record }) => record.network === network && record.address.equals(to));
    const holder = leaving[i]?.holder;
    if (there === undefined || holder === undefined) continue; // no circle: the store refuses it
    const [blocker] = blockersOf(
      { owner: holder.owner, terms: holder.sharing ?? NEVER_SHARES, stays: false },
      othersOn(there),
    );
    if (blocker !== undefined) return { ok: false, refusal: unshareable(there.record, blocker) };
  }
  return undefined;
}
