import { ipCodec } from '../../operator/backends/claim-objects/ip-codec';
import { IP } from '../../operator/contract/kinds/ip';
import type { BindRequest, ClaimQuery, NewHolder, Owner, TakeRequest, Want } from '../../operator/ports/claims';
import { describeBindAndRelease } from './claims-changes';
import { describeJoins } from './claims-joins';
import { describeLimits } from './claims-limits';
import { describePairs } from './claims-pairs';
import { describeQuarantine } from './claims-quarantine';
import { describeQueries } from './claims-queries';
import { subjectOf } from './claims-suite';
import { describeTake } from './claims-takes';
import { IP_PARTS, openMemoryClaims, type Opening, type TableClaimStore } from './open-claim-objects';
import type { OpenStore } from './store-under-test';

/** Opens claims as IPs, as `--vips` does. */
export const IP_OPENING: Opening = { nested: false, kind: { declaration: IP, codec: ipCodec() } };

/** Claims as IPs over an API server in memory. */
export function openMemoryIps(): OpenStore<TableClaimStore> {
  return openMemoryClaims(IP_OPENING);
}

/**
 * Runs the contract of claims on IPs, without what an IP cannot keep.
 *
 * @param open - opens an empty store
 */
export function ipsSuite(open: OpenStore<TableClaimStore>): void {
  const subject = subjectOf(asIps(open));
  describeTake(subject, IP_PARTS);
  describePairs(subject, IP_PARTS);
  describeQuarantine(subject);
  describeBindAndRelease(subject, IP_PARTS);
  describeJoins(subject, IP_PARTS);
  describeQueries(subject, IP_PARTS);
  describeLimits(subject, IP_PARTS);
}

// An IP names an owner of its own cluster, and its holders have no keys; the contract writes both everywhere.
function asIps(open: OpenStore<TableClaimStore>): OpenStore<TableClaimStore> {
  return async () => {
    const opened = await open();
    const { store } = opened;
    const asked: TableClaimStore = {
      known: store.known,
      take: (request) => store.take(takeOf(request)),
      bind: (request) => store.bind(bindOf(request)),
      release: (request) => store.release(request),
      decide: (network, decide) => store.decide(network, decide),
      look: (network, read) => store.look(network, read),
      page: (network, page) => store.page(network, page),
      get: (place) => store.get(place),
      list: (query) => store.list(queryOf(query)),
      watch: (listener) => store.watch(listener),
      close: () => store.close(),
    };
    return { ...opened, store: asked };
  };
}

const ownOf = <O extends Partial<Owner>>(owner: O): O => ({ ...owner, cluster: '', namespaceUid: '' });

const wantOf = ({ key: _key, ...want }: Want): Want => want;

function takeOf({ wants, holder, ...rest }: TakeRequest): TakeRequest {
  const [first, second] = wants;
  const keyless = second === undefined ? ([wantOf(first)] as const) : ([wantOf(first), wantOf(second)] as const);
  return { ...rest, wants: keyless, holder: { ...holder, owner: ownOf(holder.owner) } };
}

function bindOf({ holder: { key: _key, ...holder }, ...rest }: BindRequest): BindRequest {
  const bound: NewHolder = { ...holder, owner: ownOf(holder.owner) };
  return { ...rest, holder: bound };
}

function queryOf(query: ClaimQuery): ClaimQuery {
  if (query.by === 'owner') return { ...query, owner: ownOf(query.owner) };
  const isHere = (query.by === 'cluster' || query.by === 'name') && query.cluster === 'c1';
  return isHere ? { ...query, cluster: '' } : query;
}
