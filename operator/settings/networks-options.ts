import type { Refusal } from '../errors/outcome';
import { IPAM_GROUP } from '../contract/group';
import type { Option } from './option';
import { invalidField } from './refusals';

/** Options of the Networks door; a part of `OPTIONS`. */
export const NETWORKS_OPTIONS = {
  networks: {
    flag: '--networks',
    env: 'IPAM_NETWORKS',
    type: 'switch',
    default: false,
    help: 'Serve NetworkInstances, IPPrefixes and IPAllocations of ipam.nephio.org; needs these kinds, and AddressClaim and AddressTable',
  },
  networksOrphanGraceSeconds: {
    flag: '--networks-orphan-grace',
    env: 'IPAM_NETWORKS_ORPHAN_GRACE',
    type: 'number',
    unit: 'seconds',
    min: 1,
    max: 86_400,
    default: 300,
    help: 'Time for which a prefix stays on record for an object of --networks that was found missing, as after a restore; one whose deletion is seen gives it back at once',
  },
  networksGrpcBindAddress: {
    flag: '--networks-grpc-bind-address',
    env: 'IPAM_NETWORKS_GRPC_BIND_ADDRESS',
    type: 'listen',
    optional: true,
    default: '',
    help: 'Where the process that leads listens for gRPC calls of clients of --networks; empty: it does not listen',
  },
  networksGrpcTls: {
    flag: '--networks-grpc-tls',
    env: 'IPAM_NETWORKS_GRPC_TLS',
    type: 'switch',
    default: true,
    help: 'Serve gRPC over TLS; false: tokens and answers are sent in plain text',
  },
  networksGrpcCertPath: {
    flag: '--networks-grpc-cert-path',
    env: 'IPAM_NETWORKS_GRPC_CERT_PATH',
    type: 'folder',
    default: '',
    help: "Folder of the certificate of the gRPC API (tls.crt, tls.key), reloaded live; empty: the operator's serving certificate",
  },
  networksGrpcAudience: {
    flag: '--networks-grpc-audience',
    env: 'IPAM_NETWORKS_GRPC_AUDIENCE',
    type: 'text',
    default: IPAM_GROUP,
    help: 'Audience for which the tokens of gRPC clients must be issued',
  },
  networksGrpcAnonymous: {
    flag: '--networks-grpc-anonymous',
    env: 'IPAM_NETWORKS_GRPC_ANONYMOUS',
    type: 'switch',
    default: false,
    help: 'Answer gRPC calls without a token: every client that reaches the port can take and release prefixes of every namespace',
  },
  networksGrpcPodIp: {
    flag: '--networks-grpc-pod-ip',
    env: 'IPAM_NETWORKS_GRPC_POD_IP',
    type: 'text',
    default: '',
    help: 'Address of this Pod, to which the Service of the gRPC API leads while the process leads; empty: no EndpointSlice is written',
  },
  networksOwnerKinds: {
    flag: '--networks-owner-kinds',
    env: 'IPAM_NETWORKS_OWNER_KINDS',
    type: 'list',
    default: ['services'],
    help: 'Resources, such as services or deployments.apps, whose objects IPAllocations of --networks may name as owners (spec.ownerRef); the operator needs the right to get them',
  },
} as const satisfies Record<string, Option>;

/** Resource of a kind with namespaces as kubectl names it: the plural, and behind a dot its API group. */
export const RESOURCE_NAME = /^[a-z][a-z0-9-]{0,62}(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/u;

/** Settings that decide whether the door can be opened. */
interface NetworksSettings {
  readonly networks: boolean;
  readonly standalone: boolean;
  /** Absent where no gRPC API is served. */
  readonly networksGrpcBindAddress?: unknown;
  readonly networksGrpcAudience: string;
  readonly networksGrpcAnonymous: boolean;
  readonly networksOwnerKinds: readonly string[];
}

/** Names of these settings as their author knows them: flags at start, props at synth. */
export type NetworksFields = Readonly<Record<'networks' | 'grpc' | 'audience' | 'networksOwnerKinds', string>>;

/** Names at start. */
export const NETWORKS_FLAGS: NetworksFields = {
  networks: '--networks',
  grpc: '--networks-grpc-bind-address',
  audience: '--networks-grpc-audience',
  networksOwnerKinds: '--networks-owner-kinds',
};

/**
 * Finds what stands against the Networks door: its record is objects of a cluster, and its gRPC API serves that record.
 *
 * @param settings - what was set
 * @param fields - names for the messages
 * @returns every problem, `settings/invalid`
 */
export function networksProblems(settings: NetworksSettings, fields: NetworksFields): readonly Refusal[] {
  const { networks, standalone, networksGrpcBindAddress, networksGrpcAudience, networksGrpcAnonymous } = settings;
  const isServing = networksGrpcBindAddress !== undefined;
  const wrongKinds = networks ? settings.networksOwnerKinds.filter((each) => !RESOURCE_NAME.test(each)) : [];
  return [
    ...(networks && standalone
      ? [invalidField(fields.networks, 'needs a cluster, which keeps its prefixes as objects')]
      : []),
    ...(isServing && !networks ? [invalidField(fields.grpc, `needs ${fields.networks}, whose record it serves`)] : []),
    ...(isServing && networksGrpcAudience === '' && !networksGrpcAnonymous
      ? [invalidField(fields.audience, 'must not be empty, or tokens for the API server itself would be taken')]
      : []),
    ...wrongKinds.map((each) =>
      invalidField(
        fields.networksOwnerKinds,
        `"${each}" is no resource; write its plural and its group, such as deployments.apps`,
      ),
    ),
  ];
}
