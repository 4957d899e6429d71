import {
  ADDRESS_CLAIM,
  addressClaimProblems,
  type AddressClaimObject,
} from '../../operator/contract/kinds/address-claim';
import { metadataOf, textOf, type JsonMap } from '../../operator/contract/loose-json';

/** The schema of AddressClaims for an API server in memory: the first problem of one, as the real server would refuse it. */
export function claimProblem(object: JsonMap, before?: JsonMap): string | undefined {
  if (object['kind'] !== ADDRESS_CLAIM.kind) return undefined;
  const { apiVersion, kind, metadata, spec } = object;
  const name = textOf(metadataOf({ metadata })['name']);
  const whole = { apiVersion, kind, metadata: { name }, spec };
  return addressClaimProblems(whole, before as AddressClaimObject | undefined)[0]?.message;
}
