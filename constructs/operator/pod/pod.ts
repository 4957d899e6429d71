import { k8s } from 'cdk8s-plus-28';

import type { IpamOperatorProps } from '../ipam-operator-props';
import { FOLDERS, operatorArguments, PORTS } from './arguments';
import { clientFiles } from '../ipam-api/client-files';
import { environment } from './environment';
import { imageReference } from './image';
import { NAMES, PORT_NAMES } from '../../objects/names';
import { relatedSystemsOf } from '../related-systems/related-systems';
import { folderOfCertificate, type PodFolder } from '../process/pod-folders';
import { resourcesOf } from './resources';
import { scheduling } from './scheduling';
import { servesServices, storeShape } from '../store/store-shape';

/** User and group of the image; distroless' `nonroot`. */
const USER = 65532;
/** Beside the delay of the shutdown: the API server's 30 s for one review, and time to close the store. */
const GRACE_SECONDS = 55;
const SHUTDOWN_DELAY_SECONDS = 5;

/**
 * Writes the spec of the Pods, which fulfils Pod Security `restricted`.
 *
 * @param props - of the installation
 * @returns one container, with what its settings mount
 */
export function podSpec(props: IpamOperatorProps): k8s.PodSpec {
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
function podSecurity({ platform = 'kubernetes' }: IpamOperatorProps): k8s.PodSecurityContext {
  const identity: k8s.PodSecurityContext =
    platform === 'openshift'
      ? {}
      : { runAsUser: USER, runAsGroup: USER, fsGroup: USER, fsGroupChangePolicy: 'OnRootMismatch' };
  return { runAsNonRoot: true, ...identity, seccompProfile: { type: 'RuntimeDefault' } };
}

function foldersOf(props: IpamOperatorProps): readonly PodFolder[] {
  const { certificates = 'cert-manager', ipamApi = {} } = props;
  const { expose } = ipamApi;
  return [
    // a folder: a single mounted file is never updated
    { name: 'zones', path: FOLDERS.zones, source: { configMap: { name: NAMES.zonesConfigMap } } },
    ...(certificates === 'cert-manager' && servesServices(props)
      ? [folderOfCertificate('certificate', FOLDERS.certificate, NAMES.servingSecret)]
      : []),
    ...(expose === undefined
      ? []
      : [
          folderOfCertificate(
            'ipam-api-certificate',
            FOLDERS.ipamApiCertificate,
            expose.certificateSecret ?? NAMES.ipamApiSecret,
          ),
        ]),
    ...clientFiles(expose).folders,
    ...storeShape(props).folders,
    ...relatedSystemsOf(props).flatMap(({ folders }) => folders),
    {
      name: 'scratch',
      path: FOLDERS.scratch,
      writable: true,
      source: { emptyDir: { sizeLimit: k8s.Quantity.fromString('64Mi') } },
    },
    {
      name: 'run',
      path: FOLDERS.run,
      writable: true,
      source: { emptyDir: { medium: 'Memory', sizeLimit: k8s.Quantity.fromString('1Mi') } },
    },
  ];
}

function container(props: IpamOperatorProps, folders: readonly PodFolder[]): k8s.Container {
  const env = environment(props.extraEnv);
  return {
    name: 'manager',
    image: imageReference(props.image),
    imagePullPolicy: props.image?.pullPolicy ?? 'IfNotPresent',
    args: [...operatorArguments(props)],
    ...(env.length === 0 ? {} : { env: [...env] }),
    ports: portsOf(props),
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
    volumeMounts: folders.map(({ name, path, writable = false }) => ({
      name,
      mountPath: path,
      ...(writable ? {} : { readOnly: true }),
    })),
  };
}

function portsOf(props: IpamOperatorProps): k8s.ContainerPort[] {
  return [
    ...(servesServices(props) ? [{ name: PORT_NAMES.webhook, containerPort: PORTS.webhook, protocol: 'TCP' }] : []),
    { name: PORT_NAMES.health, containerPort: PORTS.health, protocol: 'TCP' },
    ...(props.ipamApi?.expose === undefined
      ? []
      : [{ name: PORT_NAMES.ipamApi, containerPort: PORTS.ipamApi, protocol: 'TCP' }]),
  ];
}

function probe(path: string, timing: { periodSeconds: number; failureThreshold: number }): k8s.Probe {
  return { httpGet: { path, port: k8s.IntOrString.fromString(PORT_NAMES.health) }, timeoutSeconds: 3, ...timing };
}
