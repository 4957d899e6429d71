import type { Address } from '../../../addressing/address';
import { EGRESS_DATAPLANE_GONE } from '../../../contract/egress';
import { ADDRESS_CLAIM } from '../../../contract/kinds/address-claim';

/** An address that is to be released, and stays on record since a dataplane which is not driven may have it. */
export interface HeldBack {
  readonly namespace: string;
  /** EgressIPAM that gave it. */
  readonly egressIpam: string;
  readonly address: Address;
  readonly dataplanes: readonly string[];
}

/**
 * Says why an address stays on record, and how that ends.
 *
 * @param held - address and dataplanes
 * @returns a sentence for users
 */
export const heldBackText = ({ address, dataplanes }: Pick<HeldBack, 'address' | 'dataplanes'>): string =>
  notReleasedText(address.toString(), dataplanes);

/**
 * Says that an address cannot be released now, and how it can be.
 *
 * @param address - its text
 * @param dataplanes - that may have it, and are not driven
 * @returns a sentence for users
 */
export function notReleasedText(address: string, dataplanes: readonly string[]): string {
  const cure = `name it in egress.dataplanes, or annotate the ${ADDRESS_CLAIM.kind} with ${EGRESS_DATAPLANE_GONE}=true once its objects are gone`;
  return `${address} is not released while ${dataplanes.join(' and ')}, which is not driven, may have it: ${cure}`;
}
