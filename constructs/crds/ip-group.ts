// Generated from the declaration in operator/contract/kinds by `npm run generate`; edit that one.

import type { LabelSelector } from '../../operator/contract/label-selector';

/** Addresses that are given out, and the Services that get them. */
export interface IPGroupSpec {
  /**
   * Addresses that are given out, in CIDR notation; 1.1.1.5/29 means all of 1.1.1.0/29.
   *
   * @default - none
   */
  readonly segment?: string;
  /**
   * Further segments in CIDR notation, of one family or of both.
   *
   * @default - none
   */
  readonly segments?: readonly string[];
  /**
   * Addresses that are never given out: single ones, ranges such as 1.1.1.1-1.1.1.9, or CIDR notation.
   *
   * @default - none
   */
  readonly excludedIPs?: readonly string[];
  /**
   * Network of the addresses, by which other front doors keep away from them; default by default.
   *
   * @default - none
   */
  readonly network?: string;
  /**
   * Groups of higher priority are chosen first, and groups of one priority by their names; 0 by default.
   *
   * @default - none
   */
  readonly priority?: number;
  /**
   * Namespaces that the group serves; all by default.
   *
   * @default - none
   */
  readonly namespaces?: LabelSelector;
  /**
   * Services that the group serves; all by default.
   *
   * @default - none
   */
  readonly services?: LabelSelector;
  /**
   * Only Services of this spec.loadBalancerClass are served; every class of the operator by default.
   *
   * @default - none
   */
  readonly loadBalancerClass?: string;
  /**
   * Only Services that name the group or one of its addresses are served; false by default.
   *
   * @default - none
   */
  readonly explicitOnly?: boolean;
  /**
   * Nothing new is given out, and holders keep what they have; false by default.
   *
   * @default - none
   */
  readonly draining?: boolean;
  /**
   * Seconds for which a released address waits for its former holder; 0 by default.
   *
   * @default - none
   */
  readonly quarantineSeconds?: number;
  /**
   * lowest: the lowest free address of all segments; segments: the first segment with a free one; lowest by default.
   *
   * @default - none
   */
  readonly searchOrder?: 'lowest' | 'segments';
  /**
   * A change that cuts out addresses in use is applied; their holders keep them and drain; false by default.
   *
   * @default - none
   */
  readonly force?: boolean;
}
