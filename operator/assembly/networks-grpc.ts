import { parseAddress } from '../addressing/address';
import { ENDPOINT_SLICES, EndpointSlice } from '../cluster/objects/endpoint-slice';
import { KubernetesObjectWriter } from '../cluster/objects/object-writer';
import { TokenReviews } from '../cluster/objects/token-reviews';
import { NETWORKS_GRPC_SERVICE } from '../contract/group';
import { IpamError } from '../errors/ipam-error';
import {
  allocHandlers,
  ANONYMOUS_CALLERS,
  ClientClaims,
  grpcTerm,
  tokenCallers,
  type NetworksController,
  type NetworksDoorParts,
} from '../front-doors/networks/index';
import type { LeaderWork } from '../runtime/leadership';
import { createGrpcServer } from '../server/grpc/grpc-server';
import { streaming, unary } from '../server/grpc/grpc-methods';
import type { HealthCheck } from '../server/health';
import { openTlsFolder } from './certificates';
import type { ClusterEnvironment } from './environment';
import { closed, type OpenedParts } from './opened-parts';

/** Options of the gRPC API. */
export interface NetworksGrpcOptions {
  /** Where it listens; absent: nowhere. */
  readonly address: { readonly host: string; readonly port: number } | undefined;
  readonly isTls: boolean;
  /** Folder of its own certificate; empty: it has that of the process. */
  readonly certPath: string;
  /** Audience of the tokens of its clients. */
  readonly audience: string;
  readonly isAnonymous: boolean;
  /** Address of this Pod; empty: no EndpointSlice is written. */
  readonly podIp: string;
  /** The operator's own namespace. */
  readonly namespace: string;
}

/** Name of the port of the Service. */
const PORT_NAME = 'grpc';

interface GrpcParts {
  readonly parts: NetworksDoorParts;
  readonly controller: NetworksController;
  readonly environment: ClusterEnvironment;
  readonly opened: OpenedParts;
}

/** The gRPC API of networks as a part of its door. */
interface NetworksGrpc {
  readonly leaderWork: LeaderWork;
  readonly checks: readonly HealthCheck[];
}

/**
 * Opens the gRPC API of networks; nothing listens before this process leads.
 *
 * @param options - address, certificate, whose calls are answered
 * @param door - record, controller, cluster
 * @returns its work; undefined where it is switched off
 * @throws IpamError `settings/invalid`, `certificate/invalid`
 */
export async function openNetworksGrpc(
  options: NetworksGrpcOptions,
  door: GrpcParts,
): Promise<NetworksGrpc | undefined> {
  const { address, isTls } = options;
  if (address === undefined) return undefined;
  const { parts, controller } = door;
  const { clock, logger, meter } = parts;
  const announcement = announcementOf(options, door);
  const certificate = isTls ? await certificateOf(options, door) : undefined;
  const methods = methodsOf(options, door);
  let problem: string | undefined;
  const leaderWork = grpcTerm({
    clock,
    logger,
    meter,
    open: () => {
      const tls = certificate === undefined ? {} : { certificate };
      const server = createGrpcServer({ clock, logger, meter, methods, ...tls });
      return { ...server, listen: () => server.listen(address) };
    },
    ...(announcement === undefined ? {} : { announcement }),
    follow: (listener) => controller.clients.follow(listener),
    onProblem: (now) => {
      problem = now;
    },
  });
  return { leaderWork, checks: [{ name: 'networks-grpc', run: () => problem ?? certificate?.problem() }] };
}

function methodsOf(options: NetworksGrpcOptions, { parts, controller, environment }: GrpcParts) {
  const { isAnonymous, audience } = options;
  if (isAnonymous) parts.logger.warn('the gRPC API of networks answers every caller, without a token');
  const callers = isAnonymous
    ? ANONYMOUS_CALLERS
    : tokenCallers(new TokenReviews(environment.client, audience), parts.clock);
  const { clock } = parts;
  const handlers = allocHandlers({ calls: controller.clients, claims: new ClientClaims(parts), callers, clock });
  const { Allocation, DeAllocation, Get, List, Watch } = handlers;
  return [
    unary(Allocation.of, Allocation.handle),
    unary(DeAllocation.of, DeAllocation.handle),
    unary(Get.of, Get.handle),
    unary(List.of, List.handle),
    streaming(Watch.of, Watch.handle),
  ];
}

async function certificateOf({ certPath: folder }: NetworksGrpcOptions, door: GrpcParts) {
  if (folder === '') return door.environment.certificate;
  return door.opened.add(await openTlsFolder(folder, door.parts), closed);
}

function announcementOf(
  { podIp: text, namespace, address: bound }: NetworksGrpcOptions,
  { environment, parts }: GrpcParts,
): EndpointSlice | undefined {
  if (text === '' || bound === undefined) return undefined;
  const address = parseAddress(text);
  if (!address.ok) {
    throw new IpamError('settings/invalid', `--networks-grpc-pod-ip: ${address.refusal.message}`);
  }
  const { family } = address.value;
  return new EndpointSlice(
    new KubernetesObjectWriter(environment.client, ENDPOINT_SLICES),
    {
      namespace,
      service: NETWORKS_GRPC_SERVICE,
      address: address.value.toString(),
      family,
      port: { name: PORT_NAME, number: bound.port },
    },
    parts.logger,
  );
}
