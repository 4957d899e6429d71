import type { IPGroupSpec } from '../crds/ip-group';

/** Props of an {@link IpGroup}. */
export interface IpGroupProps {
  /**
   * DNS name; Services name it in `paas.org/ipgroup`, and groups of one priority are chosen by their names.
   *
   * @default - the construct's id
   */
  readonly name?: string;
  /** Addresses that are given out, and the Services that get them. */
  readonly spec: IPGroupSpec;
  /**
   * Labels of the object.
   *
   * @default - those of the chart
   */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * Name of the cluster that the group is for, any word, where one app describes several: groups of different clusters may overlap.
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
