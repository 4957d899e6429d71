import type { ApiObjectMetadataDefinition } from 'cdk8s';

import type { EgressIPAMSpec } from '../crds/egress-ipam';

/** A Namespace of cdk8s-plus, or its ApiObject. */
export interface OptedInNamespace {
  /** To which the annotation is added. */
  readonly metadata: ApiObjectMetadataDefinition;
}

/** Props of an {@link EgressIpam}. */
export interface EgressIpamProps {
  /**
   * DNS name, by which namespaces opt in.
   *
   * @default - the construct's id
   */
  readonly name?: string;
  /** Addresses that namespaces are given, and the nodes that carry them. */
  readonly spec: EgressIPAMSpec;
  /**
   * Labels of the object.
   *
   * @default - those of the chart
   */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * Name of the cluster that the object is for, any word, where one app describes several: CIDRs of different clusters may overlap.
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
