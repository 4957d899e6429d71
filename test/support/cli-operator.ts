import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApplication, type Application } from '../../operator/application';
import { parseSettings } from '../../operator/settings/parse-settings';
import { bundle } from './open-stores';

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** How a run of the command line ended. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A standalone operator in a folder of its own, and the bundled command line. */
export class CliOperator {
  readonly #folder = mkdtempSync(join(tmpdir(), 'ipam-cli-'));
  #running: Application | undefined;

  constructor(zones: string) {
    bundle(this.#folder, 'operator/cli/main.ts');
    writeFileSync(this.at('zones.yaml'), zones);
  }

  /** Path of a file in its folder. */
  at(name: string): string {
    return join(this.#folder, name);
  }

  async start(...more: readonly string[]): Promise<Application> {
    const settings = parseSettings({
      argv: [
        ...['--standalone', `--zones-file=${this.at('zones.yaml')}`, `--sqlite-file=${this.at('ipam.sqlite')}`],
        ...[`--hash-key-file=${this.at('key')}`, `--admin-socket=${this.at('admin.sock')}`, '--shutdown-delay=0'],
        ...['--webhook-bind-address=127.0.0.1:0', '--health-probe-bind-address=0', ...more],
      ],
      env: {},
    });
    if (!settings.ok) throw new TypeError(JSON.stringify(settings.problems));
    this.#running = await startApplication(settings.value, SILENT);
    return this.#running;
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
    this.#running = undefined;
  }

  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true });
  }

  /** Runs the command line to its end. */
  run(argv: readonly string[], input: string | Buffer = ''): Promise<Ran> {
    return new Promise((resolve) => {
      const options = { env: this.#env(), encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
      const child = execFile(process.execPath, [this.at('main.js'), ...argv], options, (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code), out, err });
      });
      child.stdin?.end(input);
    });
  }

  async json(...argv: readonly string[]): Promise<unknown> {
    const { out } = await this.run([...argv, '--output', 'json']);
    return JSON.parse(out);
  }

  /** Begins a run whose streams the test holds. */
  begin(argv: readonly string[]): ChildProcessWithoutNullStreams {
    return spawn(process.execPath, [this.at('main.js'), ...argv], { env: this.#env() });
  }

  #env(): Readonly<Record<string, string>> {
    return { PATH: process.env['PATH'] ?? '', IPAM_ADMIN_SOCKET: this.at('admin.sock') };
  }
}
