import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A connection through the proxy. */
interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

/** A TCP proxy on the loopback that loses answers when it is told to. */
export class TcpProxy {
  readonly #listener: Server;
  readonly #pairs = new Set<Pair>();
  #mark: Buffer | undefined;
  #lost: (() => void) | undefined;
  #open = true;
  #target: number;

  private constructor(target: number) {
    this.#target = target;
    this.#listener = createServer((client) => {
      if (!this.#open) {
        client.destroy();
        return;
      }
      this.#join({ client, server: connect(this.#target, '127.0.0.1') });
    });
  }

  static async start(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    proxy.#listener.listen(0, '127.0.0.1');
    await once(proxy.#listener, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#listener.address() as AddressInfo).port;
  }

  /** Cuts the next connection that sends this text, when the server has answered it and before its client hears. */
  loseAnswerTo(text: string): Promise<void> {
    this.#mark = Buffer.from(text);
    return new Promise((resolve) => {
      this.#lost = resolve;
    });
  }

  /** Cuts every connection; with `again: false`, new ones too until {@link allow}. */
  cut({ again }: { readonly again: boolean }): void {
    this.#open = again;
    for (const { client, server } of this.#pairs) {
      client.destroy();
      server.destroy();
    }
  }

  /** Lets no new connection in until {@link allow}; those that are there stay. */
  refuse(): void {
    this.#open = false;
  }

  allow(): void {
    this.#open = true;
  }

  /** Sends every new connection to another port. */
  moveTo(target: number): void {
    this.#target = target;
  }

  async close(): Promise<void> {
    this.cut({ again: false });
    this.#listener.close();
    await once(this.#listener, 'close');
  }

  #join(pair: Pair): void {
    const { client, server } = pair;
    let losing = false;
    this.#pairs.add(pair);
    client.on('data', (chunk: Buffer) => {
      if (this.#mark !== undefined && chunk.includes(this.#mark)) {
        this.#mark = undefined;
        losing = true;
      }
      server.write(chunk);
    });
    server.on('data', (chunk: Buffer) => {
      if (!losing) {
        client.write(chunk);
        return;
      }
      client.destroy();
      this.#lost?.();
    });
    const end = (): void => {
      this.#pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      socket.on('close', end);
      socket.on('error', end);
    }
  }
}
