import { ADDRESS_CLAIM, type AddressClaimSpec } from '../contract/kinds/address-claim';
import { recordNetwork } from '../contract/kinds/record-network';
import { mapOf, metadataOf, textOf, type JsonMap } from '../contract/loose-json';
import { sharedNetworkOf } from '../contract/nephio';
import { shownByClaim } from '../contract/kinds/shown-by-claim';
import type { ObjectChange, ObjectFeed } from '../ports/object-feed';
import type { ShowingFeed } from '../ports/showing-feed';
import type { ClusterFeeds } from './cluster-feeds';

/** The watches of AddressClaims, and of the NetworkInstances that say which network their claims are in. */
interface ClaimFeeds {
  readonly addressClaims: ObjectFeed;
  /** Absent where no door serves them. */
  readonly instances?: ObjectFeed;
}

/** Settings that say whether other doors have claims as objects. */
export interface ClaimingDoors {
  readonly networks: boolean;
  readonly egress: boolean;
}

/**
 * Reads what other doors have as AddressClaims.
 *
 * @param doors - that are on
 * @param feeds - of the cluster
 * @param own - door whose claims are left out; absent for one that has none
 * @returns one feed; none where no door has such claims
 */
export function claimsBeside(
  { networks, egress }: ClaimingDoors,
  feeds: Pick<ClusterFeeds, 'addressClaims' | 'instances'>,
  own?: AddressClaimSpec['door'],
): readonly ShowingFeed[] {
  if (!networks && !egress) return [];
  const addressClaims = feeds.addressClaims();
  return [shownByClaims(networks ? { addressClaims, instances: feeds.instances() } : { addressClaims }, own)];
}

/**
 * Reads what the AddressClaims of a cluster have.
 *
 * @param feeds - the claims, and what tells their networks
 * @param own - door whose claims are left out
 * @returns the claims with their addresses; a claim is told again when its NetworkInstance names another network
 */
export function shownByClaims(feeds: ClaimFeeds, own?: AddressClaimSpec['door']): ShowingFeed {
  const feed = new ClaimsInNetworks(feeds);
  const isOwn = (claim: JsonMap): boolean => own !== undefined && mapOf(claim['spec'])['door'] === own;
  return {
    kind: ADDRESS_CLAIM.kind,
    feed,
    shownBy: (claim) => (isOwn(claim) ? [] : shownByClaim(claim, feed.sharedNetwork)),
  };
}

class ClaimsInNetworks implements ObjectFeed {
  readonly #claims: ObjectFeed;
  readonly #instances: ObjectFeed | undefined;
  /** Networks that NetworkInstances name, by the names of their own networks. */
  readonly #shared = new Map<string, string>();

  constructor({ addressClaims, instances }: ClaimFeeds) {
    this.#claims = addressClaims;
    this.#instances = instances;
  }

  readonly sharedNetwork = (network: string): string | undefined => this.#shared.get(network);

  synced(): boolean {
    return this.#claims.synced() && this.#instances?.synced() !== false;
  }

  async whenSynced(): Promise<void> {
    await Promise.all([this.#claims.whenSynced(), this.#instances?.whenSynced()]);
  }

  get(namespace: string, name: string): JsonMap | undefined {
    return this.#claims.get(namespace, name);
  }

  list(): readonly JsonMap[] {
    return this.#claims.list();
  }

  onChange(listener: (change: ObjectChange) => void): () => void {
    let isFirst = true;
    const stopInstances = this.#instances?.onChange((change) => {
      const network = recordNetwork(change.key);
      const shared = sharedNetworkOf(change.after);
      if (shared === undefined) this.#shared.delete(network);
      else this.#shared.set(network, shared);
      if (!isFirst && sharedNetworkOf(change.before) !== shared) this.#tellAgain(network, listener);
    });
    isFirst = false;
    const stopClaims = this.#claims.onChange(listener);
    return () => {
      stopInstances?.();
      stopClaims();
    };
  }

  problem(): string | undefined {
    return this.#claims.problem() ?? this.#instances?.problem();
  }

  #tellAgain(network: string, listener: (change: ObjectChange) => void): void {
    for (const claim of this.#claims.list()) {
      if (textOf(mapOf(claim['spec'])['network']) !== network) continue;
      const { name, uid } = metadataOf(claim);
      listener({ key: { namespace: '', name: textOf(name), uid: textOf(uid) }, before: claim, after: claim });
    }
  }
}
