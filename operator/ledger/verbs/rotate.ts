import { quoteValue } from '../../contract/quote';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { Grant, RotateRequest } from '../../ports/address-book';
import type { AddressRecord, SecretProof } from '../../ports/claims';
import { checkSecret } from '../../rules/secrets';
import { grantedHolders, ownHolder, type Claim } from '../records/claims';
import { outdatedProblem } from '../records/expect-version';
import { explain, namesFor, sharersText } from '../records/holder-words';
import { recordAt } from '../decisions/find-claim';
import { grantOf } from '../records/grant';
import { changedHolder, sameContent } from '../records/holder-draft';
import type { LedgerContext } from '../records/ledger-context';
import { keyUnder, proofOf, prove, type ShownProof } from '../records/proof';
import { orAgain, untilSettled, type Attempt } from '../records/until-settled';
import { unknownZone } from '../../rules/zone-limits';

/**
 * Changes the secret of an address; see `AddressBook.rotate`. A retained claim is recalled by it. Repeating a rotation that
 * is done already succeeds.
 *
 * @param context - the ledger's parts
 * @param request - address, claimant, old and new secret
 * @returns the grant; or refusal `secret/invalid`, `zone/unknown`, `claim/not-found`, `secret/wrong`, `secret/shared`, `address/held`
 */
export async function rotate(context: LedgerContext, request: RotateRequest): Promise<Outcome<Grant>> {
  const lengths = [checkSecret(request.secret.value, 'secret'), checkSecret(request.newSecret.value, 'new_secret')];
  const bad = lengths.find((each) => !each.ok);
  if (bad?.ok === false) return bad;
  const shown = proofOf(context.hasher, request.secret);
  const next = proofOf(context.hasher, request.newSecret);
  return untilSettled(() => context.turns.run(request.address, () => rotateOnce(context, request, { shown, next })));
}

interface Secrets {
  readonly shown: ShownProof;
  readonly next: ShownProof;
}

async function rotateOnce(context: LedgerContext, request: RotateRequest, secrets: Secrets): Promise<Attempt<Grant>> {
  const record = await recordAt(context, request);
  if (record === undefined || record.state === 'quarantined') return notFound(context, request);
  const outdated = outdatedProblem(record, request.version);
  if (outdated !== undefined) return outdated;
  const holder = ownHolder(record, request.claimant);
  if (holder === undefined) return foreign(record, request, secrets.shown);
  const value = record.address.toString();
  const isDone = prove(record, request.claimant, secrets.next) === 'proven';
  if (!isDone && prove(record, request.claimant, secrets.shown) !== 'proven') {
    return refuse('secret/wrong', `the secret does not own address "${value}"`, { value });
  }
  const others = grantedHolders(record).filter((other) => other.id !== holder.id);
  if (!isDone && others.length > 0) {
    return refuse(
      'secret/shared',
      `the secret of address "${value}" cannot change while ${sharersText(others, record, namesFor(request.claimant))} share it`,
      { value },
    );
  }
  return write(context, { record, holder }, { request, secret: isDone ? undefined : secrets.next });
}

async function write(
  context: LedgerContext,
  { record, holder: old }: Claim,
  { request, secret }: { request: RotateRequest; secret: SecretProof | undefined },
): Promise<Attempt<Grant>> {
  const recalled = old.state === 'retained' ? { state: 'bound' as const, expiry: undefined } : {};
  const key = keyUnder(old.key, record.secret, secret);
  const holder = changedHolder(old, { options: request.options, key, ...recalled });
  if (secret === undefined && sameContent(holder, old)) return accept(grantOf({ record, holder: old }, false));
  const { network, address, version } = record;
  const change = { network, address, version, holderId: old.id, holder };
  const written = orAgain(await context.claims.bind(secret === undefined ? change : { ...change, secret }));
  if (written === 'again' || !written.ok) return written;
  const left = written.value.holders.find((each) => each.id === old.id);
  return left === undefined ? 'again' : accept(grantOf({ record: written.value, holder: left }, false));
}

function foreign(record: AddressRecord, { claimant }: RotateRequest, shown: ShownProof): Outcome<never> {
  const value = record.address.toString();
  if (prove(record, claimant, shown) === 'proven') {
    return refuse(
      'address/held',
      `address "${value}" ${explain(record, namesFor(claimant))}; only its holder can change the secret`,
      {
        value,
      },
    );
  }
  return refuse('secret/wrong', `the secret does not own address "${value}"`, { value });
}

function notFound(context: LedgerContext, { zone, address }: RotateRequest): Outcome<never> {
  const catalogue = context.zones.current();
  if (catalogue.zone(zone) === undefined) return { ok: false, refusal: unknownZone(catalogue, zone) };
  const value = address.toString();
  return refuse('claim/not-found', `no claim holds address "${value}" of zone ${quoteValue(zone)}`, { value });
}
