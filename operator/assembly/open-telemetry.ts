import { hostname } from 'node:os';
import type { Clock } from '../ports/clock';
import type { Logger } from '../ports/logger';
import type { Settings } from '../settings/options';
import type { RequestEvent } from '../server/request-events';
import { createLogger } from '../telemetry/pino-logger';
import { createMeter, type PrometheusMeter } from '../telemetry/prometheus-meter';
import { openSplunk, type SplunkSender } from '../telemetry/splunk-sender';

/** Sourcetype of the requests of the IPAM-API, as the original names it. */
const HTTP_SOURCETYPE = 'ipam-api:http';

/** Log and numbers of the process. */
export interface Telemetry {
  readonly logger: Logger;
  readonly meter: PrometheusMeter;
  /** Takes what is told of a request of the IPAM-API; absent where nobody asks for it. */
  readonly tellRequest?: (event: RequestEvent) => void;
  /** Sends what waits for Splunk; called last, so that the last lines are among it. */
  close(): Promise<void>;
}

/**
 * Opens log and numbers, and the way to Splunk where one is asked for.
 *
 * @param settings - level, and where Splunk is
 * @param clock - for the times of lines and batches
 * @param logger - where events go in place of standard output and Splunk
 * @returns both, until closed
 */
export function openTelemetry(settings: Settings, clock: Clock, logger?: Logger): Telemetry {
  const meter = createMeter({ processMetrics: true });
  if (logger !== undefined) return { logger, meter, close: () => Promise.resolve() };
  const { logLevel: level, splunkUrl } = settings;
  if (splunkUrl === '') return { logger: createLogger({ level, clock }), meter, close: () => Promise.resolve() };
  const splunk: SplunkSender = openSplunk({
    ...splunkNames(settings),
    ...{ url: splunkUrl, tokenFile: settings.splunkTokenFile, clock, meter },
    onState: (problem) => {
      if (problem === undefined) log.info('Splunk takes log lines again');
      else log.warn('Splunk takes no log lines; they wait, and the oldest go first', { problem });
    },
  });
  const log = createLogger({
    ...{ level, clock },
    also: (line) => {
      splunk.write(line);
    },
  });
  const tellRequest = (event: RequestEvent): void => {
    splunk.write(JSON.stringify(event), { sourcetype: HTTP_SOURCETYPE });
  };
  return { logger: log, meter, tellRequest, close: () => splunk.close() };
}

function splunkNames({ splunkCaFile, splunkIndex, splunkSource: source, splunkSourcetype: sourcetype }: Settings) {
  return {
    ...{ host: hostname(), source, sourcetype },
    ...(splunkCaFile === '' ? {} : { caFile: splunkCaFile }),
    ...(splunkIndex === '' ? {} : { index: splunkIndex }),
  };
}
