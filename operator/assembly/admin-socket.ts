import { accessSync, chmodSync, constants, mkdtempSync, renameSync, rmSync, rmdirSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { IPAM_API_BODY_BYTES } from '../contract/ipam-api/v2';
import { IpamError } from '../errors/ipam-error';
import type { Tools } from '../ports/tools';
import { createWebServer, type WebServer } from '../server/https-server';

/** Path and routes of the Unix socket of the command line. */
export interface AdminSocketParts extends Tools {
  /** File of the socket; empty: none is made. */
  readonly path: string;
  /** True: none is made where the folder of the file is missing, or cannot be written to. */
  readonly isOptional: boolean;
  /** Adds the routes before it listens. */
  readonly register: (app: WebServer['app']) => void;
}

/**
 * Opens the Unix socket of the command line. Only the operator's own user can connect to it, so access to its Pod is the
 * permission to use it.
 *
 * @param parts - path, routes and tools
 * @returns the server; undefined where none is made
 * @throws IpamError `settings/invalid` when the socket cannot be made, or another process listens there
 */
export async function openAdminSocket({
  path,
  isOptional,
  register,
  clock,
  logger,
  meter,
}: AdminSocketParts): Promise<WebServer | undefined> {
  if (path === '') return undefined;
  if (isOptional && !isWritable(dirname(path))) {
    logger.info('no admin socket, since its folder is not there to write to', { path });
    return undefined;
  }
  if (await isAlive(path)) throw unusable(path, 'another process listens there');
  const server = createWebServer({
    listener: 'adminSocket',
    bodyLimitBytes: IPAM_API_BODY_BYTES,
    clock,
    logger,
    meter,
  });
  register(server.app);
  await listenAt(server, path);
  logger.info('listening', { name: 'adminSocket', path });
  return {
    ...server,
    close: async () => {
      rmSync(path, { force: true });
      await server.close();
    },
  };
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}

// The socket of a process that died stays behind and answers no client.
function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => {
      resolve(false);
    });
  });
}

// Made in a folder that only our user may enter and moved when its mode is right: at no moment may another user connect.
async function listenAt({ app }: WebServer, path: string): Promise<void> {
  try {
    const folder = mkdtempSync(join(dirname(path), '.ipam-'));
    const draft = join(folder, 's');
    try {
      await app.listen({ path: draft });
      chmodSync(draft, 0o600);
      renameSync(draft, path);
    } finally {
      rmdirSync(folder);
    }
  } catch (error) {
    throw unusable(path, (error as NodeJS.ErrnoException).code ?? 'unknown reason', error);
  }
}

function unusable(path: string, why: string, cause?: unknown): IpamError {
  return new IpamError('settings/invalid', `the admin socket "${path}" cannot be made (${why})`, { cause });
}
