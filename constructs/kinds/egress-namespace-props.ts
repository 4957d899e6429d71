import type { EgressWish } from './egress-opt-ins';

/** Props of an {@link EgressNamespace}. */
export interface EgressNamespaceProps extends EgressWish {
  /**
   * DNS label.
   *
   * @default - the construct's id
   */
  readonly name?: string;
  /** Name of the EgressIPAM that gives its addresses: {@link EgressIpam.name}. Where the app declares EgressIPAMs of the cluster, one of them. */
  readonly egressIpam: string;
  /**
   * Labels of the object.
   *
   * @default - those of the chart
   */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * Annotations of the object beside those of the EgressIPAM.
   *
   * @default - none
   */
  readonly annotations?: Readonly<Record<string, string>>;
  /**
   * Name of the cluster that the object is for, any word, where one app describes several.
   *
   * @default - every cluster of the app
   */
  readonly cluster?: string;
}
