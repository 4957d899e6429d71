import {
  ADDRESS_CLAIM,
  addressClaimProblems,
  type AddressClaimObject,
} from '../../operator/contract/kinds/address-claim';
import { ADDRESS_TABLE } from '../../operator/contract/kinds/address-table';
import { IP, ipProblems, type IpObject } from '../../operator/contract/kinds/ip';
import { metadataOf, textOf, type JsonMap } from '../../operator/contract/loose-json';
import { KindValidator } from '../../operator/contract/validator';
import type { Refusal } from '../../operator/errors/outcome';

const tables = new KindValidator(ADDRESS_TABLE, 'claim/invalid');

/** Every problem of an AddressTable, as the API server finds them. */
export function addressTableProblems(object: unknown): readonly Refusal[] {
  return tables.problems(object);
}

/** The schemas of our kinds for an API server in memory: the first problem of an object, as the real server would refuse it. */
export function claimProblem(object: JsonMap, before?: JsonMap): string | undefined {
  const { apiVersion, kind, metadata, spec } = object;
  const whole = { apiVersion, kind, metadata: { name: textOf(metadataOf({ metadata })['name']) }, spec };
  if (kind === ADDRESS_TABLE.kind) return addressTableProblems(whole)[0]?.message;
  if (kind === IP.kind) return ipProblems(whole, before as IpObject | undefined)[0]?.message;
  if (kind !== ADDRESS_CLAIM.kind) return undefined;
  return addressClaimProblems(whole, before as AddressClaimObject | undefined)[0]?.message;
}
