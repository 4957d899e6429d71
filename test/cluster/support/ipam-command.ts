import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../support/open-stores';

/** How a run of the command ended. */
export interface CommandRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The `ipam` command as it runs in the Pod of the operator: beside its admin socket. */
export class IpamCommand {
  readonly #folder = mkdtempSync(join(tmpdir(), 'ipam-'));
  #isBundled = false;

  /** Socket that the operator is to listen on: the path of a control plane may be too long for one. */
  get socket(): string {
    return join(this.#folder, 'admin.sock');
  }

  /** Runs it to its end. */
  run(...argv: readonly string[]): Promise<CommandRun> {
    if (!this.#isBundled) bundle(this.#folder, 'operator/cli/main.ts');
    this.#isBundled = true;
    const env = { PATH: process.env['PATH'] ?? '', IPAM_ADMIN_SOCKET: this.socket };
    return new Promise((resolve) => {
      execFile(process.execPath, [join(this.#folder, 'main.js'), ...argv], { env }, (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code), out, err });
      });
    });
  }

  async json(...argv: readonly string[]): Promise<unknown> {
    return JSON.parse((await this.run(...argv, '--output', 'json')).out);
  }
}
