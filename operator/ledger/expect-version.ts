import { refuse, type Outcome } from '../errors/outcome';
import type { AddressRecord } from '../ports/claim-store';

/**
 * Compares the record with the one that a caller decided on. The write that follows is guarded by the version of the same
 * record, so nobody comes between the comparison and the write.
 *
 * @param record - the address as it is now
 * @param version - version that the caller read; absent: any will do
 * @returns refusal `api/outdated`; undefined when the caller knows the newest
 */
export function outdatedProblem(record: AddressRecord, version: number | undefined): Outcome<never> | undefined {
  if (version === undefined || version === record.version) return undefined;
  return refuse('api/outdated', `the claim has version ${record.version} now, not ${version}; read it again`, {
    field: 'if-match',
    value: String(version),
  });
}
