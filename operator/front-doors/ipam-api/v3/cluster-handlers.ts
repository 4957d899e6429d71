import { accept, refuse, type Outcome, type Refusal } from '../../../errors/outcome';
import type { ExchangeMove, LiveObject } from '../../../ports/address-book';
import { SERVICE } from '../../../contract/service-identity';
import type { ReportBody } from '../../../contract/ipam-api/v3/bodies';
import { DEFAULT_PAGE } from '../../../contract/ipam-api/v3/pieces';
import { texts } from './claim-handlers';
import { claimEntries } from './listing';
import type { Handlers } from './parts';
import { addressAt, claimantOf, grantAnswer, namesForClient, present, serviceAnswer, timeOf } from './wire';

/** Handlers of clusters as a whole. */
export const CLUSTER_HANDLERS: Handlers<
  | 'listClusterClaims'
  | 'listHoldings'
  | 'exchangeClaims'
  | 'releaseServiceClaims'
  | 'putReport'
  | 'deleteCluster'
  | 'listClusters'
> = {
  listClusterClaims: async (parts, { params, query, client }) => {
    const { limit = DEFAULT_PAGE, after, namespace, state } = query;
    const filter = { clusterUid: params.clusterUid, ...present({ namespace, state }) };
    const page = await parts.registry.claims(filter, { limit, ...present({ after }) });
    const reading = { nowMs: parts.clock.nowMs(), mayName: namesForClient(client) };
    return accept({ body: claimEntries(page, filter, reading) });
  },
  listHoldings: async (parts, { params, query }) => {
    const { namespaceUid = '', namespace = '', serviceName = '', serviceUid, reservation } = query;
    if (serviceUid === undefined && (namespaceUid === '' || (serviceName === '' && reservation === undefined))) {
      return refuse(
        'api/malformed',
        'the query names no Service; give serviceUid, or namespaceUid with serviceName or reservation',
      );
    }
    const wire = { namespaceUid, namespace, serviceName, ...present({ serviceUid, reservation }) };
    const grants = await parts.book.holdings(claimantOf(params.clusterUid, wire));
    return accept({ body: { entries: grants.map(grantAnswer) } });
  },
  exchangeClaims: async (parts, { params: { clusterUid }, body }) => {
    const moves: ExchangeMove[] = [];
    for (const [i, { serviceUid, network, from, to }] of body.moves.entries()) {
      const left = addressAt(from, `moves[${i}].from`);
      if (!left.ok) return left;
      const wished = addressAt(to, `moves[${i}].to`);
      if (!wished.ok) return wished;
      moves.push({ serviceUid, clusterUid, network, from: left.value, to: wished.value });
    }
    const exchanged = await parts.book.exchange(moves);
    return exchanged.ok ? accept({ body: { entries: exchanged.value.map(grantAnswer) } }) : exchanged;
  },
  releaseServiceClaims: async (parts, { params, query }) => {
    const keep = [];
    for (const text of query.keep ?? []) {
      const address = addressAt(text, 'keep');
      if (!address.ok) return address;
      keep.push(address.value);
    }
    const { serviceUid } = query;
    const released = await parts.book.releaseByUid({ serviceUid, clusterUid: params.clusterUid, keep });
    return released.ok ? accept({ body: { released: texts(released.value.released) } }) : released;
  },
  putReport: async (parts, { params, body }) => {
    const live = body.services === undefined ? undefined : liveServices(body.services);
    if (live?.ok === false) return live;
    const { clusterUid } = params;
    const list = { needed: false };
    const swept = await parts.book
      .sweep({
        clusterUid,
        startedMs: parts.clock.nowMs() - body.ageMilliseconds,
        live: [
          {
            ...SERVICE,
            objects: () => {
              if (live !== undefined) return Promise.resolve(live.value);
              list.needed = true;
              return Promise.reject(new ListNeeded());
            },
          },
        ],
      })
      .catch((thrown: unknown) => {
        if (thrown instanceof ListNeeded) return { released: 0, bound: 0 };
        throw thrown;
      });
    if (!list.needed) await parts.registry.reported({ clusterUid, ...present({ name: body.name }) });
    return accept({ body: { ...swept, listNeeded: list.needed } });
  },
  deleteCluster: async (parts, { params, query }) => {
    const entries = await parts.registry.clearCluster({ clusterUid: params.clusterUid, dryRun: query.dryRun });
    const written = entries.map(({ network, zone, address, untilMs, verdict, ...holder }) => ({
      network,
      zone,
      address: address.toString(),
      service: serviceAnswer(holder),
      verdict,
      ...(untilMs === undefined ? {} : { until: timeOf(untilMs) }),
    }));
    return accept({ body: { dryRun: query.dryRun, entries: written } });
  },
  listClusters: async (parts) => {
    const clusters = await parts.registry.clusters();
    if (!clusters.ok) return clusters;
    const entries = clusters.value.map(({ clusterUid, name, claims, reportedAtMs }) => ({
      clusterUid,
      name,
      claims,
      ...(reportedAtMs === undefined ? {} : { reportedAt: timeOf(reportedAtMs) }),
    }));
    return accept({ body: { entries } });
  },
};

/** Ends a sweep that needs a list which the report did not bring. */
class ListNeeded extends Error {}

function liveServices(services: NonNullable<ReportBody['services']>): Outcome<readonly LiveObject[]> {
  const live: LiveObject[] = [];
  for (const [index, { namespace, name, uid, reservation, addresses }] of services.entries()) {
    const parsed = addresses.map((text) => addressAt(text, `services[${index}].addresses`));
    const bad = parsed.find((each): each is { ok: false; refusal: Refusal } => !each.ok);
    if (bad !== undefined) return bad;
    const values = parsed.flatMap((each) => (each.ok ? [each.value] : []));
    live.push({ namespace, name, uid, addresses: values, ...present({ reservation }) });
  }
  return accept(live);
}
