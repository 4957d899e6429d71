import type { AddressClaimSpec } from '../crds/address-claim';

/** Props of an {@link AddressClaim}. */
export interface AddressClaimProps {
  /** The claimed address and its holder. The name of the object follows from them. */
  readonly spec: AddressClaimSpec;
  /**
   * Labels of the object.
   *
   * @default - those of the chart
   */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * Name of the cluster that the claim is for, any word, where one app describes several: claims of different clusters may have one
   * name.
   *
   * @default - every cluster of the app
   */
  readonly cluster?: string;
  /**
   * Annotations of the object.
   *
   * @default - none
   */
  readonly annotations?: Readonly<Record<string, string>>;
}
