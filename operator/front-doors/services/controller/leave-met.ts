import { isIn } from '../../../addressing/address';
import { metadataOf, textOf } from '../../../contract/loose-json';
import { serviceIn } from '../../../contract/occupied-source';
import type { Grant } from '../../../ports/address-book';
import type { MetClaim } from '../../../ports/occupied-addresses';
import type { ServicesDoorParts } from '../wanted/door-parts';
import { boundTo, type Facts } from '../wanted/facts';
import { wasShown } from './status';
import { readStored, type StoredObject } from './stored-object';

/** A grant that is to be given up, and what shows its address. */
interface Leaving {
  readonly grant: Grant;
  readonly use: MetClaim['use'];
}

/**
 * Gives up what a Service has at addresses that something else shows, where it never had them in use: two users of one address break each
 * other. What it wished by number is then refused by the record, everything else chosen anew.
 *
 * An address that its status shows, or its condition says that it showed, stays. So does what is bound to it where another cluster shows the
 * address: the record granted it before, nothing here can check what that cluster says, and no report of one cluster may move the
 * Services of another. Only a reservation, of which the Service was told a moment ago, goes around such an address.
 *
 * @param parts - of the door
 * @param object - the stored Service
 * @param facts - what it holds
 * @returns the facts without what was given up
 * @throws {@link IpamError} of store or cluster
 */
export async function leaveMet(
  parts: ServicesDoorParts,
  object: Pick<StoredObject, 'view' | 'announced' | 'condition'>,
  facts: Facts,
): Promise<Facts> {
  const { met, book, logger } = parts;
  const leaving = await leavingOf(parts, object, facts);
  if (met === undefined || leaving.length === 0) return facts;
  const { view } = object;
  const left = new Set(leaving.map(({ grant }) => grant));
  const kept = facts.grants.filter((grant) => !left.has(grant)).map(({ address }) => address);
  const isAnyBound = leaving.some(({ grant }) => facts.boundHolders.has(grant.holderId));
  const { clusterUid } = facts.claimant.service;
  if (isAnyBound) await book.releaseByUid({ serviceUid: view.uid, clusterUid, keep: kept });
  for (const { grant, use } of leaving) {
    if (!facts.boundHolders.has(grant.holderId)) await book.undo({ ...grant, created: true });
    const { zone, address } = grant;
    met.left(view, address, use);
    logger.info('address given up, since something else shows it', {
      namespace: view.namespace,
      name: view.name,
      zone,
      address: address.toString(),
      source: use.source,
    });
  }
  const gone = new Set(leaving.map(({ grant }) => grant.holderId));
  const bound = [...facts.boundHolders].filter((id) => !gone.has(id));
  // they still say which keys are ours and which zone it was, but nothing of them is kept
  const grants = facts.grants.map((grant): Grant => (left.has(grant) ? { ...grant, state: 'retained' } : grant));
  return { ...facts, grants, boundHolders: new Set(bound) };
}

async function leavingOf(
  parts: ServicesDoorParts,
  object: Pick<StoredObject, 'view' | 'announced' | 'condition'>,
  facts: Facts,
): Promise<readonly Leaving[]> {
  const found: Leaving[] = [];
  for (const grant of facts.grants) {
    if (isUsed(object, grant)) continue;
    const use = await useAgainst(parts, facts, grant);
    if (use !== undefined) found.push({ grant, use });
  }
  if (found.length === 0) return found;
  // the feed may be late: what counts is what is stored
  const { namespace, name, uid } = object.view;
  const now = readStored((await parts.cluster.service(namespace, name)) ?? {});
  return now?.view.uid === uid ? found.filter(({ grant }) => !isUsed(now, grant)) : [];
}

function isUsed(
  { announced, condition }: Pick<StoredObject, 'announced' | 'condition'>,
  { address }: Pick<Grant, 'address'>,
): boolean {
  return isIn(address, announced) || wasShown(condition, address);
}

async function useAgainst(parts: ServicesDoorParts, facts: Facts, grant: Grant): Promise<MetClaim['use'] | undefined> {
  if (parts.met === undefined || grant.state === 'retained') return undefined;
  const { clusterUid } = facts.claimant.service;
  const isBound = facts.boundHolders.has(grant.holderId);
  for (const use of parts.met.usesAt(grant)) {
    const counts = use.cluster === clusterUid ? !(await isLeaving(parts, use)) : !isBound;
    if (counts) return use;
  }
  return undefined;
}

// A Service that has a claim of its own still shows what it had before, as after an exchange: it goes, so the address comes.
async function isLeaving(
  parts: Pick<ServicesDoorParts, 'book' | 'cluster'>,
  { source }: Pick<MetClaim['use'], 'source'>,
): Promise<boolean> {
  const service = serviceIn(source);
  if (service === undefined) return false;
  const { namespace, name } = service;
  const uid = textOf(metadataOf((await parts.cluster.service(namespace, name)) ?? {})['uid']);
  return uid !== '' && (await boundTo(parts, { namespace, uid })).length > 0;
}
