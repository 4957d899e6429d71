import { X509_CERTIFICATES } from '../../../operator/server/x509-certificates';
import { AllocClient, type AllocTarget } from '../../support/alloc-client';
import { freePorts } from '../../support/free-ports';
import type { ControlPlane } from './control-plane';
import { eventually } from './eventually';
import { applyInstallation, tokenFor } from './installation';
import { startOperator, type RunningOperator } from './operator-process';

const SYSTEM = 'ipam-system';
const SERVICE = 'ipam-networks-grpc';
const SLICE = `/apis/discovery.k8s.io/v1/namespaces/${SYSTEM}/endpointslices/${SERVICE}-ipv4`;
const CERTIFICATE = 'grpc-cert';
const AUDIENCE = 'ipam.vitistack.io';

/** An operator with the port of its gRPC API and the address that it announces. */
export interface GrpcReplica {
  readonly operator: RunningOperator;
  readonly port: number;
  readonly podIp: string;
}

/** The gRPC API of networks on a real cluster: certificate, ServiceAccounts, operators and clients. */
export class GrpcScene {
  readonly #plane: () => ControlPlane;
  readonly #clients: AllocClient[] = [];
  readonly replicas: GrpcReplica[] = [];
  ca = '';

  constructor(plane: () => ControlPlane) {
    this.#plane = plane;
  }

  /** Installs the operator with a certificate of a CA of its own, and who may call. */
  async install(plane: ControlPlane): Promise<void> {
    await applyInstallation(plane, {
      services: { enabled: false },
      networks: { enabled: true, grpc: { certificateSecret: CERTIFICATE } },
    });
    const nowMs = Date.now();
    const authority = await X509_CERTIFICATES.makeAuthority(nowMs);
    const { certificate, key } = await X509_CERTIFICATES.issue(authority, {
      names: [`${SERVICE}.${SYSTEM}.svc`],
      nowMs,
    });
    this.ca = authority.certificate;
    await plane.client.apply([
      {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'kubernetes.io/tls',
        metadata: { name: CERTIFICATE, namespace: SYSTEM },
        stringData: { 'tls.crt': certificate, 'tls.key': key },
      },
    ]);
  }

  /** Makes a namespace with two ServiceAccounts: `client`, which may call, and `stranger`. */
  async namespace(namespace: string): Promise<void> {
    const account = (name: string) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } });
    const rbac = 'rbac.authorization.k8s.io';
    await this.#plane().client.apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      account('client'),
      account('stranger'),
      {
        apiVersion: `${rbac}/v1`,
        kind: 'Role',
        metadata: { name: 'grpc', namespace },
        rules: [
          {
            apiGroups: ['ipam.nephio.org'],
            resources: ['ipallocations'],
            verbs: ['create', 'delete', 'get', 'list', 'watch'],
          },
        ],
      },
      {
        apiVersion: `${rbac}/v1`,
        kind: 'RoleBinding',
        metadata: { name: 'grpc', namespace },
        roleRef: { apiGroup: rbac, kind: 'Role', name: 'grpc' },
        subjects: [{ kind: 'ServiceAccount', name: 'client', namespace }],
      },
    ]);
  }

  /** Starts an operator; it announces an address of its own. */
  async start(name: string): Promise<GrpcReplica> {
    const [port = 0] = await freePorts(1);
    const podIp = `192.0.2.${String(this.replicas.length + 1)}`;
    const args = { 'networks-grpc-bind-address': `127.0.0.1:${String(port)}` };
    const operator = await startOperator(this.#plane(), {
      name,
      args,
      awaitWebhooks: false,
      env: { IPAM_NETWORKS_GRPC_POD_IP: podIp },
    });
    const replica = { operator, port, podIp };
    this.replicas.push(replica);
    return replica;
  }

  /** Waits until the EndpointSlice leads to one of the replicas. */
  async leader(isIt: (replica: GrpcReplica) => boolean = () => true): Promise<GrpcReplica> {
    return eventually(async () => {
      const { body } = await this.#plane().client.attempt('GET', SLICE);
      const endpoints = (body as unknown as { endpoints?: readonly { addresses: readonly string[] }[] }).endpoints;
      const address = endpoints?.[0]?.addresses[0];
      const found = this.replicas.find(({ podIp }) => podIp === address);
      return found !== undefined && isIt(found) ? found : undefined;
    });
  }

  /** Address of the EndpointSlice, if it has one. */
  async announced(): Promise<readonly string[]> {
    const { body } = await this.#plane().client.attempt('GET', SLICE);
    const endpoints = (body as unknown as { endpoints?: readonly { addresses: readonly string[] }[] | null }).endpoints;
    return (endpoints ?? []).flatMap(({ addresses }) => addresses);
  }

  /** Token of a ServiceAccount. */
  token(namespace: string, name = 'client', audience = AUDIENCE): Promise<string> {
    return tokenFor(this.#plane(), namespace, { name, audience });
  }

  /** Connects to a replica. */
  connect(to: Pick<GrpcReplica, 'port'>, token?: string, more: Partial<AllocTarget> = {}): AllocClient {
    const serverName = `${SERVICE}.${SYSTEM}.svc`;
    const client = new AllocClient({ port: to.port, ca: this.ca, serverName, token, ...more });
    this.#clients.push(client);
    return client;
  }

  /** Connects to the replica that leads, as a client that may call. */
  async client(namespace = 'test'): Promise<AllocClient> {
    return this.connect(await this.leader(), await this.token(namespace));
  }

  close(): void {
    for (const client of this.#clients.splice(0)) client.close();
  }
}
