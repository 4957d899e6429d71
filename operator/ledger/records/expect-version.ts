import { refuse, type Outcome } from '../../errors/outcome';
import type { Expectation } from '../../ports/address-book';
import type { AddressRecord } from '../../ports/claims';

/**
 * Compares the record with the one that a caller decided on. The write that follows is guarded by the version of the same
 * record, so no other write comes between the comparison and this one.
 *
 * @param record - the address as it is now
 * @param version - version that the caller read; absent: any will do
 * @returns refusal `api/outdated`; undefined when the caller knows the newest
 */
export function outdatedProblem(record: AddressRecord, version: number | undefined): Outcome<never> | undefined {
  return version === undefined ? undefined : unexpected(record, { match: [version] });
}

/**
 * Compares the claim with what a caller expects it to be (RFC 9110, sections 13.1.1 and 13.1.2).
 *
 * @param record - the address of the claim as it is now; absent: there is no claim
 * @param expects - versions that it must have, or must not have; absent: whatever it is
 * @returns refusal `api/outdated` that names the header; undefined when it is as expected
 */
export function unexpected(
  record: AddressRecord | undefined,
  { match, noneMatch }: Expectation = {},
): Outcome<never> | undefined {
  if (match !== undefined && !isAmong(record, match)) return unmatched(record, match);
  if (noneMatch === undefined || !isAmong(record, noneMatch)) return undefined;
  return refuse('api/outdated', `the claim exists already and has version ${String(record?.version)}`, {
    field: 'if-none-match',
  });
}

function isAmong(record: AddressRecord | undefined, versions: 'any' | readonly number[]): boolean {
  return record !== undefined && (versions === 'any' || versions.includes(record.version));
}

function unmatched(record: AddressRecord | undefined, match: 'any' | readonly number[]): Outcome<never> {
  const field = 'if-match';
  if (record === undefined) return refuse('api/outdated', 'there is no claim that could match', { field });
  if (match === 'any' || match.length === 0) {
    const message = `the header has no tag of a claim; its present one is "${record.version}", with the quotes`;
    return refuse('api/outdated', message, { field });
  }
  const value = match.join(', ');
  return refuse('api/outdated', `the claim has version ${record.version} now, not ${value}; read it again`, {
    field,
    value,
  });
}
