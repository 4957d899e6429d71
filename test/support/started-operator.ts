import { startApplication, type Application } from '../../operator/application';
import type { BindAddress } from '../../operator/server/https-server';
import type { Settings } from '../../operator/settings/options';
import { RecordedLogger } from './recorded-telemetry';

/** A running operator and where it listens. */
export interface StartedOperator extends Application {
  readonly addresses: Readonly<Partial<Record<'webhooks' | 'probes' | 'ipamApi', BindAddress>>>;
}

/**
 * Starts the operator and reads from its log where it listens, so that a test can leave the choice of the ports to the system.
 *
 * @param settings - with port 0 wherever it shall listen
 * @param logger - gets the log
 * @returns the running operator
 */
export async function startOperator(
  settings: Settings,
  logger: RecordedLogger = new RecordedLogger(),
): Promise<StartedOperator> {
  const before = logger.lines.length;
  const { stop } = await startApplication(settings, logger);
  const lines = logger.lines.slice(before).filter(({ message }) => message === 'listening');
  const addresses = lines.map(({ fields: { name, host, port } }) => [name, { host, port }] as const);
  return { addresses: Object.fromEntries(addresses) as StartedOperator['addresses'], stop };
}
