import type { FastifyInstance } from 'fastify';
import { ADMISSION_BODY_BYTES } from '../contract/group';
import { IPAM_API_BODY_BYTES } from '../contract/ipam-api/v2';
import { REPORT_BYTES } from '../contract/ipam-api/v3/cluster-operations';
import { registerHealth, registerMetrics, type HealthPaths } from '../server/health';
import { createWebServer, type BindAddress, type WebServer } from '../server/https-server';
import { guardMetrics } from '../server/metrics-guard';
import { tellRequests } from '../server/request-events';
import { drain } from '../server/shutdown';
import { OPTIONS, type Settings } from '../settings/options';
import { openAdminSocket } from './admin-socket';
import type { Door, DoorRoutes, ListenerName } from './door';
import type { SecureMetrics } from './secure-metrics';
import type { Telemetry } from './telemetry';

/** Addresses of the process, and its delay at the end. */
type ListenSettings = Pick<
  Settings,
  | 'webhookBindAddress'
  | 'healthProbeBindAddress'
  | 'metricsBindAddress'
  | 'ipamApiBindAddress'
  | 'adminSocket'
  | 'shutdownDelaySeconds'
>;

/** Parts of the listeners. */
interface ListenParts {
  readonly doors: readonly Door[];
  readonly paths: HealthPaths;
  readonly telemetry: Telemetry;
  /** Absent: the metrics are served without HTTPS and token. */
  readonly secureMetrics: Pick<SecureMetrics, 'callers' | 'certificate'> | undefined;
}

/** The listeners of the process. */
export interface Listeners {
  /** Makes the process not ready, finishes running requests, and closes every server. Called once. */
  drain(): Promise<void>;
  /** Closes every server at once. */
  close(): Promise<void>;
}

/** Listeners over TCP that doors have routes on. */
const LISTENERS = {
  webhooks: {
    bodyLimitBytes: ADMISSION_BODY_BYTES,
    bodiesBytes: 3 * ADMISSION_BODY_BYTES,
    showsHealth: false,
    tellsRequests: false,
  },
  ipamApi: { bodyLimitBytes: IPAM_API_BODY_BYTES, bodiesBytes: REPORT_BYTES, showsHealth: true, tellsRequests: true },
} as const;

/**
 * Makes a server for each listener that a door has routes on, and one for the probes, and listens.
 *
 * @param settings - addresses
 * @param parts - doors, health, log and metrics
 * @returns the listeners; every server listens
 * @throws IpamError `settings/invalid` when an address cannot be had; no server listens then
 */
export async function listen(settings: ListenSettings, parts: ListenParts): Promise<Listeners> {
  const { clock, logger } = parts.telemetry;
  const webhooks = doorServer('webhooks', parts);
  const probes = settings.healthProbeBindAddress === undefined ? undefined : probeServer(parts);
  const ipamApi = doorServer('ipamApi', parts);
  const metrics = metricsServer(parts);
  const admin = await adminServer(settings.adminSocket, parts);
  const servers = [webhooks, ipamApi, metrics, admin].filter((server) => server !== undefined);
  const close = async (): Promise<void> => {
    await Promise.all([...servers, ...(probes === undefined ? [] : [probes])].map((server) => server.close()));
  };
  try {
    const addresses = {
      ...(await listening('webhooks', webhooks, settings.webhookBindAddress)),
      ...(await listening('probes', probes, settings.healthProbeBindAddress)),
      ...(await listening('metrics', metrics, settings.metricsBindAddress)),
      ...(await listening('ipamApi', ipamApi, settings.ipamApiBindAddress)),
    };
    for (const [name, { host, port }] of Object.entries(addresses)) logger.info('listening', { name, host, port });
    const late = probes === undefined ? {} : { probes };
    const { health } = parts.paths;
    const { shutdownDelaySeconds: delaySeconds } = settings;
    return { drain: () => drain({ health, servers, ...late, delaySeconds, clock, logger }), close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

async function listening(
  name: string,
  server: WebServer | undefined,
  address: BindAddress | undefined,
): Promise<Readonly<Record<string, BindAddress>>> {
  return server === undefined || address === undefined ? {} : { [name]: await server.listen(address) };
}

function doorServer(name: keyof typeof LISTENERS, parts: ListenParts): WebServer | undefined {
  const { doors, telemetry } = parts;
  const routes = routesOn(name, doors);
  const [first] = routes;
  if (first === undefined) return undefined;
  const { clock, logger, meter, tellRequest } = telemetry;
  const { bodyLimitBytes, bodiesBytes, showsHealth, tellsRequests } = LISTENERS[name];
  const server = createWebServer({ listener: name, bodyLimitBytes, bodiesBytes, clock, logger, meter, ...first.tls });
  if (tellsRequests && tellRequest !== undefined) tellRequests(server.app, clock, tellRequest);
  for (const each of routes) each.register(server.app);
  if (showsHealth) registerOpenPaths(server.app, parts);
  return server;
}

function probeServer(parts: ListenParts): WebServer {
  const { clock, logger, meter } = parts.telemetry;
  const server = createWebServer({ listener: 'probes', bodyLimitBytes: IPAM_API_BODY_BYTES, clock, logger, meter });
  registerOpenPaths(server.app, parts);
  return server;
}

// Paths that need no token: where the metrics need one, they are not among them.
function registerOpenPaths(app: FastifyInstance, { paths, secureMetrics }: ListenParts): void {
  registerHealth(app, secureMetrics === undefined ? paths : { health: paths.health });
}

function metricsServer({ paths, telemetry, secureMetrics }: ListenParts): WebServer | undefined {
  if (secureMetrics === undefined) return undefined;
  const { clock, logger, meter } = telemetry;
  const server = createWebServer({
    listener: 'metrics',
    bodyLimitBytes: IPAM_API_BODY_BYTES,
    clock,
    logger,
    meter,
    certificate: secureMetrics.certificate,
  });
  guardMetrics(server.app, secureMetrics.callers);
  registerMetrics(server.app, paths.exposition);
  return server;
}

async function adminServer(path: string, { doors, paths, telemetry }: ListenParts): Promise<WebServer | undefined> {
  const routes = routesOn('adminSocket', doors);
  if (routes.length === 0) return undefined;
  const { clock, logger, meter } = telemetry;
  return openAdminSocket({
    path,
    // the usual folder is there in a Pod alone
    isOptional: path === OPTIONS.adminSocket.default,
    clock,
    logger,
    meter,
    register: (app) => {
      for (const each of routes) each.register(app);
      registerHealth(app, paths);
    },
  });
}

function routesOn(name: ListenerName, doors: readonly Door[]): readonly DoorRoutes[] {
  return doors.flatMap(({ routes = [] }) => routes.filter(({ listener }) => listener === name));
}
