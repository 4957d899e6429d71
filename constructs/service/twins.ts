import type { IConstruct } from 'constructs';

import type { Address } from '../../operator/addressing/address';
import { readService, type ServiceView } from '../../operator/contract/service';
import type { Refusal } from '../../operator/errors/outcome';
import { sharingProblem } from '../../operator/rules/sharing';
import { addressField, type CollectedWishes } from '../../operator/rules/wishes';
import { impliedZone } from '../../operator/rules/named-zone';
import { operatorOfZones } from '../app/app-operators';
import { AppRegistry } from '../app/app-registry';
import { mayShareCluster } from '../app/clusters';
import type { IAddressOwner, IpamServiceProps } from './ipam-service-props';
import { sharerOf } from './joined';
import { wishesOf } from './wishes-of';

type Owner = IConstruct & IAddressOwner;

/** A Service with fixed addresses. */
interface Wisher {
  readonly construct: Owner;
  readonly wishes: CollectedWishes;
  readonly zone: string | undefined;
  readonly joins: IAddressOwner | undefined;
  readonly cluster: string | undefined;
}

/** Props by which a Service names its cluster. */
export interface ClusterProps {
  readonly zones?: IpamServiceProps['zones'] | undefined;
  readonly cluster?: string | undefined;
}

/**
 * Finds the cluster that a Service is for.
 *
 * @param props - of the Service
 * @returns undefined where no prop says so, which means every cluster of the app
 */
export function clusterOf(props: ClusterProps): string | undefined {
  return props.cluster ?? operatorOfZones(props.zones)?.cluster;
}

/** Services with fixed addresses of each app, by address. */
const WISHERS = new AppRegistry<Wisher>();
const WISHER_OF = new WeakMap<Owner, Wisher>();

/**
 * Remembers which addresses a Service wishes, so that another one of the same app is compared with it at synth.
 *
 * @param owner - the construct
 * @param props - secret and joined terms resolved
 */
export function noteWishes(owner: Owner, props: IpamServiceProps): void {
  const { wishes } = wishesOf(props);
  // most Services take what they get, and an app may have thousands
  if (wishes.addresses.length === 0) return;
  const wisher: Wisher = {
    construct: owner,
    wishes,
    zone: wishes.zone ?? (props.zones === undefined ? undefined : impliedZone(wishes.addresses, props.zones)),
    joins: props.joins,
    cluster: clusterOf(props),
  };
  WISHER_OF.set(owner, wisher);
  WISHERS.register(wisher, { keys: wishes.addresses.map(String) });
}

/**
 * Finds an earlier Service of the app that wishes the same address and that cannot share it: the webhook would refuse
 * whichever comes second.
 *
 * @param owner - a construct of which {@link noteWishes} knows
 * @returns at most one refusal for each address, both constructs named
 */
export function twinProblems(owner: Owner): readonly Refusal[] {
  const me = WISHER_OF.get(owner);
  return me?.wishes.addresses.flatMap((address) => twinProblem(address, me) ?? []) ?? [];
}

function twinProblem(address: Address, me: Wisher): Refusal | undefined {
  const field = addressField(address, me.wishes.addressFields);
  for (const other of WISHERS.earlierAt(me, address.toString())) {
    const text = conflict(me, other);
    if (text === undefined) continue;
    const both = `"${me.construct.node.path}" and "${other.construct.node.path}" ask for one address (${address.toString()})`;
    return { code: 'sharing/refused', field, value: address.toString(), message: `${field}: ${both}: ${text}` };
  }
  return undefined;
}

function conflict(me: Wisher, other: Wisher): string | undefined {
  if (me.zone !== other.zone || !mayShareCluster(me.cluster, other.cluster)) return undefined;
  const [mine, theirs] = [viewOf(me.construct), viewOf(other.construct)];
  // joined Services are compared where they join; two objects of one name are refused for their name
  if (mine === undefined || theirs === undefined || joined(me, other) || sameObject(mine, theirs)) return undefined;
  return sharingProblem(sharerOf(mine, me.wishes.sharingKey), sharerOf(theirs, other.wishes.sharingKey))?.text;
}

function viewOf({ sharedTerms }: IAddressOwner): ServiceView | undefined {
  return readService(sharedTerms.service.toJson());
}

function joined(me: Wisher, other: Wisher): boolean {
  return me.joins === other.construct || other.joins === me.construct;
}

function sameObject(one: ServiceView, two: ServiceView): boolean {
  return one.name === two.name && one.namespace === two.namespace;
}
