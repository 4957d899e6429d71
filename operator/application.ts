import { connect, openEnvironment, type Variables } from './assembly/connect';
import { openDoors } from './assembly/doors/open-doors';
import { openHealth } from './assembly/health';
import { buildLedger } from './assembly/ledger';
import { listen } from './assembly/listen';
import { openClaims } from './assembly/open-claims';
import { closed, OpenedParts } from './assembly/opened-parts';
import { openSecureMetrics } from './assembly/secure-metrics';
import { requireServed } from './assembly/served-settings';
import { openTelemetry, type Telemetry } from './assembly/telemetry';
import { openZones } from './assembly/zones';
import { SYSTEM_CLOCK } from './backends/system/system-clock';
import type { Logger } from './ports/logger';
import type { Settings } from './settings/options';

/** A running operator. `stop` ends it without losing a request; calling it again waits for the first call. */
export interface Application {
  stop(): Promise<void>;
}

/** The process that the operator runs in. */
export interface HostProcess {
  /** Variables of the process; those of a Pod name the API server. */
  readonly environment?: Variables;
  /** Ends the start when it is aborted; once the operator runs, `stop` is for that. */
  readonly ending?: AbortSignal;
}

/**
 * Builds the operator from its settings and starts it, step by step: connection, claims, zones, environment, ledger, doors,
 * listeners. Everything that is wrong with them ends the start, before anything listens.
 *
 * @param settings - from `parseSettings`
 * @param logger - where events go; standard output by default
 * @param host - the process that it runs in
 * @returns the running operator, ready
 * @throws IpamError with the code of what is wrong, or whatever a step throws that `host.ending` ended; what was opened until
 *   then is closed again
 */
export async function startApplication(
  settings: Settings,
  logger?: Logger,
  host: HostProcess = {},
): Promise<Application> {
  const { ending } = host;
  const opened = new OpenedParts(ending);
  const started = new AbortController();
  try {
    const telemetry = opened.add(openTelemetry(settings, SYSTEM_CLOCK, logger), closed);
    const endEarly = (): void => {
      telemetry.logger.info('the start ends here, since the process is to end');
      // a step that waits for an answer is told by the part that it waits with
      void opened.end().catch(() => undefined);
    };
    ending?.addEventListener('abort', endEarly, { signal: started.signal });
    return await start(settings, { telemetry, host }, opened);
  } catch (thrown) {
    // why the start failed is told, not what its end came to
    await opened.end().catch(() => undefined);
    throw thrown;
  } finally {
    started.abort();
  }
}

interface Process {
  readonly telemetry: Telemetry;
  readonly host: HostProcess;
}

async function start(settings: Settings, { telemetry, host }: Process, opened: OpenedParts): Promise<Application> {
  requireServed(settings);
  const { clock, logger, meter } = telemetry;
  const tools = { clock, logger, meter };
  // first, so that a start without a cluster leaves nothing behind
  const connection = opened.add(await connect(settings, tools, host.environment ?? {}), closed);
  const claims = opened.add(await openClaims(settings, tools, connection), closed);
  const zones = opened.add(await openZones(settings, claims, tools), closed);
  const environment = opened.add(await openEnvironment(settings, connection, { claims: zones.claims, tools }), closed);
  const { hasher, certificate } = environment;
  const limits = {
    leaseSeconds: settings.reservationLeaseSeconds,
    maxReservedInNamespace: settings.maxReservationsPerNamespace,
    historyDays: settings.historyDays,
    historyRowsPerNamespace: settings.historyRowsPerNamespace,
  };
  // doors and ledger compare what is stored with the present, so they go by the clock of the store
  const stored = { ...tools, clock: claims.clock };
  const { claims: recorded } = zones;
  const ledger =
    recorded.kind === 'none'
      ? undefined
      : buildLedger(limits, { claims: recorded, zones: zones.zones, hasher, clock: claims.clock });
  const running = opened.add(await openDoors(settings, { tools: stored, environment, opened: zones, ledger }), closed);
  const paths = openHealth({ tools: stored, opened: zones, certificate, running });
  const secureMetrics = opened.add(await openSecureMetrics(settings, environment, tools), (part) => part?.close());
  const listening = { doors: running.doors, paths, telemetry, secureMetrics };
  const listeners = opened.add(await listen(settings, listening), closed);
  logger.info('operator ready', { store: settings.store });
  const shutdown = async (): Promise<void> => {
    await listeners.drain();
    await opened.end();
  };
  let stopping: Promise<void> | undefined;
  return { stop: () => (stopping ??= shutdown()) };
}
