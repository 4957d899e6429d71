import { tellRequests } from './server/request-events';
import { createWebServer, type BindAddress, type WebServer } from './server/https-server';
import { SYSTEM_CLOCK } from './backends/system/system-clock';
import { followFile } from './backends/files/same-file';
import { ADMISSION_BODY_BYTES } from './contract/group';
import { IPAM_API_BODY_BYTES } from './contract/ipam-api/v2';
import { freedLogOf, openApiLogins, openVersion3, type ApiLogins } from './assembly/ipam-api-door';
import { registerIpamApi } from './front-doors/ipam-api/index';
import { registerServicesDoor } from './front-doors/services/index';
import { IpamError } from './errors/ipam-error';
import { openLedger } from './ledger/open-ledger';
import type { Logger } from './ports/logger';
import type { CertificateSource } from './ports/certificates';
import type { AddressBook } from './ports/address-book';
import type { LedgerRecord } from './ledger/records/ledger-context';
import type { SecretHasher } from './ports/secret-hasher';
import type { RecordView } from './ports/store';
import type { FreedLog } from './ports/freed-log';
import type { OutsideSource } from './ports/outside-source';
import type { Registry } from './ports/registry';
import type { ZoneSource } from './ports/zone-source';
import { Health, registerHealth, type HealthCheck } from './server/health';
import { requireServed } from './assembly/served-settings';
import { drain } from './server/shutdown';
import type { Settings } from './settings/options';
import { claimGauges } from './ledger/gauges/claim-gauges';
import { adminServers } from './assembly/admin-door';
import { openTelemetry, type Telemetry } from './assembly/open-telemetry';
import { connectCluster } from './assembly/on-cluster';
import { openGround } from './assembly/open-ground';
import { closeRecord, isFar, isRemote, openRecord, type ClaimsRecord } from './assembly/record';
import { servicesDoorSettings } from './assembly/services-door';
import { openApiCertificateFolder } from './assembly/serving';
import { standaloneSurroundings } from './assembly/standalone';
import type { Attendance, Surroundings } from './assembly/surroundings';
import type { PrometheusMeter } from './telemetry/prometheus-meter';
import { setZoneGauges } from './ledger/gauges/zone-gauges';

/** A running operator. `stop` ends it without losing a request; calling it again waits for the first call. */
export interface Application {
  /** True addresses of the listeners; useful with port 0. */
  readonly addresses: {
    /** Absent where Services are not served. */
    readonly webhooks?: BindAddress;
    readonly probes?: BindAddress;
    readonly ipamApi?: BindAddress;
  };
  stop(): Promise<void>;
}

/** Parts that several listeners share. */
interface Parts {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly meter: PrometheusMeter;
  readonly zones: ZoneSource;
  readonly store: RecordView;
  /** The store itself, without what is put in front of it. */
  readonly record: RecordView;
  /** Absent where another operator keeps the record. */
  readonly registry: Registry | undefined;
  /** Says what is wrong with the file of the store. */
  readonly storeFileProblem: () => string | undefined;
  readonly outsideChecks: readonly HealthCheck[];
  readonly outside?: OutsideSource;
  /** Absent where this process alone writes to the store. */
  readonly freedLog?: FreedLog;
  readonly surroundings: Surroundings;
  readonly apiCertificate: CertificateSource;
  readonly apiLogins: ApiLogins;
  readonly attendance: Attendance;
}

/** What was opened, in the order in which it was; ended in the opposite order. */
class OpenParts {
  readonly #ends: (() => Promise<void> | void)[] = [];

  add<T>(part: T, end: (part: T) => Promise<void> | void): T {
    this.#ends.push(() => end(part));
    return part;
  }

  async end(): Promise<void> {
    for (let end = this.#ends.pop(); end !== undefined; end = this.#ends.pop()) await end();
  }
}

/**
 * Builds the operator from its settings and starts it: zones, key, store, ledger, front doors, servers. Everything that is
 * wrong with them ends the start, before anything listens.
 *
 * @param settings - from `parseSettings`
 * @param logger - where events go; standard output by default
 * @returns the running operator, ready
 * @throws IpamError with the code of what is wrong; what was opened until then is closed again
 */
export async function startApplication(settings: Settings, logger?: Logger): Promise<Application> {
  const opened = new OpenParts();
  try {
    const telemetry = opened.add(openTelemetry(settings, SYSTEM_CLOCK, logger), (each) => each.close());
    return await start(settings, telemetry, opened);
  } catch (thrown) {
    await opened.end();
    throw thrown;
  }
}

async function start(settings: Settings, telemetry: Telemetry, opened: OpenParts): Promise<Application> {
  requireServed(settings);
  const { logger } = telemetry;
  const parts = await openParts(settings, telemetry, opened);
  const health = healthOf(parts);
  const webhooks = settings.services ? webhookServer(parts) : undefined;
  const probes = settings.healthProbeBindAddress === undefined ? undefined : probeServer(parts, health);
  const ipamApi =
    settings.ipamApiBindAddress === undefined ? undefined : apiServer(parts, health, telemetry.tellRequest);
  const admin = await adminServers(settings, parts.record, {
    ...{ ...parts, clock: SYSTEM_CLOCK, book: parts.attendance.door.book },
    health: { health, exposition: exposition(parts) },
  });
  const servers = [webhooks, ipamApi, ...admin].filter((server) => server !== undefined);
  opened.add(servers, async (all) => {
    await Promise.all([...all, ...(probes === undefined ? [] : [probes])].map((server) => server.close()));
  });
  const addresses = {
    ...(await listening('webhooks', webhooks, settings.webhookBindAddress)),
    ...(await listening('probes', probes, settings.healthProbeBindAddress)),
    ...(await listening('ipamApi', ipamApi, settings.ipamApiBindAddress)),
  };
  for (const [name, { host, port }] of Object.entries(addresses)) logger.info('listening', { name, host, port });
  logger.info('operator ready', { store: settings.store });
  const shutdown = async (): Promise<void> => {
    const delaySeconds = settings.shutdownDelaySeconds;
    const late = probes === undefined ? {} : { probes };
    await drain({ health, servers, ...late, delaySeconds, clock: SYSTEM_CLOCK, logger });
    await opened.end();
  };
  let stopping: Promise<void> | undefined;
  return { addresses, stop: () => (stopping ??= shutdown()) };
}

async function listening(
  name: string,
  server: WebServer | undefined,
  address: BindAddress | undefined,
): Promise<Readonly<Record<string, BindAddress>>> {
  return server === undefined || address === undefined ? {} : { [name]: await server.listen(address) };
}

async function openParts(settings: Settings, telemetry: Telemetry, opened: OpenParts): Promise<Parts> {
  const { logger, meter } = telemetry;
  const around = { clock: SYSTEM_CLOCK, logger, meter };
  // first, so that a start without a cluster leaves nothing behind
  const access = settings.standalone ? undefined : await connectCluster(settings, around);
  const kept = opened.add(await openRecord(settings, around, access), closeRecord);
  const storeFileProblem = settings.store === 'sqlite' ? followFile(settings.sqliteFile) : () => undefined;
  const { ground, record, claims, checks, source } = await openGround(settings, { kept, tools: around }, opened);
  const { store, zones } = ground;
  const surroundings = opened.add(
    await (access === undefined ? standaloneSurroundings(ground) : access.surround(ground)),
    (each) => each.close(),
  );
  const { certificate, hasher } = surroundings;
  const apiCertificate = await openApiCertificate(settings, around, certificate);
  if (apiCertificate !== certificate)
    opened.add(apiCertificate, (each) => {
      each.close();
    });
  const apiLogins = opened.add(await openApiLogins(settings, around), (each) => {
    each.close();
  });
  const { book, registry } = bookOf({ kept, claims, zones, hasher, settings });
  const attendance = opened.add(surroundings.attend(book, registry), (each) => each.end());
  const opening = { settings, logger, meter, zones, store, record, storeFileProblem, outsideChecks: checks };
  const outside = source === undefined ? {} : { outside: source };
  return {
    ...opening,
    ...outside,
    ...freedLogOf(record),
    registry,
    surroundings,
    apiCertificate,
    apiLogins,
    attendance,
  };
}

function bookOf(parts: {
  readonly kept: ClaimsRecord;
  readonly claims: LedgerRecord | undefined;
  readonly zones: ZoneSource;
  readonly hasher: SecretHasher;
  readonly settings: Settings;
}): { readonly book: AddressBook; readonly registry?: Registry } {
  const { kept, claims, zones, hasher, settings } = parts;
  if (isFar(kept)) return { book: kept.book };
  if (claims === undefined) throw new IpamError('internal', 'the record was opened without claims');
  const { book, registry } = openLedger({
    ...{ record: claims, zones, hasher, clock: SYSTEM_CLOCK },
    leaseSeconds: settings.reservationLeaseSeconds,
    maxReservedInNamespace: settings.maxReservationsPerNamespace,
    historyDays: settings.historyDays,
  });
  return { book: isRemote(kept) ? kept.swept(book) : book, registry };
}

// Where the API is all that is served, the certificate that is open already is its own.
async function openApiCertificate(
  { services, ipamApiBindAddress, ipamApiTls, ipamApiCertPath: folder }: Settings,
  around: { readonly clock: typeof SYSTEM_CLOCK; readonly logger: Logger; readonly meter: PrometheusMeter },
  otherwise: CertificateSource,
): Promise<CertificateSource> {
  if (!services || folder === '' || ipamApiBindAddress === undefined || !ipamApiTls) return otherwise;
  return openApiCertificateFolder(folder, around);
}

function healthOf({ store, storeFileProblem, outsideChecks, surroundings, attendance }: Parts): Health {
  const checks: readonly HealthCheck[] = [
    {
      name: 'store',
      run: async () => {
        await store.ping();
        return storeFileProblem();
      },
    },
    { name: 'certificate', run: () => surroundings.certificate.problem() },
    ...outsideChecks,
    ...attendance.checks,
  ];
  return new Health(SYSTEM_CLOCK, checks, attendance.liveness);
}

function webhookServer({ settings, logger, meter, zones, surroundings, attendance }: Parts): WebServer {
  const { certificate, cluster } = surroundings;
  const server = createWebServer({ bodyLimitBytes: ADMISSION_BODY_BYTES, clock: SYSTEM_CLOCK, logger, certificate });
  registerServicesDoor(server.app, {
    ...{ cluster, zones, clock: SYSTEM_CLOCK, logger, meter },
    ...attendance.door,
    settings: servicesDoorSettings(settings),
  });
  return server;
}

function probeServer(parts: Parts, health: Health): WebServer {
  const { logger } = parts;
  const server = createWebServer({ bodyLimitBytes: IPAM_API_BODY_BYTES, clock: SYSTEM_CLOCK, logger });
  registerHealth(server.app, { health, exposition: exposition(parts) });
  return server;
}

function apiServer(parts: Parts, health: Health, tellRequest: Telemetry['tellRequest']): WebServer {
  const { settings, logger, meter, apiCertificate: certificate } = parts;
  const { book } = parts.attendance.door;
  const { clientCa } = parts.apiLogins;
  const tls = settings.ipamApiTls ? { certificate, ...(clientCa === undefined ? {} : { clientCa }) } : {};
  const server = createWebServer({ bodyLimitBytes: IPAM_API_BODY_BYTES, clock: SYSTEM_CLOCK, logger, ...tls });
  if (tellRequest !== undefined) tellRequests(server.app, SYSTEM_CLOCK, tellRequest);
  const { ipamApiDeadlineSeconds: deadlineSeconds, allowAnonymousV2 } = settings;
  registerIpamApi(server.app, { book, clock: SYSTEM_CLOCK, logger, meter, deadlineSeconds, allowAnonymousV2 });
  const { registry, zones, outside, freedLog } = parts;
  // a far record is refused with a listener, see `openFarRecord`
  if (registry !== undefined) {
    openVersion3(
      server,
      {
        ...{ book, registry, zones, clock: SYSTEM_CLOCK, logger, meter, deadlineSeconds },
        ...(outside === undefined ? {} : { outside }),
        ...(freedLog === undefined ? {} : { freedLog }),
      },
      parts.apiLogins,
    );
  }
  registerHealth(server.app, { health, exposition: exposition(parts) });
  return server;
}

function exposition({ meter, store, zones }: Parts): PrometheusMeter['exposition'] {
  const setClaimGauges = claimGauges({ meter, store, zones });
  return async () => {
    await setZoneGauges({ meter, store, zones });
    await setClaimGauges(SYSTEM_CLOCK.nowMs());
    return meter.exposition();
  };
}
