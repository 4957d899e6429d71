import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { hashKeyFile } from '../backends/files/hash-key-file';
import type { ApiClient } from '../cluster/api/api-client';
import { openKubeClient } from '../cluster/api/kube-client';
import type { Environment as Variables } from '../cluster/api/service-account';
import { openSelfManaged } from '../cluster/certificates/admission-certs';
import { startLeaseElection } from '../cluster/lease/lease-election';
import { hashKeySecret } from '../cluster/objects/hash-key-secret';
import { openIntentSecrets } from '../cluster/objects/intent-secrets';
import { KubernetesCluster } from '../cluster/objects/kubernetes-cluster';
import { CLUSTER_IDENTITY_SECRET, LEASE } from '../contract/group';
import { clusterIdentity } from '../identity/cluster-identity';
import type { CertificateSource } from '../ports/certificates';
import type { Tools } from '../ports/tools';
import { leadAlone, type Leadership, type LeaderWork } from '../runtime/leadership';
import { X509_CERTIFICATES } from '../server/x509-certificates';
import type { Settings } from '../settings/options';
import { openServingCertificate, type CertificateSettings } from './certificates';
import { webhookConfigurations } from '../contract/webhook-configurations';
import type { OpenedClaims } from './claims';
import { clusterFeeds } from './cluster-feeds';
import type { ClusterConnection, ClusterEnvironment } from './environment';
import { openHasher } from './hash-key';

/** Settings of the connection to a cluster. */
export type ClusterSettings = Pick<Settings, 'kubeconfig' | 'kubeContext' | 'namespace' | 'clusterId'>;

/** Settings of what is opened in a cluster. */
export type ClusterEnvironmentSettings = CertificateSettings &
  Pick<Settings, 'hashKeySecret' | 'hashKeyFile' | 'recoverableSecrets' | 'selfSignedSecret'>;

/**
 * Connects to a cluster. No call is made yet.
 *
 * @param settings - kubeconfig, or nothing for the ServiceAccount of the Pod
 * @param tools - clock, logger, meter
 * @param variables - of the Pod, which name the API server
 * @returns the connection
 * @throws IpamError `settings/invalid` when kubeconfig or ServiceAccount cannot be used
 */
export async function connectCluster(
  settings: ClusterSettings,
  tools: Tools,
  variables: Variables,
): Promise<ClusterConnection> {
  const { kubeconfig, kubeContext: context, namespace, clusterId } = settings;
  const client = await openKubeClient({
    ...(kubeconfig === '' ? {} : { kubeconfig }),
    ...(context === '' ? {} : { context }),
    environment: variables,
    ...tools,
  });
  const secret = { namespace, name: CLUSTER_IDENTITY_SECRET };
  const { clock, logger } = tools;
  return {
    kind: 'cluster',
    client,
    namespace,
    cluster: new KubernetesCluster({
      client,
      clock,
      identify: (uid, cluster) => clusterIdentity({ cluster, uid, secret, forced: clusterId, logger }),
    }),
    openIntents: () => openIntentSecrets({ client, namespace, ...tools }),
    close: () => client.close(),
  };
}

/**
 * Opens key and certificate in a cluster.
 *
 * @param settings - store, key, certificate
 * @param connection - to the cluster; closed with the environment, before the claims are
 * @param parts - claims and tools
 * @returns cluster, hasher, certificate, and how this process comes to lead
 * @throws IpamError of key or certificate
 */
export async function openClusterEnvironment(
  settings: ClusterEnvironmentSettings,
  connection: ClusterConnection,
  { claims, tools }: { readonly claims: OpenedClaims; readonly tools: Tools },
): Promise<ClusterEnvironment> {
  const { client, cluster, namespace } = connection;
  const { hashKeySecret: name, hashKeyFile: path, recoverableSecrets: recoverable } = settings;
  const place = name === '' ? hashKeyFile(path) : hashKeySecret(cluster, { namespace, name });
  const hasher = await openHasher(claims, { place, others: [], recoverable });
  const certificate = await openCertificate(settings, connection, tools);
  // two processes of one machine have one host name, and would both lead
  const instance = `${hostname()}_${randomUUID()}`;
  // read by what goes by the clock of the store
  const feeds = clusterFeeds(client, { ...tools, clock: claims.clock });
  return {
    kind: 'cluster',
    client,
    cluster,
    feeds,
    instance,
    hasher,
    certificate,
    lead: (work) =>
      claims.writers === 'process'
        ? leadAlone(work, tools.logger)
        : leadByLease({ client, namespace, identity: instance, ...tools }, work),
    close: async () => {
      await feeds.close();
      certificate.close();
      await connection.close();
    },
  };
}

interface LeaseParts extends Tools {
  readonly client: ApiClient;
  readonly namespace: string;
  readonly identity: string;
}

function leadByLease(parts: LeaseParts, work: LeaderWork): Leadership {
  const election = startLeaseElection({
    ...parts,
    name: LEASE,
    onStarted: () => {
      work.begin();
    },
    onStopped: () => work.end(),
  });
  return {
    leading: () => election.leading(),
    leader: () => election.holder(),
    hasLed: (other) => election.hasLed(other),
    close: () => election.close(),
  };
}

function openCertificate(
  settings: ClusterEnvironmentSettings,
  { client, namespace }: ClusterConnection,
  tools: Tools,
): Promise<CertificateSource> {
  const { selfSignedSecret: secretName, selfSignedNames: names } = settings;
  if (secretName === '') return openServingCertificate(settings, tools);
  const configurations = webhookConfigurations(settings);
  return openSelfManaged({
    client,
    namespace,
    secretName,
    names,
    configurations,
    certificates: X509_CERTIFICATES,
    ...tools,
  });
}
