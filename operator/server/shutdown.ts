import type { Health } from './health';
import type { WebServer } from './https-server';
import type { Tools } from '../ports/tools';

/** Longest wait for running requests; as long as the API server waits for a webhook. */
export const DRAIN_LIMIT_SECONDS = 30;

/** Servers that {@link drain} ends, and its time. */
export interface DrainOptions extends Pick<Tools, 'clock' | 'logger'> {
  readonly health: Health;
  /** Servers that take work; closed side by side. */
  readonly servers: readonly WebServer[];
  /** Server of the probes, closed last so that they hear "not ready" and not "refused". */
  readonly probes?: WebServer;
  /** Time for callers to learn that we are not ready, `--shutdown-delay`. */
  readonly delaySeconds: number;
}

/**
 * Ends all servers without losing a request: not ready, then a pause in which everything is still answered and connections are
 * given up one by one, then running requests finish. Call it once.
 *
 * @param options - what to end, and how long to wait
 * @returns when every server is closed; requests that take longer than {@link DRAIN_LIMIT_SECONDS} are cut
 */
export async function drain(options: DrainOptions): Promise<void> {
  const { health, servers, probes, delaySeconds, clock, logger } = options;
  health.startDraining();
  logger.info('not ready any more; ending soon', { seconds: delaySeconds });
  for (const server of servers) server.endConnections();
  await new Promise<void>((resolve) => {
    clock.after(delaySeconds * 1_000, resolve);
  });
  const stop = clock.after(DRAIN_LIMIT_SECONDS * 1_000, () => {
    logger.warn('some requests did not finish in time and are cut', { seconds: DRAIN_LIMIT_SECONDS });
    for (const server of servers) server.cut();
  });
  await Promise.all(servers.map((server) => server.close()));
  stop();
  await probes?.close();
  logger.info('all servers closed');
}
