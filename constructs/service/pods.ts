import type { ApiObjectMetadataDefinition } from 'cdk8s';
import type { IConstruct } from 'constructs';

import { hasFields } from '../props-kit/values';

/** A `LabelSelector` of cdk8s-plus, of any version. */
export interface ILabelSelector {
  /** Tells whether it selects everything. */
  isEmpty(): boolean;
}

/** Namespaces of {@link PodSelection}. */
export interface NamespaceSelection {
  /**
   * Labels of the namespaces.
   *
   * @default - none
   */
  readonly labelSelector?: ILabelSelector | undefined;
  /**
   * Names of the namespaces.
   *
   * @default - none
   */
  readonly names?: readonly string[] | undefined;
}

/** Pods that a {@link IPodSelector} selects. */
export interface PodSelection {
  /** Labels of the Pods. */
  readonly labelSelector: ILabelSelector;
  /**
   * Namespaces of the Pods.
   *
   * @default - that of the selecting object
   */
  readonly namespaces?: NamespaceSelection | undefined;
}

/** Pods, or a workload, of cdk8s-plus, of any version. */
export interface IPodSelector extends IConstruct {
  /** Says which Pods are meant. */
  toPodSelectorConfig(): PodSelection;
}

/** A Pod or a workload of cdk8s-plus, told by its members: each version of cdk8s-plus has classes of its own. */
export interface IPods extends IConstruct {
  /** Metadata of the object. */
  readonly metadata: ApiObjectMetadataDefinition;
  /** Metadata of the Pods. */
  readonly podMetadata: ApiObjectMetadataDefinition;
}

/** An expression by which a workload finds its Pods. */
export interface WorkloadExpression {
  /** Label that is looked at. */
  readonly key: string;
  /** Comparison, such as `In` or `Exists`. */
  readonly operator: string;
}

/** A port of a container. */
export interface WorkloadPort {
  /** Number of the port. */
  readonly number: number;
  /**
   * Name of the port.
   *
   * @default - none
   */
  readonly name?: string | undefined;
  /**
   * Protocol of the port.
   *
   * @default 'TCP'
   */
  readonly protocol?: string | undefined;
}

/** A container of a workload. */
export interface IWorkloadContainer {
  /** Ports that the container listens on. */
  readonly ports: readonly WorkloadPort[];
}

/** A Deployment, StatefulSet, DaemonSet or Job of cdk8s-plus, of any version, for {@link exposeViaIpam}. */
export interface IWorkload extends IPods {
  /** Name of the object. */
  readonly name: string;
  /** Containers of each Pod. */
  readonly containers: readonly IWorkloadContainer[];
  /** Labels by which it finds its Pods. */
  readonly matchLabels: Readonly<Record<string, string>>;
  /** Expressions by which it finds its Pods. */
  readonly matchExpressions: readonly WorkloadExpression[];
}

const has = (value: unknown, members: readonly string[]): boolean =>
  hasFields(value) && members.every((member) => member in value);

/**
 * Tells whether a value is a Pod or a workload of any cdk8s-plus.
 *
 * @param value - any
 * @returns true where it has the members of one
 */
export function isPods(value: unknown): value is IPods {
  return has(value, ['node', 'metadata', 'podMetadata', 'containers']);
}

/**
 * Tells whether a value is a workload, which selects its Pods by labels.
 *
 * @param value - any
 * @returns true where it has the members of one
 */
export function isWorkload(value: unknown): value is IWorkload {
  return isPods(value) && has(value, ['matchLabels', 'matchExpressions']);
}
