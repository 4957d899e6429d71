import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Protocol version 3.0, as the first message of a client has it. */
const STARTUP = 196_608;

/** How a pooler takes the startup parameter `options`, as `ignore_startup_parameters` of PgBouncer 1.18 says. */
type Manner = 'ignores options' | 'refuses options';

function withoutOptions(message: Buffer): Buffer {
  const words = message.subarray(8, -2).toString('latin1').split('\0');
  const kept = words.flatMap((word, i) => (i % 2 === 0 && word !== 'options' ? [word, words[i + 1] ?? ''] : []));
  const body = Buffer.from(`${kept.join('\0')}\0\0`, 'latin1');
  const head = Buffer.alloc(8);
  head.writeInt32BE(body.length + 8, 0);
  head.writeInt32BE(STARTUP, 4);
  return Buffer.concat([head, body]);
}

function refusal(): Buffer {
  const fields = 'SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: options\0\0';
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, Buffer.from(fields, 'latin1')]);
}

/** A proxy before PostgreSQL that treats the start of a session as PgBouncer does, and passes on everything else. */
export class PoolerProxy {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(target: number, manner: Manner): Promise<PoolerProxy> {
    const server = createServer((client) => {
      client.once('data', (first) => {
        if (manner === 'refuses options' && first.includes('\0options\0')) client.end(refusal());
        else join(client, target, withoutOptions(first));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new PoolerProxy(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
  }
}

function join(client: Socket, target: number, first: Buffer): void {
  const server = connect(target, '127.0.0.1');
  server.write(first);
  client.pipe(server).pipe(client);
  for (const [one, other] of [[client, server] as const, [server, client] as const]) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
}
