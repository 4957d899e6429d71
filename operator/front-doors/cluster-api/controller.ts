import { CLUSTER_API_KINDS, readAddressClaim, type AddressClaimView } from '../../contract/cluster-api';
import type { AddressPoolProvider } from '../../ports/address-pool-provider';
import type { ObjectKey, ObjectName } from '../../ports/object-feed';
import { decideClaim, type ClaimFacts } from '../../rules/cluster-api/decide-claim';
import { claimedPool, factsOf, providerOf } from './claim-facts';
import { writeClaimStatus } from './claim-status';
import type { ClaimKey, ClusterApiParts } from './door-parts';
import { isClaimStored, releaseClaim } from './release-claim';
import { restoreAddresses, serveClaim, type Served } from './serve-claim';
import { ShownAddresses } from './shown-addresses';
import { WaitingClaims } from './waiting-claims';
import { WaitingGauge } from './waiting-gauge';
import { DECIDE_AGAIN_MS } from '../../runtime/decision-rounds';

/** Pause before an IPAddress is looked at again that finalizers of others hold. */
const HELD_MS = 5_000;

/** A look at a claim: the door of its pool, and the mark from before it. */
interface Look {
  readonly provider: AddressPoolProvider;
  readonly since: number;
}

/** The controller of address claims. */
export class ClusterApiController {
  readonly #parts: ClusterApiParts;
  readonly #waiting = new WaitingClaims();
  readonly #missingSince = new Map<string, number>();
  readonly #stops: (() => void)[];

  /**
   * Begins to listen to the pools. What stored IPAddresses have is put on record before their doors give anything.
   *
   * @param parts - feeds, writers and pools
   */
  constructor(parts: ClusterApiParts) {
    this.#parts = parts;
    for (const pool of parts.pools) pool.beforeGiving(() => restoreAddresses(parts));
    const shown = new ShownAddresses(parts.addresses);
    const gauge = new WaitingGauge(parts);
    this.#stops = [
      () => {
        gauge.close();
      },
      () => {
        shown.close();
      },
      ...parts.pools.map((pool) =>
        pool.onChange((isMeant) => {
          this.#waiting.changed((line) => line.provider === pool && isMeant(line.pool));
        }),
      ),
      // an entry that went although an IPAddress has the address is put back
      ...parts.pools.map((pool) =>
        pool.onFreed((address) => {
          for (const name of shown.at(address)) this.#wake(name);
        }),
      ),
    ];
  }

  #wake({ namespace, name }: ObjectName): void {
    const claim = readAddressClaim(this.#parts.claims.get(namespace, name));
    if (claim !== undefined) this.#waiting.wake({ namespace, name, uid: claim.uid });
  }

  /**
   * Works on one claim.
   *
   * @param key - of the claim
   * @returns milliseconds after which it is to be looked at again by itself
   * @throws IpamError of record or cluster; then it is tried again
   */
  async reconcile(key: ClaimKey): Promise<{ readonly requeueAfterMs?: number }> {
    try {
      return await this.#reconcile(key);
    } catch (thrown) {
      this.#waiting.passOn(key.uid);
      throw thrown;
    }
  }

  async #reconcile(key: ClaimKey): Promise<{ readonly requeueAfterMs?: number }> {
    const claim = readAddressClaim(this.#parts.claims.get(key.namespace, key.name));
    if (claim?.uid !== key.uid || key.isOrphan === true) return this.#reconcileGone(key);
    const provider = providerOf(this.#parts, claim.poolRef);
    if (provider === undefined) return {};
    const since = this.#waiting.mark();
    const facts = factsOf(this.#parts, claim, provider);
    const decision = decideClaim(facts);
    switch (decision.act) {
      case 'rest':
        return this.#rest(facts, { provider, since });
      case 'wait': {
        const { reason, message } = decision;
        await writeClaimStatus(this.#parts, claim, { addressRef: claim.addressRef, status: 'False', reason, message });
        return this.#after(claim, { provider, since }, 'waits');
      }
      case 'release':
        this.#waiting.leave(claim.uid);
        return (await releaseClaim(this.#parts, claim)) ? {} : { requeueAfterMs: HELD_MS };
      case 'serve':
        return this.#after(claim, { provider, since }, await serveClaim(this.#parts, facts, provider));
    }
  }

  // A change of the pool ends it, or one of the claim or of its Cluster, which are heard by themselves.
  #rest({ claim, pool }: ClaimFacts, look: Look): { readonly requeueAfterMs?: number } {
    if (pool === 'paused') return this.#after(claim, look, 'waits');
    this.#waiting.leave(claim.uid);
    return {};
  }

  #after(claim: AddressClaimView, { provider, since }: Look, served: Served): { readonly requeueAfterMs?: number } {
    const { namespace, name, uid, createdAt } = claim;
    if (served === 'again') {
      this.#waiting.passOn(uid);
      return { requeueAfterMs: DECIDE_AGAIN_MS };
    }
    if (served === 'done' || served === 'gone') {
      this.#waiting.leave(uid);
      return {};
    }
    const line = { provider, pool: claimedPool(provider, claim) };
    this.#waiting.park({ namespace, name, uid }, { line, createdAt, since }, served === 'full');
    return {};
  }

  // A deletion that the watch told ends everything at once; one that was found out may be a restore that is under way.
  async #reconcileGone(key: ClaimKey): Promise<{ readonly requeueAfterMs?: number }> {
    const { namespace, name, uid } = key;
    this.#waiting.leave(uid);
    const text = claimKeyText(key);
    if (await isClaimStored(this.#parts, { namespace, name, uid })) {
      this.#missingSince.delete(text);
      return {};
    }
    const { clock, orphanGraceMs } = this.#parts;
    const sinceMs = this.#missingSince.get(text) ?? clock.nowMs();
    if (key.isOrphan === true && clock.nowMs() - sinceMs < orphanGraceMs) {
      this.#missingSince.set(text, sinceMs);
      return { requeueAfterMs: orphanGraceMs - (clock.nowMs() - sinceMs) + 1 };
    }
    if (!(await releaseClaim(this.#parts, { namespace, name, uid }))) return { requeueAfterMs: HELD_MS };
    this.#missingSince.delete(text);
    // a claim made anew for another pool waits until what the former one of its name had is free
    this.#wake(key);
    return {};
  }

  /**
   * Compares everything that is stored with the record.
   *
   * @returns all claims of pools of ours, the oldest first, and those on record that are not stored
   * @throws IpamError of the cluster
   */
  async compare(): Promise<readonly ClaimKey[]> {
    const { claims, addresses, clusters, pools } = this.#parts;
    const feeds = [claims, addresses, ...(clusters === undefined ? [] : [clusters])];
    await Promise.all(feeds.map((feed) => feed.whenSynced()));
    const stored = claims.list().flatMap((raw) => readAddressClaim(raw) ?? []);
    const ours = stored.filter(({ poolRef }) => providerOf(this.#parts, poolRef) !== undefined);
    ours.sort((a, b) =>
      a.createdAt === b.createdAt ? (a.name < b.name ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1,
    );
    const held = pools.flatMap((pool) => pool.heldBy(CLUSTER_API_KINDS.claim.kind));
    const missing = held.filter(({ owner }) => claims.get(owner.namespace, owner.name) === undefined);
    return [
      ...ours.map(({ namespace, name, uid }) => ({ namespace, name, uid })),
      ...missing.map(({ owner: { namespace, name, uid = '' } }) => ({ namespace, name, uid, isOrphan: true })),
    ];
  }

  /**
   * Lists the claims of a Cluster of which something changed.
   *
   * @param cluster - its name
   * @returns claims that name it
   */
  claimsOf({ namespace, name }: Pick<ObjectKey, 'namespace' | 'name'>): readonly ClaimKey[] {
    const all = this.#parts.claims.list().flatMap((raw) => readAddressClaim(raw) ?? []);
    return all
      .filter((claim) => claim.namespace === namespace && claim.cluster === name)
      .map((claim) => ({ namespace, name: claim.name, uid: claim.uid }));
  }

  /**
   * Adds a listener.
   *
   * @param listener - is told claims that something else than a change of their own objects helps
   * @returns the function that takes it away
   */
  onWake(listener: (key: ClaimKey) => void): () => void {
    return this.#waiting.onWake(listener);
  }

  /** Forgets what waits: another process leads. */
  rest(): void {
    this.#waiting.clear();
    this.#missingSince.clear();
  }

  /** Ends the listeners. */
  close(): void {
    for (const stop of this.#stops) stop();
  }
}

/**
 * Writes a key.
 *
 * @param key - of a claim
 * @returns text that no other key has
 */
export function claimKeyText({ namespace, name, uid, isOrphan = false }: ClaimKey): string {
  return `${isOrphan ? 'IP of ' : ''}IPAddressClaim/${namespace}/${name}/${uid}`;
}
