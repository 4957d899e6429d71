import { k8s } from 'cdk8s-plus-28';

import { NAMES, PORT_NAMES } from '../../objects/names';
import type { PodFolder } from '../process/pod-folders';
import { HEALTH_PORT, type PodPort } from '../process/process-part';
import { operatorArguments } from './arguments';
import { environment, podFieldVariables } from './environment';
import { imageReference } from './image';
import type { PodNeeds, PodOwner } from './pod-owner';
import { resourcesOf } from './resources';
import { scheduling } from './scheduling';

/** User and group of the image; distroless' `nonroot`. */
const USER = 65532;
/** Beside the delay of the shutdown: the API server's 30 s for one review, and time to close the store. */
const GRACE_SECONDS = 55;
const SHUTDOWN_DELAY_SECONDS = 5;
const SCRATCH_FOLDER = '/tmp';

/**
 * Writes the spec of the Pods, which fulfils Pod Security `restricted`.
 *
 * @param props - of the installation, with the needs of its concerns
 * @returns one container, with what its settings mount
 */
export function podSpec(props: PodOwner & PodNeeds): k8s.PodSpec {
  const { pullSecrets = [] } = props.image ?? {};
  const folders = foldersOf(props);
  return {
    serviceAccountName: NAMES.serviceAccount,
    automountServiceAccountToken: true,
    enableServiceLinks: false, // else the Pod gets IPAM_* variables of our own Services, which look like settings
    terminationGracePeriodSeconds: (props.settings?.shutdownDelaySeconds ?? SHUTDOWN_DELAY_SECONDS) + GRACE_SECONDS,
    securityContext: podSecurity(props),
    containers: [container(props, folders)],
    volumes: folders.map(({ name, source }) => ({ name, ...source })),
    ...scheduling(props),
    ...(pullSecrets.length === 0 ? {} : { imagePullSecrets: pullSecrets.map((name) => ({ name })) }),
  };
}

// OpenShift gives each namespace users and groups of its own, and refuses others.
function podSecurity({ platform = 'kubernetes' }: PodOwner): k8s.PodSecurityContext {
  const identity: k8s.PodSecurityContext =
    platform === 'openshift'
      ? {}
      : { runAsUser: USER, runAsGroup: USER, fsGroup: USER, fsGroupChangePolicy: 'OnRootMismatch' };
  return { runAsNonRoot: true, ...identity, seccompProfile: { type: 'RuntimeDefault' } };
}

function foldersOf({ process, sockets }: PodNeeds): readonly PodFolder[] {
  return [
    ...process.flatMap(({ folders }) => folders),
    {
      name: 'scratch',
      path: SCRATCH_FOLDER,
      writable: true,
      source: { emptyDir: { sizeLimit: k8s.Quantity.fromString('64Mi') } },
    },
    ...sockets,
  ];
}

function container(props: PodOwner & PodNeeds, folders: readonly PodFolder[]): k8s.Container {
  const env = [...podFieldVariables(props.process), ...environment(props.extraEnv)];
  return {
    name: 'manager',
    image: imageReference(props.image),
    imagePullPolicy: props.image?.pullPolicy ?? 'IfNotPresent',
    args: [...operatorArguments(props)],
    ...(env.length === 0 ? {} : { env }),
    ports: portsOf(props),
    // opening a large store can take a while; until then only this probe counts. It begins when Node.js has loaded the program: a
    // refused connection would make a Warning Event of nearly every start
    startupProbe: probe('/healthz', { initialDelaySeconds: 3, periodSeconds: 2, failureThreshold: 60 }),
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
    volumeMounts: folders.map(({ name, path, writable = false }) => ({
      name,
      mountPath: path,
      ...(writable ? {} : { readOnly: true }),
    })),
  };
}

function portsOf({ ports }: PodNeeds): k8s.ContainerPort[] {
  const of = (caller: PodPort['caller']): k8s.ContainerPort[] =>
    ports
      .filter((port) => port.caller === caller)
      .map(({ name, number }) => ({ name, containerPort: number, protocol: 'TCP' }));
  const health = { name: PORT_NAMES.health, containerPort: HEALTH_PORT, protocol: 'TCP' };
  return [...of('api-server'), health, ...of('clients'), ...of('monitors')];
}

function probe(
  path: string,
  timing: { initialDelaySeconds?: number; periodSeconds: number; failureThreshold: number },
): k8s.Probe {
  return { httpGet: { path, port: k8s.IntOrString.fromString(PORT_NAMES.health) }, timeoutSeconds: 3, ...timing };
}
