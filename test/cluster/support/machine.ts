import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';

const FOLDER_PREFIX = 'ipam-cluster-';

/** Removes folders whose process has died without doing so; etcd sets 64 MB aside in each. */
function sweepFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = new RegExp(`^${FOLDER_PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // another process sweeps the same, or a program of the dead one writes its last: the next sweep has it
    }
  }
}

/** Makes a folder that belongs to this process. */
export function ownFolder(): string {
  sweepFolders();
  return mkdtempSync(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`));
}

/** An address of this machine that an EndpointSlice may hold, which no loopback address is. */
export interface ReachableAddress {
  readonly address: string;
  remove(): void;
}

/**
 * Puts an address on `lo`, out of the network for benchmarks (RFC 2544): it is reached from this machine only. The port of
 * the API server tells apart what runs at the same time. Without the right to do so, an address of the machine is taken.
 */
export function reachableAddress(serverPort: number): ReachableAddress {
  const address = `198.18.${serverPort >> 8}.${serverPort & 0xff}`;
  const ip = (verb: string): void => {
    execFileSync('ip', ['address', verb, `${address}/32`, 'dev', 'lo'], { stdio: 'ignore' });
  };
  try {
    ip('replace'); // an earlier run may have died before it removed the same address
    return {
      address,
      remove: () => {
        ip('del');
      },
    };
  } catch {
    return { address: machineAddress(), remove: () => undefined };
  }
}

/** The address by which others reach this machine. */
export function machineAddress(): string {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const found = own.find(({ family, internal }) => family === 'IPv4' && !internal);
  if (found !== undefined) return found.address;
  throw new RangeError('webhooks need an address outside of 127.0.0.0/8: run as root, so that one can be put on lo');
}
