import type { AddressClaimSpec } from './crds/address-claim';

/** What an {@link AddressClaim} is made of. */
export interface AddressClaimProps {
  /** Who holds which address. The name of the object follows from it. */
  readonly spec: AddressClaimSpec;
  /**
   * Labels of the object.
   *
   * @default - those of the chart
   */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * Annotations of the object.
   *
   * @default - none
   */
  readonly annotations?: Readonly<Record<string, string>>;
}
