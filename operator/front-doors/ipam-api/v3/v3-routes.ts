import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { refusalOfHttp } from '../../../contract/ipam-api/error-answer';
import type { Operation } from '../../../contract/ipam-api/v3/operation';
import { operation, OPERATION_IDS, type OperationId } from '../../../contract/ipam-api/v3/operations';
import { parseCall } from '../../../contract/ipam-api/v3/parse-call';
import { problemOf, PROBLEM_TYPE } from '../../../contract/ipam-api/v3/problem';
import { IPAM_API_BODY_BYTES } from '../../../contract/ipam-api/v2';
import { renamedRefusal } from '../../../contract/renamed-note';
import { catalogueRow } from '../../../errors/catalogue';
import type { Outcome, Refusal } from '../../../errors/outcome';
import { traceOf } from '../../../errors/trace';
import { withDeadline } from '../shared/request-deadline';
import { refuseAccess } from './access';
import { ADDRESS_HANDLERS } from './address-handlers';
import { CLAIM_HANDLERS } from './claim-handlers';
import { CLUSTER_HANDLERS } from './cluster-handlers';
import { expectationOf } from './entity-tags';
import { FreedEvents } from './events';
import type { Handlers, IpamApiV3Parts, Login, V3Answer, V3Call, V3Client } from './parts';
import { REGISTRY_HANDLERS } from './registry-handlers';
import { SHOWN_HANDLERS } from './shown-handlers';

const HANDLERS: Handlers<Exclude<OperationId, 'clusterEvents'>> = {
  ...CLAIM_HANDLERS,
  ...CLUSTER_HANDLERS,
  ...SHOWN_HANDLERS,
  ...REGISTRY_HANDLERS,
  ...ADDRESS_HANDLERS,
};
/** Serves an operation whose types were left behind in the table. */
type AnyHandler = (parts: IpamApiV3Parts, call: V3Call<OperationId>) => Promise<Outcome<V3Answer<unknown>>>;

/** Operations that go over many claims have this many times the usual time. */
const LONG_FACTOR = 6;
const LONG: ReadonlySet<OperationId> = new Set([
  ...(['putReport', 'importClaims', 'deleteCluster', 'changeUses', 'forgetUses', 'lookupClaims'] as const),
]);

/**
 * Opens version 3 of the IPAM-API on a server: one route for each operation of the contract. Bodies are never logged.
 *
 * @param app - instance that does not listen yet
 * @param parts - book, registry, zones, clock, logger, meter, deadline
 * @param login - how callers are told apart
 */
export function registerIpamApiV3(app: FastifyInstance, parts: IpamApiV3Parts, login: Login): void {
  const events = new FreedEvents(parts);
  app.addHook('preClose', (done) => {
    events.close();
    done();
  });
  // a scope of its own: its errors are problem details, those of the other paths are not
  void app.register((scope, _options, done) => {
    if (!scope.hasContentTypeParser('application/json')) {
      scope.addContentTypeParser(
        'application/json',
        { parseAs: 'string' },
        scope.getDefaultJsonParser('error', 'error'),
      );
    }
    scope.setErrorHandler((error: Error & { readonly code?: string }, request, reply) => {
      sendFault(parts, { request, reply }, error);
    });
    for (const id of OPERATION_IDS) addRoute(scope, { parts, events, login }, id);
    done();
  });
}

interface RouteParts {
  readonly login: Login;
  readonly parts: IpamApiV3Parts;
  readonly events: FreedEvents;
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

function addRoute(scope: FastifyInstance, all: RouteParts, id: OperationId): void {
  const { parts, events } = all;
  const declared = operation(id);
  const url = declared.path.replaceAll(/\{(\w+)\}/gu, ':$1');
  const clients = new WeakMap<FastifyRequest, V3Client>();
  scope.route({
    method: declared.method,
    url,
    ...limitsOf(declared),
    exposeHeadRoute: false,
    // Before the body is read: a caller without the right need not send it.
    onRequest: async (request, reply) => {
      if (declared.secret === true) void reply.header('cache-control', 'no-store');
      if (declared.roles === undefined) return;
      const client = permitted(declared, request, all.login.authenticate(request));
      if (client.ok) clients.set(request, client.value);
      else await sendRefused(parts, { request, reply }, client.refusal);
    },
    handler: async (request, reply) => {
      const call = readCall(id, request, clients.get(request));
      if (!call.ok) return sendRefused(parts, { request, reply }, call.refusal);
      const renamed = await refuseRenamed(parts, call.value);
      if (renamed !== undefined) return sendRefused(parts, { request, reply }, renamed);
      if (declared.audited === true) logCall(parts, id, call.value);
      if (id === 'clusterEvents') {
        const refusal = events.refusal(call.value.client.name);
        if (refusal !== undefined) return sendRefused(parts, { request, reply }, refusal);
        return follow(all, call.value.client, { request, reply });
      }
      const outcome = await inTime(parts, id, call.value);
      if (!outcome.ok) return sendRefused(parts, { request, reply }, outcome.refusal);
      const { body, status = 200, headers = {} } = outcome.value;
      return reply.code(status).headers(headers).send(body);
    },
    onResponse: (request, reply, done) => {
      const labels = { route: url, method: request.method };
      parts.meter.count('api_requests_total', { ...labels, status: String(reply.statusCode) });
      parts.meter.observe('api_duration_seconds', reply.elapsedTime / 1_000, labels);
      done();
    },
  });
}

// An operator that was not restarted would go on writing under the identity of before.
async function refuseRenamed({ newNames }: IpamApiV3Parts, { client, params }: Read): Promise<Refusal | undefined> {
  const { clusterUid } = params as { readonly clusterUid?: string };
  if (newNames === undefined || clusterUid === undefined || client.role !== 'cluster') return undefined;
  const name = await newNames(clusterUid);
  if (name === undefined) return undefined;
  return { ...renamedRefusal(clusterUid, name), field: 'clusterUid' };
}

function limitsOf({ bodyLimit = IPAM_API_BODY_BYTES }: Operation): RouteShorthandOptions {
  return { bodyLimit };
}

function deadlineOf({ clock, deadlineSeconds }: IpamApiV3Parts, id: OperationId) {
  return { clock, deadlineSeconds: LONG.has(id) ? deadlineSeconds * LONG_FACTOR : deadlineSeconds };
}

function permitted(declared: Operation, request: FastifyRequest, client: Outcome<V3Client>): Outcome<V3Client> {
  if (!client.ok) return client;
  const { clusterUid } = request.params as { readonly clusterUid?: string };
  const refusal = refuseAccess(client.value, declared, clusterUid);
  return refusal === undefined ? client : { ok: false, refusal };
}

const ANONYMOUS: V3Client = { name: 'nobody', role: 'reader', clusterUids: [] };

type Read = Omit<V3Call<OperationId>, 'isLate'>;

function inTime(parts: IpamApiV3Parts, id: keyof typeof HANDLERS, call: Read): ReturnType<AnyHandler> {
  const limits = deadlineOf(parts, id);
  const endsMs = limits.clock.nowMs() + limits.deadlineSeconds * 1_000;
  const isLate = (): boolean => limits.clock.nowMs() >= endsMs;
  return withDeadline(limits, () => (HANDLERS[id] as AnyHandler)(parts, { ...call, isLate }));
}

function readCall(id: OperationId, request: FastifyRequest, client = ANONYMOUS): Outcome<Read> {
  const { params, query, body } = request;
  const call = parseCall(id, { params, query, body });
  if (!call.ok) return call;
  const { tagged, method } = operation(id);
  if (tagged !== true || method === 'GET') return { ok: true, value: { ...call.value, client } };
  return { ok: true, value: { ...call.value, client, expects: expectationOf(request.headers) } };
}

// Before the work, so that a call whose answer is lost is told as well; names and places only, no body.
function logCall({ logger }: IpamApiV3Parts, id: OperationId, { client, params, query }: Read): void {
  const { clusterUid, network, address, name } = params as Readonly<Record<string, string | undefined>>;
  const { dryRun } = query as { readonly dryRun?: boolean };
  const identity = `client ${client.name} (${client.role})`;
  logger.info('IPAM-API administration', {
    operation: id,
    identity,
    network,
    address,
    name,
    cluster: clusterUid,
    dryRun,
  });
}

function follow({ events, login }: RouteParts, { name }: V3Client, { request, reply }: Exchange): FastifyReply {
  const last = request.headers['last-event-id'];
  const caller = login.follow(request);
  const mayListen = (): boolean => permitted(operation('clusterEvents'), request, caller()).ok;
  reply.hijack();
  const goesOn = typeof last === 'string' && last !== '' ? { lastEventId: last } : {};
  events.follow(reply.raw, { name, mayListen, ...goesOn });
  return reply;
}

function sendFault(parts: IpamApiV3Parts, exchange: Exchange, error: Error & { readonly code?: string }): void {
  const refusal = refusalOfHttp(error);
  const { method, routeOptions } = exchange.request;
  if (refusal.code === 'internal') {
    const fields = { method, route: routeOptions.url, error: error.name, trace: traceOf(error) };
    parts.logger.error('request failed by a fault of the program', fields);
  }
  void sendRefused(parts, exchange, refusal);
}

function sendRefused({ logger, meter }: IpamApiV3Parts, { request, reply }: Exchange, refusal: Refusal): FastifyReply {
  const { status, headers, body } = problemOf(refusal);
  meter.count('refusals_total', { reason: catalogueRow(refusal.code).reason });
  const fields = { method: request.method, route: request.routeOptions.url, status, code: refusal.code };
  if (status >= 500) logger.warn('IPAM-API request failed', fields);
  else logger.info('IPAM-API request refused', fields);
  const challenge = status === 401 ? { 'www-authenticate': 'Bearer realm="IPAM-API"' } : {};
  return reply
    .code(status)
    .headers({ ...headers, ...challenge })
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(body));
}
