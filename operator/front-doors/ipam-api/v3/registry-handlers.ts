import { DEFAULT_PAGE } from '../../../contract/ipam-api/v3/pieces';
import { openApiDocument } from '../../../contract/ipam-api/v3/openapi';
import type { AnswerBody, CallOf } from '../../../contract/ipam-api/v3/operations';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import type { AddressRecord } from '../../../ports/claims';
import type { OutsideComparison } from '../../../ports/outside-source';
import type { HistoryEntry, ImportedClaim, Registry } from '../../../ports/registry';
import { NAMES_ALL } from '../../../errors/named-objects';
import { refuseForeign } from './access';
import { claimEntries } from './listing';
import type { Handlers } from './parts';
import { addressAt, familyOf, present, reserveRequest, serviceAnswer, timeOf } from './wire';
import { zoneAnswers } from './zone-answers';
import { wordOf } from '../../../contract/ipam-api/v3/family-word';

/**
 * Addresses of an import that are put on record at once: a store writes them in one transaction instead of one each, and Services
 * that ask meanwhile wait for no more than these. Entries of one address keep their order, since each waits for its turn.
 */
const IMPORT_AT_ONCE = 256;

type WireImport = CallOf<'importClaims'>['body']['claims'][number];

/** Handlers of the record as a whole. */
export const REGISTRY_HANDLERS: Handlers<
  | 'listZones'
  | 'getZone'
  | 'listClaims'
  | 'listServices'
  | 'planClaim'
  | 'putStanding'
  | 'getStanding'
  | 'deleteStanding'
  | 'listDifferences'
  | 'importClaims'
  | 'getDocument'
> = {
  listZones: async ({ registry, zones }, { query }) => {
    const catalogue = zones.current();
    const entries = zoneAnswers(catalogue, await registry.zones(), query.contested === true);
    return accept({ body: { ...present({ defaultZone: catalogue.defaultZone }), entries } });
  },
  getZone: async ({ registry, zones }, { params, query }) => {
    const answers = zoneAnswers(zones.current(), await registry.zones(), query.contested === true);
    const zone = answers.find(({ name }) => name === params.zone);
    if (zone !== undefined) return accept({ body: zone });
    const message = `no zone is called "${params.zone}", and no claim holds an address of one`;
    return refuse('claim/not-found', message, { field: 'zone', value: params.zone });
  },
  listClaims: async ({ registry, clock }, { query }) => {
    const { filter, page } = pageOf(query);
    return accept({
      body: claimEntries(await registry.claims(filter, page), filter, { nowMs: clock.nowMs(), mayName: NAMES_ALL }),
    });
  },
  listServices: async ({ registry, clock }, { query }) => {
    const { filter, page } = pageOf(query);
    const { entries, next } = claimEntries(await registry.claims(filter, page), filter, {
      nowMs: clock.nowMs(),
      mayName: NAMES_ALL,
    });
    const services = entries.map(({ service, network, zone, family, address, state, until, stale }) => ({
      service,
      network,
      zone,
      family,
      address,
      state,
      stale,
      ...present({ until }),
    }));
    return accept({ body: { entries: services, ...present({ next }) } });
  },
  planClaim: async ({ registry }, { body, client }) => {
    const { clusterUid, ...claim } = body;
    const foreign = refuseForeign(client, clusterUid);
    if (foreign !== undefined) return { ok: false, refusal: foreign };
    const request = reserveRequest(clusterUid, claim, client);
    if (!request.ok) return request;
    const planned = await registry.plan(request.value);
    if (!planned.ok) return planned;
    const { zone, family, address, kind } = planned.value;
    return accept({ body: { zone, family: wordOf(family), address: address.toString(), kind } });
  },
  putStanding: async ({ registry }, { params, body }) => {
    const { zone, family, address, secret, purpose } = body;
    const wish = address === undefined ? undefined : addressAt(address, 'address');
    if (wish?.ok === false) return wish;
    const claim = {
      name: params.name,
      zone,
      family: familyOf(family),
      secret,
      purpose,
      ...present({ wish: wish?.value }),
    };
    const record = await registry.putStanding(claim);
    return record.ok ? accept({ body: standingAnswer(params.name, record.value) }) : record;
  },
  getStanding: async ({ registry }, { params }) => {
    const record = await registry.standing(params.name);
    if (record !== undefined) return accept({ body: standingAnswer(params.name, record) });
    return refuse('claim/not-found', 'no standing claim has this name', { field: 'name', value: params.name });
  },
  deleteStanding: async ({ registry }, { params }) => {
    const ended = await registry.endStanding(params.name);
    return ended.ok ? accept({ body: { address: ended.value.address.toString() } }) : ended;
  },
  listDifferences: async ({ outside }) => {
    if (outside === undefined) {
      return refuse('outside/none', 'no outside source is set beside the record, so there is nothing to compare');
    }
    return accept({ body: differencesAnswer(outside.name, await outside.comparison()) });
  },
  importClaims: async ({ registry }, { body }) => {
    const entries: AnswerBody<'importClaims'>['entries'] = [];
    for (let at = 0; at < body.claims.length; at += IMPORT_AT_ONCE) {
      const some = body.claims.slice(at, at + IMPORT_AT_ONCE);
      entries.push(
        ...(await Promise.all(some.map((wire, i) => importEntry(registry, wire, { ...body, index: at + i })))),
      );
    }
    return accept({ body: { entries } });
  },
  getDocument: () => Promise.resolve(accept({ body: (document ??= openApiDocument()) })),
};

let document: Readonly<Record<string, unknown>> | undefined;

function pageOf(query: CallOf<'listClaims'>['query']) {
  const { limit = DEFAULT_PAGE, after, ...filter } = query;
  return { filter: present(filter), page: { limit, ...present({ after }) } };
}

function standingAnswer(name: string, record: AddressRecord): AnswerBody<'getStanding'> {
  const { network, pool: zone, family, address, takenAtMs } = record;
  const holder = record.holders.find(({ purpose }) => purpose !== undefined);
  return {
    name,
    network,
    zone,
    family: wordOf(family),
    address: address.toString(),
    purpose: holder?.purpose ?? '',
    since: timeOf(holder?.sinceMs ?? takenAtMs),
  };
}

function differencesAnswer(source: string, newest: OutsideComparison | undefined): AnswerBody<'listDifferences'> {
  if (newest === undefined) return { source, total: 0, entries: [], unread: [] };
  const { atMs, total, differences, unread } = newest;
  const entries = differences.map(({ sinceMs, nextAtMs, holders, ...difference }) => ({
    ...difference,
    holders: holders.map(({ service: serviceName, ...holder }) => ({ ...holder, serviceName })),
    since: timeOf(sinceMs),
    nextAt: timeOf(nextAtMs),
  }));
  return { source, comparedAt: timeOf(atMs), total, entries, unread: [...unread] };
}

async function importEntry(
  registry: Registry,
  wire: WireImport,
  { index, dryRun }: { readonly index: number; readonly dryRun: boolean },
): Promise<AnswerBody<'importClaims'>['entries'][number]> {
  const claim = importedClaim(wire, index);
  if (!claim.ok) {
    return { zone: wire.zone, address: wire.address, verdict: 'refused', problem: claim.refusal.message };
  }
  const { zone, address, verdict, problem } = await registry.importClaim(claim.value, dryRun);
  return { zone, address: address.toString(), verdict, ...present({ problem }) };
}

function importedClaim(wire: WireImport, index: number): Outcome<ImportedClaim> {
  const { zone, secret, services } = wire;
  const address = addressAt(wire.address, `claims[${index}].address`);
  if (!address.ok) return address;
  return accept({
    zone,
    secret,
    address: address.value,
    services: services.map(({ options, expiresAt, ...service }) => ({
      service,
      options,
      ...(expiresAt === undefined ? {} : { expiresAtMs: Date.parse(expiresAt) }),
    })),
  });
}

/**
 * Writes one span of the history of an address.
 *
 * @param entry - from the registry
 * @returns its form on the wire
 */
export function historyAnswer(entry: HistoryEntry): AnswerBody<'getHistory'>['entries'][number] {
  const { zone, state, fromMs, untilMs } = entry;
  return {
    zone,
    service: serviceAnswer(entry),
    state,
    from: timeOf(fromMs),
    ...(untilMs === undefined ? {} : { until: timeOf(untilMs) }),
  };
}
