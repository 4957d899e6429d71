import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApplication, type Application } from '../../operator/application';
import { bundle } from './open-stores';
import { socketCall } from './socket-call';
import { standaloneSettings } from './standalone-settings';

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Secret of the claims that {@link CliOperator.claim} puts on record. */
export const CLAIMS_SECRET = 'the-secret-of-web';

/** Zones of a shop: one with room, and one that its only address fills. */
export const SHOP_ZONES = `version: 1
services: { defaultZone: inet }
zones:
  - name: inet
    prefixes: [10.1.0.0/24, 2001:db8::/64]
    quarantineSeconds: 60
  - name: full
    prefixes: [10.2.0.0/32]
`;

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
    const settings = standaloneSettings(this.#folder, `--admin-socket=${this.at('admin.sock')}`, ...more);
    this.#running = await startApplication(settings, SILENT);
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

  /** Puts a claim on record, with {@link CLAIMS_SECRET} unless it is told otherwise. */
  async claim(clusterUid: string, key: string, change: object = {}): Promise<void> {
    const [namespace = '', serviceName = ''] = key.split('.');
    const { status } = await socketCall(this.at('admin.sock'), {
      method: 'PUT',
      path: `/v3/clusters/${clusterUid}/claims/${key}`,
      body: {
        claimant: { namespaceUid: `uid-of-${namespace}`, namespace, serviceName, serviceUid: `uid-of-${key}` },
        zone: 'inet',
        family: 'ipv4',
        secret: { value: CLAIMS_SECRET, scope: 'shared' },
        writtenKeys: [],
        as: 'bound',
        options: { retentionPeriodDays: 0, denyExternalCleanup: false },
        ...change,
      },
    });
    expect(status).toBe(201);
  }

  /** Puts two claims on record in {@link SHOP_ZONES}: one that is kept after its Service, and the one that fills its zone. */
  async claimShop(): Promise<void> {
    await this.claim('cluster-a', 'shop.web', { options: { retentionPeriodDays: 7, denyExternalCleanup: true } });
    await this.claim('cluster-a', 'shop.only', {
      zone: 'full',
      secret: { value: 'another-secret', scope: 'shared' },
    });
  }

  /** Begins a run whose streams the test holds. */
  begin(argv: readonly string[]): ChildProcessWithoutNullStreams {
    return spawn(process.execPath, [this.at('main.js'), ...argv], { env: this.#env() });
  }

  #env(): Readonly<Record<string, string>> {
    return {
      PATH: process.env['PATH'] ?? '',
      IPAM_ADMIN_SOCKET: this.at('admin.sock'),
      // it runs many times, and half of each run goes into compiling 5 MB
      NODE_COMPILE_CACHE: this.at('compiled'),
    };
  }
}
