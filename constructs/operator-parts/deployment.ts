import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { OPERATOR_NAMESPACE } from '../../operator/contract/group';
import { FOLDERS, operatorArguments, PORTS, type OperatorArgumentsProps } from './arguments';
import { imageReference, type OperatorImage } from './image';
import { COMMON_LABELS, NAMES, PORT_NAMES, SELECTOR_LABELS } from './names';

/** CPU and memory as Kubernetes writes quantities. */
export interface OperatorResources {
  /** @default '50m' */
  readonly cpuRequest?: string;
  /** @default - no limit: a throttled webhook makes every Service wait */
  readonly cpuLimit?: string;
  /** @default '192Mi' */
  readonly memoryRequest?: string;
  /** @default '512Mi' */
  readonly memoryLimit?: string;
}

/** What the Deployment is made of. */
export interface OperatorDeploymentProps extends OperatorArgumentsProps {
  readonly image: OperatorImage;
  readonly resources: OperatorResources;
  /** @default - none */
  readonly priorityClassName?: string;
}

/** User and group of the image; distroless' `nonroot`. */
const USER = 65532;

/**
 * One Pod with the operator. It is stopped before its successor starts, since the SQLite file has one owner.
 */
export class OperatorDeployment extends Construct {
  /**
   * Declares the Deployment.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - image, resources and arguments
   */
  constructor(scope: Construct, id: string, props: OperatorDeploymentProps) {
    super(scope, id);
    new k8s.KubeDeployment(this, 'Resource', {
      metadata: {
        name: NAMES.deployment,
        namespace: OPERATOR_NAMESPACE,
        labels: { ...COMMON_LABELS, ...SELECTOR_LABELS },
      },
      spec: {
        replicas: 1,
        strategy: { type: 'Recreate' },
        revisionHistoryLimit: 3,
        selector: { matchLabels: SELECTOR_LABELS },
        template: {
          metadata: {
            labels: { ...COMMON_LABELS, ...SELECTOR_LABELS },
            annotations: { 'kubectl.kubernetes.io/default-container': 'manager' },
          },
          spec: podSpec(props),
        },
      },
    });
  }
}

function podSpec(props: OperatorDeploymentProps): k8s.PodSpec {
  const { pullSecrets = [] } = props.image;
  return {
    serviceAccountName: NAMES.serviceAccount,
    automountServiceAccountToken: true,
    enableServiceLinks: false, // else the Pod gets IPAM_* variables of our own Services, which look like settings
    terminationGracePeriodSeconds: 60, // longer than the API server waits for one review
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER,
      runAsGroup: USER,
      fsGroup: USER,
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    },
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    containers: [container(props)],
    volumes: [
      { name: 'zones', configMap: { name: NAMES.zonesConfigMap } },
      { name: 'certificate', secret: { secretName: NAMES.servingSecret, defaultMode: 0o440 } },
      { name: 'data', persistentVolumeClaim: { claimName: NAMES.dataVolume } },
      { name: 'scratch', emptyDir: { sizeLimit: k8s.Quantity.fromString('64Mi') } },
    ],
    ...(props.priorityClassName === undefined ? {} : { priorityClassName: props.priorityClassName }),
    ...(pullSecrets.length === 0 ? {} : { imagePullSecrets: pullSecrets.map((name) => ({ name })) }),
  };
}

function container(props: OperatorDeploymentProps): k8s.Container {
  return {
    name: 'manager',
    image: imageReference(props.image),
    imagePullPolicy: props.image.pullPolicy ?? 'IfNotPresent',
    args: [...operatorArguments(props)],
    ports: [
      { name: PORT_NAMES.webhook, containerPort: PORTS.webhook, protocol: 'TCP' },
      { name: PORT_NAMES.health, containerPort: PORTS.health, protocol: 'TCP' },
    ],
    // opening a large store can take a while; until then only this probe counts
    startupProbe: probe('/healthz', { periodSeconds: 2, failureThreshold: 60 }),
    livenessProbe: probe('/healthz', { periodSeconds: 20, failureThreshold: 3 }),
    readinessProbe: probe('/readyz', { periodSeconds: 5, failureThreshold: 2 }),
    resources: resourcesOf(props.resources),
    securityContext: {
      allowPrivilegeEscalation: false,
      privileged: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'zones', mountPath: FOLDERS.zones, readOnly: true }, // a folder: a single mounted file is never updated
      { name: 'certificate', mountPath: FOLDERS.certificate, readOnly: true },
      { name: 'data', mountPath: FOLDERS.data },
      { name: 'scratch', mountPath: FOLDERS.scratch },
    ],
  };
}

function probe(path: string, timing: { periodSeconds: number; failureThreshold: number }): k8s.Probe {
  return { httpGet: { path, port: k8s.IntOrString.fromString(PORT_NAMES.health) }, timeoutSeconds: 3, ...timing };
}

function resourcesOf(resources: OperatorResources): k8s.ResourceRequirements {
  const { cpuRequest = '50m', cpuLimit, memoryRequest = '192Mi', memoryLimit = '512Mi' } = resources;
  const quantity = (text: string): k8s.Quantity => k8s.Quantity.fromString(text);
  return {
    requests: { cpu: quantity(cpuRequest), memory: quantity(memoryRequest) },
    limits: { memory: quantity(memoryLimit), ...(cpuLimit === undefined ? {} : { cpu: quantity(cpuLimit) }) },
  };
}
