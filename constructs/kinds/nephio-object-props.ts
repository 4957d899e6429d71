/** Props of every object of `ipam.nephio.org`. */
export interface NephioObjectProps {
  /**
   * Name of the object.
   *
   * @default - the construct's id
   */
  readonly name?: string;
  /**
   * Namespace of the object; NetworkInstance, prefixes and allocations that belong together stand in one.
   *
   * @default - that of the chart
   */
  readonly namespace?: string;
  /**
   * Labels of the object, by which allocations select prefixes.
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
  /**
   * Name of the cluster that the object is for, any word, where one app describes several: prefixes of different clusters may overlap.
   *
   * @default - every cluster of the app
   */
  readonly cluster?: string;
}
