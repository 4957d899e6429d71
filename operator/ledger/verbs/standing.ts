import { quoteValue } from '../../contract/quote';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { Address } from '../../addressing/address';
import type { ReserveRequest } from '../../ports/address-book';
import type { AddressRecord } from '../../ports/claims';
import type { StandingClaim } from '../../ports/registry';
import { changedHolder } from '../records/holder-draft';
import type { LedgerContext } from '../records/ledger-context';
import { proofOf, prove } from '../records/proof';
import { releaseHolder } from './release-holder';
import { openCase, requestProblem, settleCase } from './reserve';
import { orAgain } from '../records/until-settled';

const LONGEST_NAME = 253;
const LONGEST_PURPOSE = 1000;
const NO_PLACE = { namespaceUid: '', clusterUid: '' } as const;

/**
 * Finds a standing claim; see `Registry.standing`.
 *
 * @param context - the ledger's parts
 * @param name - of the claim
 * @returns its live record
 */
export async function findStanding(context: LedgerContext, name: string): Promise<AddressRecord | undefined> {
  const [record] = await context.claims.list({ by: 'key', key: keyOf(name) });
  return record;
}

/**
 * Takes or finds a standing claim; see `Registry.putStanding`.
 *
 * @param context - the ledger's parts
 * @param claim - name, zone, wish, secret
 * @returns the record; or refusal `claim/invalid`, `claim/key-used`, `secret/wrong`, and whatever `reserve` refuses
 */
export async function putStanding(context: LedgerContext, claim: StandingClaim): Promise<Outcome<AddressRecord>> {
  const request = requestOf(claim);
  const problem = claimProblem(claim) ?? requestProblem(request);
  if (problem !== undefined) return problem;
  const found = await findStanding(context, claim.name);
  if (found !== undefined) return kept(context, found, claim);
  const { name, purpose } = claim;
  const granted = await settleCase(context, () => ({ ...openCase(context, request), key: keyOf(name), purpose }));
  if (!granted.ok) return granted;
  const record = await findStanding(context, name);
  if (record !== undefined) return kept(context, record, claim);
  return refuse('store/conflict', `standing claim ${quoteValue(name)} was given up at the same moment; try again`);
}

/**
 * Gives a standing claim up; see `Registry.endStanding`. Others on its address stay.
 *
 * @param context - the ledger's parts
 * @param name - of the claim
 * @returns the address; or refusal `claim/not-found`
 */
export async function endStanding(
  context: LedgerContext,
  name: string,
): Promise<Outcome<{ readonly address: Address }>> {
  const record = await findStanding(context, name);
  const holder = record?.holders.find((each) => each.key === keyOf(name));
  if (record === undefined || holder === undefined) {
    return refuse('claim/not-found', `there is no standing claim ${quoteValue(name)}`, { value: name });
  }
  const { network, address } = record;
  const ended = await releaseHolder(context, { network, address, holderId: holder.id });
  return ended.ok ? accept({ address }) : ended;
}

function keyOf(name: string): string {
  return `standing:${name}`;
}

function requestOf({ name, zone, family, wish, secret }: StandingClaim): ReserveRequest {
  return {
    claimant: { service: { serviceName: name, ...NO_PLACE }, namespace: '' },
    zone,
    family,
    as: 'bound',
    writtenKeys: [],
    ...(wish === undefined ? {} : { wish }),
    secret: { value: secret, scope: 'shared' },
    options: { retentionPeriodDays: 0, denyExternalCleanup: true },
  };
}

function claimProblem({ name, purpose }: StandingClaim): Outcome<never> | undefined {
  if (name === '' || name.length > LONGEST_NAME) {
    const message = `name ${quoteValue(name)} of a standing claim has ${name.length} characters; 1 to ${LONGEST_NAME} are allowed`;
    return refuse('claim/invalid', message, { field: 'name', value: name });
  }
  if (/[\r\n]/.test(purpose) || purpose.length > LONGEST_PURPOSE) {
    const message = `purpose ${quoteValue(purpose)} of standing claim ${quoteValue(name)} is not one line of at most ${LONGEST_PURPOSE} characters`;
    return refuse('claim/invalid', message, { field: 'purpose' });
  }
  return undefined;
}

// The name stands for one wish; what it is for may change.
async function kept(
  context: LedgerContext,
  record: AddressRecord,
  claim: StandingClaim,
): Promise<Outcome<AddressRecord>> {
  const other = contradiction(record, claim);
  if (other !== undefined) return other;
  const { name, purpose } = claim;
  const { claimant, secret } = requestOf(claim);
  if (prove(record, claimant, proofOf(context.hasher, secret)) !== 'proven') {
    return refuse('secret/wrong', `the secret is not the one of standing claim ${quoteValue(name)}`, { value: name });
  }
  const holder = record.holders.find((each) => each.key === keyOf(name));
  if (holder === undefined || holder.purpose === purpose) return accept(record);
  const { network, address, version } = record;
  const changed = { network, address, version, holderId: holder.id, holder: changedHolder(holder, { purpose }) };
  const written = orAgain(await context.claims.bind(changed));
  // a holder joined or left at the same moment: it is judged anew as it is then
  return written === 'again' ? putStanding(context, claim) : written;
}

function contradiction(record: AddressRecord, { name, zone, family, wish }: StandingClaim): Outcome<never> | undefined {
  const value = record.address.toString();
  const asked =
    (record.pool === zone ? undefined : (['zone', zone] as const)) ??
    (record.family === family ? undefined : (['family', `ipv${family}`] as const)) ??
    (wish === undefined || wish.equals(record.address) ? undefined : (['address', wish.toString()] as const));
  if (asked === undefined) return undefined;
  const [field, other] = asked;
  const message = `${field}: ${quoteValue(other)} contradicts standing claim ${quoteValue(name)}, which has address "${value}" of zone "${record.pool}" already; give it up before it gets another one`;
  return refuse('claim/key-used', message, { field, value: other });
}
