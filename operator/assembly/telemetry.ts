import { hostname } from 'node:os';
import type { Clock } from '../ports/clock';
import type { Logger } from '../ports/logger';
import type { Tools } from '../ports/tools';
import { versionText } from '../runtime/version-text';
import type { Settings } from '../settings/options';
import type { RequestEvent } from '../server/request-events';
import { createLogger } from '../telemetry/pino-logger';
import { createMeter, type PrometheusMeter } from '../telemetry/prometheus-meter';
import { openSplunk, type SplunkSender } from '../telemetry/splunk-sender';

/** Sourcetype of the requests of the IPAM-API, as the original names it. */
const HTTP_SOURCETYPE = 'ipam-api:http';

/** Settings of log and metrics. */
type TelemetrySettings = Pick<
  Settings,
  'logLevel' | 'splunkUrl' | 'splunkTokenFile' | 'splunkCaFile' | 'splunkIndex' | 'splunkSource' | 'splunkSourcetype'
>;

/** Log and metrics of the process. */
export interface Telemetry extends Tools {
  readonly meter: PrometheusMeter;
  /** Takes an event for each request of the IPAM-API; absent where Splunk is not set. */
  readonly tellRequest?: (event: RequestEvent) => void;
  /** Sends what waits for Splunk; called last, so that the last lines are among it. */
  close(): Promise<void>;
}

/**
 * Opens log and metrics, and the sender to Splunk where one is set.
 *
 * @param settings - level, and where Splunk is
 * @param clock - for the times of lines and batches
 * @param logger - where events go in place of standard output and Splunk
 * @returns both with the clock, until closed
 */
export function openTelemetry(settings: TelemetrySettings, clock: Clock, logger?: Logger): Telemetry {
  const meter = createMeter({ processMetrics: true });
  meter.set('build_info', 1, { version: versionText(), node: process.versions.node });
  if (logger !== undefined) return { clock, logger, meter, close: () => Promise.resolve() };
  const { logLevel: level, splunkUrl } = settings;
  if (splunkUrl === '') return { clock, logger: createLogger({ level, clock }), meter, close: () => Promise.resolve() };
  const splunk: SplunkSender = openSplunk({
    ...splunkNames(settings),
    url: splunkUrl,
    tokenFile: settings.splunkTokenFile,
    clock,
    meter,
    onState: (problem) => {
      if (problem === undefined) log.info('Splunk takes log lines again');
      else log.warn('Splunk takes no log lines; they wait, and the oldest go first', { problem });
    },
  });
  const log = createLogger({
    level,
    clock,
    also: (line) => {
      splunk.write(line);
    },
  });
  const tellRequest = (event: RequestEvent): void => {
    splunk.write(JSON.stringify(event), { sourcetype: HTTP_SOURCETYPE });
  };
  return { clock, logger: log, meter, tellRequest, close: () => splunk.close() };
}

function splunkNames({
  splunkCaFile,
  splunkIndex,
  splunkSource: source,
  splunkSourcetype: sourcetype,
}: TelemetrySettings) {
  return {
    host: hostname(),
    source,
    sourcetype,
    ...(splunkCaFile === '' ? {} : { caFile: splunkCaFile }),
    ...(splunkIndex === '' ? {} : { index: splunkIndex }),
  };
}
