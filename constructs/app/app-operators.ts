import type { IConstruct } from 'constructs';

import type { ZoneCatalogue } from '../../operator/contract/zones';
import { AppRegistry } from './app-registry';
import { mayShareCluster } from './clusters';

/** Which Services an operator serves. */
interface ServedServices {
  readonly enabled?: boolean;
  readonly loadBalancerClasses?: readonly string[];
  readonly excludedNamespaces?: readonly string[];
}

/** An operator as the other constructs of its app see it. */
export interface OperatorOfApp {
  readonly construct: IConstruct;
  readonly cluster: string | undefined;
  readonly services: ServedServices;
  /** By which Services refer to it; undefined while they are not valid. */
  readonly zones: ZoneCatalogue | undefined;
  /** Finds what announces a zone: its pool and its advertisements, where the operator declares them. */
  readonly poolOf: (zone: string) => IConstruct | undefined;
}

const OPERATORS = new AppRegistry<OperatorOfApp>();
const OF_ZONES = new WeakMap<ZoneCatalogue, OperatorOfApp>();

/**
 * Makes an operator known to the other constructs of its app, whatever chart they are in.
 *
 * @param operator - with its settings and zones
 */
export function registerOperator(operator: OperatorOfApp): void {
  const { zones } = operator;
  OPERATORS.register(operator);
  if (zones !== undefined) OF_ZONES.set(zones, operator);
}

/**
 * Lists the operators of an app.
 *
 * @param construct - anywhere in the app
 * @returns in the order of their declaration
 */
export function operatorsOfApp(construct: IConstruct): readonly OperatorOfApp[] {
  return OPERATORS.all(construct);
}

/**
 * Finds the operator whose zones a Service was given.
 *
 * @param zones - as given; undefined where the Service was given none
 * @returns undefined where the zones are those of a file
 */
export function operatorOfZones(zones: ZoneCatalogue | undefined): OperatorOfApp | undefined {
  return zones === undefined ? undefined : OF_ZONES.get(zones);
}

/**
 * Finds the operator of an app that serves a cluster.
 *
 * @param construct - anywhere in the app
 * @param cluster - as a construct names it; undefined where it may be any of the app
 * @returns undefined where the app has none for the cluster, or several of which nothing says which one is meant
 */
export function operatorOfCluster(construct: IConstruct, cluster: string | undefined): OperatorOfApp | undefined {
  const [only, ...others] = operatorsOfApp(construct).filter((operator) => mayShareCluster(operator.cluster, cluster));
  return others.length === 0 ? only : undefined;
}
