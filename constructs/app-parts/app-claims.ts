import type { IConstruct } from 'constructs';

import { parseHostPrefix, parsePrefix } from '../../operator/addressing/prefix';
import { rangeOf, rangeOfPrefix, type Range } from '../../operator/addressing/range';
import type { Refusal } from '../../operator/errors/outcome';
import type { AddressClaimSpec } from '../crds/address-claim';
import { mayShareCluster } from './clusters';

/** A claim as the others of its app see it. */
interface ClaimOfApp {
  readonly construct: IConstruct;
  readonly spec: AddressClaimSpec;
  readonly cluster: string | undefined;
}

/** By the root of the construct tree, in the order of declaration. */
const CLAIMS = new WeakMap<IConstruct, ClaimOfApp[]>();

/**
 * Makes a claim known to the others of its app, whatever chart they are in.
 *
 * @param claim - with a valid spec
 */
export function registerClaim(claim: ClaimOfApp): void {
  const { root } = claim.construct.node;
  CLAIMS.set(root, [...(CLAIMS.get(root) ?? []), claim]);
}

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

// Space that was given out of a claimed prefix names the prefix.
const isChild = (inner: ClaimOfApp, outer: ClaimOfApp): boolean =>
  inner.spec.pool !== undefined && [outer.spec.address, outer.spec.holder?.name].includes(inner.spec.pool);

function overlap(mine: ClaimOfApp, other: ClaimOfApp): boolean {
  if (mine.spec.network !== other.spec.network || !mayShareCluster(mine.cluster, other.cluster)) return false;
  if (mine.spec.address === other.spec.address) return false; // one name, which is reported as taken
  if (isChild(mine, other) || isChild(other, mine)) return false;
  const [here, there] = [claimedRange(mine.spec.address), claimedRange(other.spec.address)];
  return here !== undefined && there?.overlaps(here) === true;
}

/**
 * Compares a claim with those that were declared before it, so that each pair is reported once.
 *
 * @param construct - of a registered claim
 * @returns at most one refusal, both places named by their construct paths
 */
export function claimClashes(construct: IConstruct): readonly Refusal[] {
  const all = CLAIMS.get(construct.node.root) ?? [];
  const i = all.findIndex((each) => each.construct === construct);
  const mine = all[i];
  const other = mine === undefined ? undefined : all.slice(0, i).find((each) => overlap(mine, each));
  if (mine === undefined || other === undefined) return [];
  const { network, address } = mine.spec;
  const taken = `"${other.spec.address}" of AddressClaim [${other.construct.node.path}]`;
  const message = `spec.address: "${address}" overlaps ${taken} in network "${network}", where an address has one owner; name the larger one in spec.pool where this one was given out of it`;
  return [{ code: 'claim/invalid', field: 'spec.address', value: address, message }];
}
