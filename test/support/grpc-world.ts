import { allocHandlers, ClientClaims } from '../../operator/front-doors/networks';
import { ANONYMOUS_CALLERS, type Callers } from '../../operator/front-doors/networks/grpc/callers';
import type { CallLimits } from '../../operator/server/grpc/call-runner';
import { createGrpcServer, type GrpcServer } from '../../operator/server/grpc/grpc-server';
import { streaming, unary } from '../../operator/server/grpc/grpc-methods';
import type { CertificatePair } from '../../operator/ports/certificates';
import type { Clock } from '../../operator/ports/clock';
import { AllocClient } from './alloc-client';
import { NetworksWorld } from './networks-world';

/** How the gRPC API is served. */
interface ServedAs {
  readonly limits?: Partial<CallLimits>;
  readonly callers?: Callers;
  /** By which watches are judged again. */
  readonly clock?: Clock;
  /** Serves TLS; by default plain text, which the client of {@link GrpcWorld.serve} speaks. */
  readonly certificate?: CertificatePair;
}

/** The Networks door in memory with its gRPC API, in plain text and for every caller. */
export class GrpcWorld extends NetworksWorld {
  #server: GrpcServer | undefined;
  #clients: AllocClient[] = [];
  #port = 0;

  /** Host and port of the server, once it serves. */
  get address(): string {
    return `localhost:${String(this.#port)}`;
  }

  /** Starts a process that leads, and a server in front of it. */
  async serve({
    limits = {},
    callers = ANONYMOUS_CALLERS,
    clock: judging = this.clock,
    certificate,
  }: ServedAs = {}): Promise<AllocClient> {
    await this.open();
    const { parts, controller } = this.latest!;
    const claims = new ClientClaims(parts);
    const handlers = allocHandlers({ calls: controller.clients, claims, callers, clock: judging });
    const { Allocation, DeAllocation, Get, List, Watch } = handlers;
    const { clock, logger, meter } = this;
    const methods = [
      unary(Allocation.of, Allocation.handle),
      unary(DeAllocation.of, DeAllocation.handle),
      unary(Get.of, Get.handle),
      unary(List.of, List.handle),
      streaming(Watch.of, Watch.handle),
    ];
    const tls = certificate && {
      current: () => certificate,
      onChange: () => () => undefined,
      problem: () => undefined,
      close: () => undefined,
    };
    this.#server = createGrpcServer({
      clock,
      logger,
      meter,
      methods,
      limits,
      ...(tls === undefined ? {} : { certificate: tls }),
    });
    const { port } = await this.#server.listen({ host: '127.0.0.1', port: 0 });
    this.#port = port;
    const client = new AllocClient({ port });
    this.#clients.push(client);
    await this.until('calls are decided', () => controller.clients.ready().ok);
    return client;
  }

  /** Ends the server and the process, as at the end of a term. */
  async restart(): Promise<AllocClient> {
    await this.close();
    return this.serve();
  }

  override async close(): Promise<void> {
    for (const client of this.#clients.splice(0)) client.close();
    await this.#server?.close(0);
    this.#server = undefined;
    await super.close();
  }
}
