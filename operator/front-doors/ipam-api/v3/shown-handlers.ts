import type { Address } from '../../../addressing/address';
import { DEFAULT_PAGE } from '../../../contract/ipam-api/v3/pieces';
import type { AnswerBody, CallOf } from '../../../contract/ipam-api/v3/operations';
import { hideForeign } from '../../../contract/occupied-source';
import { SERVICE, serviceIdentity } from '../../../contract/service-identity';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import type { SharedUses } from '../../../ledger/occupied/shared-uses';
import type { UseChange } from '../../../ledger/occupied/zone-shares';
import type { AddressRecord, Holder, Owner } from '../../../ports/claims';
import type { ZoneSource } from '../../../ports/zone-source';
import { limitsOf, reportersOf, tellRefused } from './beyond-share';
import { texts } from './claim-handlers';
import type { Handlers, IpamApiV3Parts, V3Client } from './parts';
import { wordOf } from '../../../contract/ipam-api/v3/family-word';
import { addressAt, claimantOf, namesForClient, present, serviceAnswer, timeOf } from './wire';

/** Addresses that are read side by side. */
const AT_ONCE = 64;

/** Handlers of addresses that clusters show without a claim. */
export const SHOWN_HANDLERS: Handlers<
  | 'postContest'
  | 'deleteContests'
  | 'listContests'
  | 'changeUses'
  | 'listUses'
  | 'forgetUses'
  | 'completeUses'
  | 'listComplete'
  | 'listMet'
  | 'lookupClaims'
> = {
  postContest: async ({ shown, zones }, { params, body, client, isLate }) => {
    const { claimant: wire, zone } = body;
    if (shown?.contests === undefined) return keepsNone();
    const unheard = unheardWord(client);
    if (unheard !== undefined) return unheard;
    const address = addressAt(body.address, 'address');
    if (!address.ok) return address;
    const claimant = { ...claimantOf(params.clusterUid, wire), serviceUid: wire.serviceUid };
    const noted = await shown.contest({ claimant, zone, address: address.value }, { limits: limitsOf(client), isLate });
    if (!noted.ok) return noted;
    const { network = '' } = zones.current().zone(zone) ?? {};
    return accept({ body: { contested: noted.value, network } });
  },
  deleteContests: async ({ shown }, { params: { clusterUid }, query }) => {
    if (shown?.contests === undefined) return keepsNone();
    const keep: Address[] = [];
    for (const text of query.keep ?? []) {
      const address = addressAt(text, 'keep');
      if (!address.ok) return address;
      keep.push(address.value);
    }
    const ended = await shown.contests.endContests({ serviceUid: query.serviceUid, clusterUid, keep });
    return ended.ok ? accept({ body: { released: texts(ended.value) } }) : ended;
  },
  listContests: async ({ registry }, { params: { clusterUid }, query }) => {
    const { limit = DEFAULT_PAGE, after } = query;
    const page = await registry.claims({ clusterUid, state: 'contested' }, { limit, ...present({ after }) });
    const entries = page.entries.flatMap((record) => contestsIn(record, clusterUid));
    return accept({ body: { entries, ...present({ next: page.next }) } });
  },
  changeUses: async (parts, { params: { clusterUid }, body, client, isLate }) => {
    const { shown } = parts;
    if (shown === undefined) return keepsNone();
    const changes = changesOf(body.changes);
    if (!changes.ok) return changes;
    const ends = changes.value.filter(({ use }) => use === undefined);
    const unheard = ends.length < changes.value.length ? unheardWord(client) : undefined;
    // a client that is an operator no more would otherwise leave its stale rows to the others
    const heard = unheard === undefined ? changes.value : ends;
    const done = await shown.write(clusterUid, heard, { limits: limitsOf(client), isLate });
    if (!done.ok) return done;
    if (unheard !== undefined) return unheard;
    const refused = done.value;
    tellRefused(parts, { client, clusterUid, refused });
    const written = refused.map(({ network, address, refusal: { code, message: detail } }) => {
      return { network, address: address.toString(), code, detail };
    });
    return accept({ body: { refused: written } });
  },
  listUses: async ({ shown }, { params: { clusterUid: cluster } }) => {
    if (shown === undefined) return keepsNone();
    const found = await shown.uses.list({ by: 'cluster', cluster });
    const entries = found.map(({ network, address, source, weight }) => {
      return { network, address: address.toString(), source, weight };
    });
    return accept({ body: { entries } });
  },
  forgetUses: async ({ shown }, { params }) => {
    if (shown === undefined) return keepsNone();
    return accept({ body: { addresses: await shown.uses.forget(params.clusterUid) } });
  },
  completeUses: async (parts, { params: { clusterUid: cluster }, body, client, isLate }) => {
    const { shown, zones, clients } = parts;
    if (shown === undefined) return keepsNone();
    const unheard = unheardWord(client);
    if (unheard !== undefined) return unheard;
    // zones may have come since it was reported; an administrator has no share of its own
    if (client.role === 'cluster') {
      const limits = reportersOf(clients?.current() ?? [], cluster).map(limitsOf);
      const call = { limits: limits.length > 0 ? limits : [limitsOf(client)], isLate };
      const settled = await shown.settle(cluster, call);
      if (!settled.ok) return settled;
      tellRefused(parts, { client, clusterUid: cluster, refused: settled.value });
    }
    // the zones of a client may be a moment behind: a network that has gone is no fault of it, and is not kept
    const served = networksOf(zones);
    const networks = [...new Set(body.networks)].filter((network) => served.has(network));
    if (networks.length > 0) await shown.uses.complete({ cluster, networks });
    return accept({ body: await completeAnswer(shown, { cluster, served }) });
  },
  listComplete: async ({ shown, zones }, { params: { clusterUid: cluster } }) => {
    if (shown === undefined) return keepsNone();
    return accept({ body: await completeAnswer(shown, { cluster, served: networksOf(zones) }) });
  },
  listMet: async ({ shown }, { params, client }) => {
    if (shown === undefined) return keepsNone();
    const met = await shown.uses.met(params.clusterUid);
    const mayName = namesForClient(client);
    const entries = met.map(({ network, address, pool: zone, holder, use }) => {
      const { cluster: clusterUid, source } = hideForeign(use, mayName);
      const place = { network, address: address.toString(), zone };
      return { ...place, service: serviceOf(holder), shownBy: { clusterUid, source } };
    });
    return accept({ body: { entries } });
  },
  lookupClaims: async (parts, { params, body }) => {
    const places: Pick<UseChange, 'network' | 'address'>[] = [];
    for (const [index, { network, address: text }] of body.places.entries()) {
      const address = addressAt(text, `places[${index}].address`);
      if (!address.ok) return address;
      places.push({ network, address: address.value });
    }
    const entries: AnswerBody<'lookupClaims'>['entries'] = [];
    for (let at = 0; at < places.length; at += AT_ONCE) {
      entries.push(...(await ownAt(parts, params.clusterUid, places.slice(at, at + AT_ONCE))));
    }
    return accept({ body: { entries } });
  },
};

function keepsNone(): Outcome<never> {
  return refuse('api/not-found', 'the record of this server has no place for addresses that clusters show');
}

// What a load balancer announces is known by the operator of its cluster alone.
function unheardWord({ name, role, operator }: V3Client): Outcome<never> | undefined {
  if (role !== 'cluster' || operator === true) return undefined;
  const message = `client "${name}" is no operator (operator: true in the clients file), so its word does not count for what its cluster shows`;
  return refuse('api/forbidden', message);
}

function changesOf(changes: CallOf<'changeUses'>['body']['changes']): Outcome<readonly UseChange[]> {
  const read: UseChange[] = [];
  for (const [index, { network, address: text, use }] of changes.entries()) {
    const address = addressAt(text, `changes[${index}].address`);
    if (!address.ok) return address;
    read.push({ network, address: address.value, ...present({ use }) });
  }
  return accept(read);
}

function contestsIn(
  { network, pool: zone, family, address, holders }: AddressRecord,
  clusterUid: string,
): AnswerBody<'listContests'>['entries'] {
  const own = holders.filter(({ state, owner }) => state === 'contested' && owner.cluster === clusterUid);
  return own.map(({ owner, sinceMs }) => ({
    network,
    zone,
    family: wordOf(family),
    address: address.toString(),
    service: serviceOf(owner),
    since: timeOf(sinceMs),
  }));
}

function serviceOf(owner: Owner): AnswerBody<'listContests'>['entries'][number]['service'] {
  return serviceAnswer({ service: serviceIdentity(owner), namespace: owner.namespace, serviceUid: owner.uid });
}

function networksOf(zones: ZoneSource): ReadonlySet<string> {
  return new Set(zones.current().zones.map(({ network }) => network));
}

async function completeAnswer(
  { uses }: SharedUses,
  { cluster, served }: { readonly cluster: string; readonly served: ReadonlySet<string> },
): Promise<AnswerBody<'listComplete'>> {
  const complete = [...(await uses.completeSince(cluster))].filter(([network]) => served.has(network));
  return { entries: complete.map(([network, sinceMs]) => ({ network, since: timeOf(sinceMs) })) };
}

async function ownAt(
  { registry, clock }: IpamApiV3Parts,
  clusterUid: string,
  places: readonly Pick<UseChange, 'network' | 'address'>[],
): Promise<AnswerBody<'lookupClaims'>['entries']> {
  const found = await Promise.all(places.map(({ network, address }) => registry.claim(network, address)));
  const nowMs = clock.nowMs();
  return found.flatMap((record) => (record === undefined ? [] : ownIn(record, clusterUid, nowMs)));
}

// What is told of other clusters is nothing.
function ownIn(record: AddressRecord, clusterUid: string, nowMs: number): AnswerBody<'lookupClaims'>['entries'] {
  const { network, pool: zone, address, holders, quarantine } = record;
  const isOwn = ({ owner }: Pick<Holder, 'owner'>): boolean =>
    owner.cluster === clusterUid && owner.kind === SERVICE.kind;
  const own = holders.filter(isOwn).map(({ owner, state }) => ({ service: serviceOf(owner), state }));
  const former =
    quarantine !== undefined && isOwn(quarantine.former)
      ? {
          service: serviceOf(quarantine.former.owner),
          leftMilliseconds: Math.max(0, Math.ceil(quarantine.untilMs - nowMs)),
        }
      : undefined;
  if (own.length === 0 && former === undefined) return [];
  return [{ network, zone, address: address.toString(), holders: own, ...present({ former }) }];
}
