import type { IConstruct } from 'constructs';

import type { Address } from '../../operator/addressing/address';
import { readService, type ServiceView } from '../../operator/contract/service';
import type { Refusal } from '../../operator/errors/outcome';
import { sharingProblem } from '../../operator/rules/sharing';
import { addressField, type CollectedWishes } from '../../operator/rules/wishes';
import { operatorOfZones } from '../app-parts/app-operators';
import { mayShareCluster } from '../app-parts/clusters';
import type { IAddressOwner, IpamServiceProps } from '../ipam-service-props';
import { sharerOf } from './joined';
import { wishesOf } from './wishes-of';

type Owner = IConstruct & IAddressOwner;

/** A Service with fixed addresses. */
interface Wisher {
  readonly owner: Owner;
  readonly wishes: CollectedWishes;
  readonly zone: string | undefined;
  readonly joins: IAddressOwner | undefined;
  readonly cluster: string | undefined;
}

/**
 * Finds the cluster that a Service is for.
 *
 * @param props - of the Service
 * @returns undefined where nobody says, which means every cluster of the app
 */
export function clusterOf(props: IpamServiceProps): string | undefined {
  return props.cluster ?? operatorOfZones(props.zones)?.cluster;
}

/** Services with fixed addresses of each app, by address, in the order in which they were made. */
const WISHERS = new WeakMap<IConstruct, Map<string, Wisher[]>>();

/**
 * Remembers which addresses a Service wishes, so that another one of the same app is compared with it at synth.
 *
 * @param owner - the construct
 * @param props - secret and joined terms resolved
 */
export function noteWishes(owner: Owner, props: IpamServiceProps): void {
  const known = WISHERS.get(owner.node.root) ?? new Map<string, Wisher[]>();
  WISHERS.set(owner.node.root, known);
  const { wishes } = wishesOf(props);
  const wisher = {
    owner,
    wishes,
    zone: wishes.zone ?? props.zones?.defaultZone,
    joins: props.joins,
    cluster: clusterOf(props),
  };
  for (const address of wishes.addresses.map(String)) {
    const others = known.get(address);
    if (others === undefined) known.set(address, [wisher]);
    else others.push(wisher);
  }
}

/**
 * Finds an earlier Service of the app that wishes the same address and that cannot share it: the webhook would refuse
 * whichever comes second.
 *
 * @param owner - the construct
 * @param props - secret and joined terms resolved
 * @returns at most one refusal for each address, both constructs named
 */
export function twinProblems(owner: Owner, props: IpamServiceProps): readonly Refusal[] {
  const known = WISHERS.get(owner.node.root);
  const { addresses } = wishesOf(props).wishes;
  return addresses.flatMap((address) => twinProblem(address, known?.get(address.toString()) ?? [], owner) ?? []);
}

function twinProblem(address: Address, all: readonly Wisher[], owner: Owner): Refusal | undefined {
  const me = all.find((each) => each.owner === owner);
  if (me === undefined) return undefined;
  const field = addressField(address, me.wishes.addressFields);
  for (const other of all.slice(0, all.indexOf(me))) {
    const text = conflict(me, other);
    if (text === undefined) continue;
    const both = `"${owner.node.path}" and "${other.owner.node.path}" ask for one address (${address.toString()})`;
    return { code: 'sharing/refused', field, value: address.toString(), message: `${field}: ${both}: ${text}` };
  }
  return undefined;
}

function conflict(me: Wisher, other: Wisher): string | undefined {
  if (me.zone !== other.zone || !mayShareCluster(me.cluster, other.cluster)) return undefined;
  const [mine, theirs] = [viewOf(me.owner), viewOf(other.owner)];
  // joined Services are compared where they join; two objects of one name are refused for their name
  if (mine === undefined || theirs === undefined || joined(me, other) || sameObject(mine, theirs)) return undefined;
  return sharingProblem(sharerOf(mine, me.wishes.sharingKey), sharerOf(theirs, other.wishes.sharingKey))?.text;
}

function viewOf({ sharedTerms }: IAddressOwner): ServiceView | undefined {
  return readService(sharedTerms.service.toJson());
}

function joined(me: Wisher, other: Wisher): boolean {
  return me.joins === other.owner || other.joins === me.owner;
}

function sameObject(one: ServiceView, two: ServiceView): boolean {
  return one.name === two.name && one.namespace === two.namespace;
}
