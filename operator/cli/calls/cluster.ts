import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Command } from 'commander';
import { SYSTEM_CLOCK } from '../../backends/system/system-clock';
import type { ApiClient } from '../../cluster/api/api-client';
import { openKubeClient } from '../../cluster/api/kube-client';

/** Which cluster a command asks, as it was given. */
export interface ClusterOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

const noOp = (): void => undefined;
const SILENT = { debug: noOp, info: noOp, warn: noOp, error: noOp };

/**
 * Adds the options of a command that asks the API server of a cluster.
 *
 * @param command - without them
 * @returns the same
 */
export function withClusterOptions(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'kubeconfig of the cluster (KUBECONFIG, ~/.kube/config, or the account of the Pod)')
    .option('--context <name>', 'context of the kubeconfig; its current one by default');
}

/**
 * Opens the client of the API server that the options name, as kubectl finds it.
 *
 * @param options - as given
 * @param env - variables of the process
 * @returns the client; close it at the end
 * @throws IpamError `settings/invalid` where there is no login
 */
export function openCluster({ kubeconfig, context }: ClusterOptions, env: NodeJS.ProcessEnv): Promise<ApiClient> {
  const path = kubeconfig ?? kubeconfigIn(env);
  return openKubeClient({
    clock: SYSTEM_CLOCK,
    logger: SILENT,
    environment: env,
    ...(path === undefined ? {} : { kubeconfig: path }),
    ...(context === undefined ? {} : { context }),
  });
}

function kubeconfigIn(env: NodeJS.ProcessEnv): string | undefined {
  const usual = join(homedir(), '.kube', 'config');
  const named = (env['KUBECONFIG'] ?? '').split(delimiter).filter((each) => each !== '');
  return named.find((each) => existsSync(each)) ?? named[0] ?? (existsSync(usual) ? usual : undefined);
}
