import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ApiClient } from '../../operator/cluster/api/api-client';
import { openKubeClient, type KubeClientOptions } from '../../operator/cluster/api/kube-client';
import type { JsonMap } from '../../operator/contract/loose-json';
import { ArmedClock } from './armed-clock';
import { FakeApiServer } from './fake-api-server';
import { RecordedLogger, RecordedMeter } from './recorded-telemetry';

/** A client on a fake API server with a clock that the test moves. */
export interface ClusterWorld {
  readonly server: FakeApiServer;
  readonly client: ApiClient;
  readonly clock: ArmedClock;
  readonly logger: RecordedLogger;
  readonly meter: RecordedMeter;
  readonly folder: string;
  readonly stop: () => Promise<void>;
}

/** Token that must appear nowhere. */
export const TOKEN = 'fake-token-of-the-tests';

/** A kubeconfig of one context, as JSON, which is YAML. */
export function kubeconfigText(server: string, user: JsonMap = { token: TOKEN }, cluster: JsonMap = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'fake', user: 'me' } }],
    clusters: [{ name: 'fake', cluster: { server, ...cluster } }],
    users: [{ name: 'me', user }],
  });
}

/** Starts server and client; jitter is at its least, so that pauses are known: half of the backoff, and none after a clean close. */
export async function startClusterWorld(options: Partial<KubeClientOptions> = {}): Promise<ClusterWorld> {
  const server = await FakeApiServer.start();
  const folder = mkdtempSync(join(tmpdir(), 'cluster-'));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigText(`http://127.0.0.1:${server.port}`));
  const [clock, logger, meter] = [new ArmedClock(), new RecordedLogger(), new RecordedMeter()];
  const client = await openKubeClient({ kubeconfig, clock, logger, meter, random: () => 0, ...options });
  const stop = async (): Promise<void> => {
    await client.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { server, client, clock, logger, meter, folder, stop };
}
