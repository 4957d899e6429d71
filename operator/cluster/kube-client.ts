import { IpamError } from '../errors/ipam-error';
import type { Clock } from '../ports/clock';
import type { Logger } from '../ports/logger';
import type { Meter } from '../ports/meter';
import type { ApiClient } from './api-client';
import type { Environment } from './service-account';

/** Requests per second that one process sends on average, and at once; watches are not counted. */
export const DEFAULT_QPS = 50;
export const DEFAULT_BURST = 100;

/** How the API server is reached. */
export interface KubeClientOptions {
  /** Path of a kubeconfig; without it the ServiceAccount of the Pod is used. */
  readonly kubeconfig?: string;
  /** Context of the kubeconfig; its current one by default. */
  readonly context?: string;
  /** Where `KUBERNETES_SERVICE_HOST` and `_PORT` come from; without them `kubernetes.default.svc` is called. */
  readonly environment?: Environment;
  /** Where token and CA of the ServiceAccount are mounted. */
  readonly serviceAccountFolder?: string;
  /** Requests per second on average. */
  readonly qps?: number;
  /** Requests at once after a quiet time. */
  readonly burst?: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter?: Meter;
  /** From 0 to 1, for the jitter of retries. */
  readonly random?: () => number;
}

/**
 * Opens the client of one API server. Sends nothing yet.
 *
 * @param options - credentials, limits, clock and telemetry
 * @returns the client; close it at the end
 * @throws IpamError `settings/invalid` when the kubeconfig or the ServiceAccount cannot be used
 */
export function openKubeClient(options: KubeClientOptions): Promise<ApiClient> {
  return Promise.reject(new IpamError('internal', `no client yet for ${options.kubeconfig ?? 'the Pod'}`));
}
