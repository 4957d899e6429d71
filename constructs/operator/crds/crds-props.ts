/** Group that may change claims by hand unless another one is set. */
export const DEFAULT_BREAK_GLASS_GROUP = 'ipam-break-glass';

/** The kinds that the operator brings. */
export interface CrdsProps {
  /**
   * Whether the CRDs, and the policy that guards their objects, are part of the installation. False where another tool
   * installs them.
   *
   * @default true
   */
  readonly install?: boolean;
  /**
   * Whether the CRDs stay when the operator is uninstalled. Without its CRD every AddressClaim is gone, and with it the record
   * of the holders.
   *
   * @default true
   */
  readonly keep?: boolean;
  /**
   * Group whose members may change claims by hand in an emergency, as far as their roles allow. No other user may, not even
   * cluster administrators.
   *
   * @default 'ipam-break-glass'
   */
  readonly breakGlassGroup?: string;
}
