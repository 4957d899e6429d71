import type { k8s } from 'cdk8s-plus-28';

import type { SecretKeyReference } from '../../props-kit/secret-key';

/** CPU and memory as Kubernetes writes quantities. */
export interface OperatorResources {
  /**
   * CPU that the scheduler sets aside.
   *
   * @default '50m'
   */
  readonly cpuRequest?: string;
  /**
   * CPU that the Pod cannot exceed.
   *
   * @default - no limit: a throttled webhook makes every Service wait
   */
  readonly cpuLimit?: string;
  /**
   * Memory that the scheduler sets aside.
   *
   * @default '192Mi'
   */
  readonly memoryRequest?: string;
  /**
   * Memory above which the Pod is ended.
   *
   * @default '512Mi'
   */
  readonly memoryLimit?: string;
}

/** One variable for the operator's process, with exactly one source. */
export interface OperatorEnvVar {
  /** Name; options of the operator itself (`IPAM_…`) are props. */
  readonly name: string;
  /**
   * Plain value, visible to every reader of Deployments.
   *
   * @default - none
   */
  readonly value?: string;
  /**
   * Key of a Secret in the operator's namespace; the default key is the name of the variable.
   *
   * @default - none
   */
  readonly secret?: SecretKeyReference;
}

/** Where the Pods run, and what they carry. */
export interface OperatorPodProps {
  /**
   * Priority class of the Pods; with policy `deny` Services cannot be made while none runs.
   *
   * @default - none; `system-cluster-critical` is a good choice where the cluster allows it outside of kube-system
   */
  readonly priorityClassName?: string;
  /**
   * CPU and memory.
   *
   * @default - every default of {@link OperatorResources}
   */
  readonly resources?: OperatorResources;
  /**
   * Labels of the nodes to run on, beside `kubernetes.io/os: linux`.
   *
   * @default - any Linux node
   */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /**
   * Taints that the Pods bear.
   *
   * @default - none
   */
  readonly tolerations?: readonly k8s.Toleration[];
  /**
   * Affinity to nodes and Pods.
   *
   * @default - none
   */
  readonly affinity?: k8s.Affinity;
  /**
   * How replicas are spread; an empty list takes the default away.
   *
   * @default - several replicas over zones and nodes, as well as it can be done
   */
  readonly topologySpread?: readonly k8s.TopologySpreadConstraint[];
  /**
   * Variables of the process, for example of a proxy.
   *
   * @default - none
   */
  readonly extraEnv?: readonly OperatorEnvVar[];
  /**
   * Annotations of the Pods.
   *
   * @default - only the default container for kubectl
   */
  readonly podAnnotations?: Readonly<Record<string, string>>;
  /**
   * Labels of the Pods, beside those that select them.
   *
   * @default - none more
   */
  readonly podLabels?: Readonly<Record<string, string>>;
}
