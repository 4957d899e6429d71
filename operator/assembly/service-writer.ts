import { hostname } from 'node:os';
import { KubernetesEventRecorder } from '../cluster/objects/event-recorder';
import { KubernetesServiceWriter } from '../cluster/objects/service-writer';
import type { ServiceWriter } from '../ports/service-writer';
import type { Tools } from '../ports/tools';
import type { ClusterEnvironment } from './environment';

/**
 * Makes what writes to stored Services.
 *
 * @param environment - client of the cluster
 * @param tools - clock and logger
 * @returns the writer, with its Events
 */
export function serviceWriter(
  { client }: Pick<ClusterEnvironment, 'client'>,
  { clock, logger }: Pick<Tools, 'clock' | 'logger'>,
): ServiceWriter {
  const events = new KubernetesEventRecorder({ client, clock, logger, identity: hostname() });
  return new KubernetesServiceWriter({ client, events });
}
