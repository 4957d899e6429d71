import type { Address } from '../../../addressing/address';
import type { Prefix } from '../../../addressing/prefix';
import { EGRESS_LOAD_BALANCER } from '../../../contract/egress';
import { poolOf } from '../../../contract/egress-pool';
import { readEgressIpam, type EgressIpamObject } from '../../../contract/kinds/egress-ipam';
import type { CloudWant, LoadBalancerChoice } from '../../../ports/cloud';
import type { KnownClaims } from '../../../ports/known-claims';
import type { ObjectFeed } from '../../../ports/object-feed';

/** An EgressIPAM as far as the cloud is concerned. */
interface Demanding {
  readonly name: string;
  readonly network: string;
  readonly prefixes: readonly Prefix[];
  /** False with `spec.cloud: none`. */
  readonly isAttached: boolean;
  readonly loadBalancer: LoadBalancerChoice;
}

/** What EgressIPAMs and claims ask of the cloud. Synchronous; read anew after each change of an EgressIPAM. */
export class CloudDemand {
  readonly #egressIpams: ObjectFeed;
  readonly #known: Pick<KnownClaims, 'at'>;
  #demanding: readonly Demanding[] | undefined;

  /**
   * Reads nothing yet.
   *
   * @param egressIpams - those that are stored
   * @param known - the record of addresses
   */
  constructor(egressIpams: ObjectFeed, known: Pick<KnownClaims, 'at'>) {
    this.#egressIpams = egressIpams;
    this.#known = known;
  }

  /**
   * Adds a listener for changes of EgressIPAMs.
   *
   * @param listener - must not throw
   * @returns the function that takes it away
   */
  onChange(listener: () => void): () => void {
    return this.#egressIpams.onChange(() => {
      this.#demanding = undefined;
      listener();
    });
  }

  /**
   * Lists the CIDRs whose addresses are attached to machines.
   *
   * @returns them in any order
   */
  prefixes(): readonly Prefix[] {
    return this.#all().flatMap(({ prefixes, isAttached }) => (isAttached ? prefixes : []));
  }

  /**
   * Tells how an address is attached.
   *
   * @param address - any address
   * @returns undefined for one that is not attached to machines by the operator
   */
  wantOf(address: Address): CloudWant | undefined {
    const of = this.#all().find(
      ({ prefixes, isAttached }) => isAttached && prefixes.some((each) => each.contains(address)),
    );
    return of && { address, loadBalancer: of.loadBalancer };
  }

  /**
   * Tells whether the operator may detach an address: a namespace holds it, or held it a moment ago, by an EgressIPAM whose addresses are
   * attached.
   *
   * @param address - any address
   * @returns false for one of something else
   */
  isOurs(address: Address): boolean {
    const networks = new Set(['default', ...this.#all().map(({ network }) => network)]);
    return [...networks].some((network) => {
      const record = this.#known.at({ network, address });
      if (record?.door !== 'egress') return false;
      return this.#all().find(({ name }) => name === record.pool)?.isAttached !== false;
    });
  }

  #all(): readonly Demanding[] {
    return (this.#demanding ??= this.#egressIpams.list().flatMap((object) => {
      const read = readEgressIpam(object);
      return read === undefined ? [] : demandOf(read.object);
    }));
  }
}

function demandOf({ metadata, spec }: EgressIpamObject): Demanding {
  const asked = metadata.annotations?.[EGRESS_LOAD_BALANCER.key];
  return {
    name: metadata.name,
    network: spec?.network ?? 'default',
    prefixes: (spec?.cidrAssignments ?? []).flatMap(({ CIDR }) => poolOf(CIDR) ?? []),
    isAttached: spec?.cloud !== 'none',
    loadBalancer: asked === 'none' || asked === 'same-as-primary-ip' ? asked : 'auto',
  };
}
