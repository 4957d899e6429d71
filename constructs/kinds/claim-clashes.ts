import type { IConstruct } from 'constructs';

import { parseHostPrefix, parsePrefix } from '../../operator/addressing/prefix';
import { rangeOf, rangeOfPrefix, type Range } from '../../operator/addressing/range';
import type { Refusal } from '../../operator/errors/outcome';
import { AppRegistry } from '../app/app-registry';
import { mayShareCluster } from '../app/clusters';
import type { AddressClaimSpec } from '../crds/address-claim';

/** A claim as the others of its app see it. */
export interface ClaimOfApp {
  readonly construct: IConstruct;
  readonly spec: AddressClaimSpec;
  /** The claimed space; undefined where its address cannot be read. */
  readonly range: Range | undefined;
  readonly cluster: string | undefined;
}

const CLAIMS = new AppRegistry<ClaimOfApp>();

/**
 * Reads what a claim holds.
 *
 * @param text - its address
 * @returns undefined where it is neither address nor prefix
 */
export function claimedRange(text: string): Range | undefined {
  const host = parseHostPrefix(text);
  if (host.ok) return rangeOf(host.value, host.value);
  const prefix = parsePrefix(text);
  return prefix.ok ? rangeOfPrefix(prefix.value) : undefined;
}

const spaceOf = ({ spec, range }: ClaimOfApp) => ({ of: spec.network, ranges: range === undefined ? [] : [range] });

/**
 * Makes a claim known to the others of its app, whatever chart they are in.
 *
 * @param claim - with a valid spec
 */
export function registerClaim(claim: ClaimOfApp): void {
  CLAIMS.register(claim, { space: spaceOf(claim) });
}

// Space that was given out of a claimed prefix names the prefix.
const isChild = (inner: ClaimOfApp, outer: ClaimOfApp): boolean =>
  inner.spec.pool !== undefined && [outer.spec.address, outer.spec.holder?.name].includes(inner.spec.pool);

function clash(mine: ClaimOfApp, other: ClaimOfApp): boolean {
  if (!mayShareCluster(mine.cluster, other.cluster)) return false;
  if (mine.spec.address === other.spec.address) return false; // one name, which is reported as taken
  return !isChild(mine, other) && !isChild(other, mine);
}

/**
 * Compares a claim with those that were declared before it, so that each pair is reported once.
 *
 * @param mine - a registered claim
 * @returns at most one refusal, both places named by their construct paths
 */
export function claimClashes(mine: ClaimOfApp): readonly Refusal[] {
  const other = CLAIMS.earlierIn(mine, spaceOf(mine)).find((each) => clash(mine, each));
  if (other === undefined) return [];
  const { network, address } = mine.spec;
  const taken = `"${other.spec.address}" of AddressClaim [${other.construct.node.path}]`;
  const message = `spec.address: "${address}" overlaps ${taken} in network "${network}", where an address has one owner; name the larger one in spec.pool where this one was given out of it`;
  return [{ code: 'claim/invalid', field: 'spec.address', value: address, message }];
}
