import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Ports that a program of the tests may be told to listen on. They lie below those that systems lend to outgoing connections and
 * to listeners without a port (RFC 6335: from 49152; Linux: from 32768), since such a one may be lent away between the
 * moment in which it is found free and the start of the program, and again while the program is restarted.
 */
const FIRST = 15_000;
const LAST = 29_999;

/** Takes a port from every other process of the tests: the UDP port of its number is the lock, gone with the process. */
export async function lockPort(port: number): Promise<boolean> {
  const socket = createSocket('udp4');
  socket.unref();
  try {
    socket.bind({ port, address: '127.0.0.1', exclusive: true });
    await once(socket, 'listening');
    return true;
  } catch {
    socket.close();
    return false;
  }
}

/** True where nobody listens on it, at whatever address. */
async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port);
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return true;
  } catch {
    return false;
  }
}

/** Finds ports that nobody listens on, and keeps them from other processes of the tests as long as this process lives. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const found: number[] = [];
  let port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
  for (let tried = FIRST; found.length < count; tried += 1) {
    if (tried > LAST) throw new RangeError(`no ${String(count)} ports of ${String(FIRST)} to ${String(LAST)} are free`);
    port = port < LAST ? port + 1 : FIRST;
    if ((await lockPort(port)) && (await isFree(port))) found.push(port);
  }
  return found;
}

/** Finds one. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}
