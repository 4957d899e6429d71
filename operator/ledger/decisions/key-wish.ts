import { NO_OPTIONS } from '../../contract/claim-options';
import { quoteValue } from '../../contract/quote';
import type { Outcome, Refusal } from '../../errors/outcome';
import type { AddressRecord, Holder } from '../../ports/claims';
import { isClaimant, type Claim } from '../records/claims';
import { unexpected } from '../records/expect-version';
import { explain, namesFor } from '../records/holder-words';
import { sameTerms } from '../records/holder-draft';
import { isSuccessor, keepClaim } from './keep-claim';
import type { LedgerContext } from '../records/ledger-context';
import { refused, type ReserveCase, type Step } from './reserve-case';
import { belongsToZone } from './zone-gate';

/**
 * Finds what a key that the caller chose stands for already: the same wish gives its claim again, another one is refused,
 * and so is every one where the claim is not as the caller expects.
 *
 * @param context - the ledger's parts
 * @param on - the case
 * @returns the step; undefined where the caller chose no key, or nothing has it
 */
export async function keyedClaim({ claims }: LedgerContext, on: ReserveCase): Promise<Step | undefined> {
  const { key, request } = on;
  if (key === undefined || request.key === undefined) return undefined;
  const [record] = await claims.list({ by: 'key', key });
  const holder = record?.holders.find((each) => each.key === key);
  if (record !== undefined && holder !== undefined) return keptUnderKey(on, { record, holder });
  return outdated(unexpected(undefined, request.expects));
}

/**
 * Judges a request against the claim that has its key.
 *
 * @param on - the case
 * @param claim - the claim that has the key
 * @returns what keeps the claim; or refusal `claim/key-used` that names the member that contradicts it
 */
export function keptUnderKey(on: ReserveCase, claim: Claim): Step {
  if (on.request.key === undefined) return keepClaim(on, claim);
  const other = outdated(unexpected(claim.record, on.request.expects));
  if (other !== undefined) return other;
  const found = contradiction(on, claim);
  if (found === undefined) return keepClaim(on, claim);
  const { record } = claim;
  const { field, value, has } = found;
  const key = quoteValue(on.request.key);
  const address = record.address.toString();
  const message = `${field}: ${quoteValue(value)} contradicts key ${key}, which stands for ${has}: address "${address}" of zone ${quoteValue(record.pool)} ${explain(record, namesFor(on.request.claimant))}; choose another key, or release that claim first`;
  return refused('claim/key-used', message, { field, value });
}

function outdated(problem: Outcome<never> | undefined): Step | undefined {
  return problem?.ok === false ? { do: 'refuse', refusal: problem.refusal } : undefined;
}

type Contradiction = Required<Pick<Refusal, 'field' | 'value'>> & { readonly has: string };

function contradiction({ request, zone }: ReserveCase, { record, holder }: Claim): Contradiction | undefined {
  const { claimant, family, wish } = request;
  if (!isClaimant(holder, claimant)) return otherService(holder, request);
  if (!belongsToZone(record, request.zone, zone)) {
    return { field: 'zone', value: request.zone, has: `zone ${quoteValue(record.pool)}` };
  }
  if (record.family !== family) return { field: 'family', value: word(family), has: word(record.family) };
  if (wish !== undefined && !wish.equals(record.address)) {
    return { field: 'address', value: wish.toString(), has: `address "${record.address.toString()}"` };
  }
  return isSuccessor({ request }, holder) ? otherTerms(request, holder) : undefined;
}

// A claimant that is not the stored object changes none of its terms, so asking for others is another wish; PATCH names the object.
function otherTerms(
  { options, sharing, writtenKeys }: ReserveCase['request'],
  holder: Holder,
): Contradiction | undefined {
  for (const name of ['retentionPeriodDays', 'denyExternalCleanup'] as const) {
    const own = (holder.options ?? NO_OPTIONS)[name];
    const [value, has] = [String(options[name]), `${name} ${String(own)}`];
    if (options[name] !== own) return { field: `options.${name}`, value, has };
  }
  if (sharing !== undefined && !sameTerms(sharing, holder.sharing)) {
    return {
      field: 'sharing',
      value: sharing.key,
      has: `sharing key ${quoteValue(holder.sharing?.key ?? '')} and its terms`,
    };
  }
  const [asked, kept] = [writtenKeys.join(), (holder.writtenKeys ?? []).join()];
  return asked === kept ? undefined : { field: 'writtenKeys', value: asked, has: `keys ${quoteValue(kept)}` };
}

function otherService({ owner }: Holder, { claimant }: ReserveCase['request']): Contradiction {
  const place = owner.namespace === '' ? owner.namespaceUid : owner.namespace;
  const { serviceName } = claimant.service;
  const isNamed = serviceName !== '';
  return {
    field: isNamed ? 'claimant.serviceName' : 'claimant.serviceUid',
    value: isNamed ? serviceName : (claimant.serviceUid ?? ''),
    has: `service ${quoteValue(`${place}/${owner.name}`)}`,
  };
}

function word(family: AddressRecord['family']): string {
  return `ipv${family}`;
}
