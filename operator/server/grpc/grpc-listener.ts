import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { Tools } from '../../ports/tools';
import type { BindAddress } from '../https-server';

/** Limits of the connections of one server. */
export interface ConnectionLimits {
  readonly mostConnections: number;
  /** Of one address: callers behind one address share it. */
  readonly mostConnectionsOfPeer: number;
}

const LIMITS: ConnectionLimits = { mostConnections: 1_000, mostConnectionsOfPeer: 100 };

/**
 * Accepts the connections of a gRPC server, up to a limit of all and one of each peer; what is beyond them is cut before anything is read.
 * It listens once; after `close` it takes no new connection.
 */
export class GrpcListener {
  readonly #meter: Tools['meter'];
  readonly #limits: ConnectionLimits;
  readonly #accept: (socket: Socket) => void;
  readonly #open = new Set<Socket>();
  readonly #ofPeer = new Map<string, number>();
  // a client that ends its side is gone: no gRPC client waits for an answer after that
  readonly #server = createServer({ allowHalfOpen: false, noDelay: true });

  /**
   * Makes a listener.
   *
   * @param accept - takes each connection within the limits
   * @param options - counts what is cut
   * @param options.limits - those that differ from the usual ones
   * @param options.meter - counts what is cut
   */
  constructor(
    accept: (socket: Socket) => void,
    { limits = {}, meter }: Pick<Tools, 'meter'> & { readonly limits?: Partial<ConnectionLimits> | undefined },
  ) {
    this.#accept = accept;
    this.#limits = { ...LIMITS, ...limits };
    this.#meter = meter;
    this.#server.on('connection', (socket) => {
      this.#take(socket);
    });
  }

  /**
   * Begins to listen.
   *
   * @param address - host and port; port 0 for any
   * @returns the true address
   * @throws Error of Node.js where the address cannot be had
   */
  async listen({ host, port }: BindAddress): Promise<BindAddress> {
    this.#server.listen({ host, port });
    await once(this.#server, 'listening');
    const bound = this.#server.address() as AddressInfo;
    return { host: bound.address, port: bound.port };
  }

  /** Takes no new connection. Idempotent. */
  close(): void {
    this.#server.close();
  }

  /** Resolves when no connection is open. */
  async whenEmpty(): Promise<void> {
    await Promise.all([...this.#open].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  }

  /** Cuts every connection. */
  cut(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #take(socket: Socket): void {
    const { remoteAddress: peer = '' } = socket;
    const ofPeer = this.#ofPeer.get(peer) ?? 0;
    const { mostConnections, mostConnectionsOfPeer } = this.#limits;
    if (this.#open.size >= mostConnections || ofPeer >= mostConnectionsOfPeer) {
      this.#meter.count('connections_cut_total', { reason: 'limit' });
      socket.destroy();
      return;
    }
    this.#open.add(socket);
    this.#ofPeer.set(peer, ofPeer + 1);
    socket.once('close', () => {
      this.#open.delete(socket);
      const left = (this.#ofPeer.get(peer) ?? 1) - 1;
      if (left === 0) this.#ofPeer.delete(peer);
      else this.#ofPeer.set(peer, left);
    });
    this.#accept(socket);
  }
}
