import type { Server, Socket } from 'node:net';
import type { Tools } from '../ports/tools';

/** Connections in their TLS handshake at once; a handshake takes milliseconds. */
export const MOST_HANDSHAKES = 250;

/**
 * Ends connections whose TLS handshake never comes: each at the server's own time-out, and the oldest ones before it where
 * too many are open.
 *
 * @param server - HTTPS server that does not listen yet
 * @param meter - counts what is cut
 */
export function limitHandshakes(server: Server, meter: Tools['meter']): void {
  const open = new Map<string, Socket>();
  const end = (socket: Socket, reason: string): void => {
    meter.count('connections_cut_total', { reason });
    socket.destroy();
  };
  server.on('connection', (socket: Socket) => {
    const key = keyOf(socket);
    open.set(key, socket);
    socket.once('close', () => {
      if (open.get(key) === socket) open.delete(key);
    });
    const [oldest] = open;
    if (open.size <= MOST_HANDSHAKES || oldest === undefined) return;
    open.delete(oldest[0]);
    end(oldest[1], 'limit');
  });
  // another object over the same connection
  server.on('secureConnection', (socket: Socket) => {
    open.delete(keyOf(socket));
  });
  // Before Node hands the error to the handler that answers in HTTP: what is written before a handshake waits for it for ever.
  server.prependListener('tlsClientError', (_error: Error, socket: Socket) => {
    end(socket, 'handshake');
  });
}

function keyOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
