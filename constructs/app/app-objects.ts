import type { ApiObject } from 'cdk8s';
import type { IConstruct } from 'constructs';

import type { ErrorCode } from '../../operator/errors/catalogue';
import type { Refusal } from '../../operator/errors/outcome';
import { keyOf } from '../objects/object-identity';
import { AppRegistry } from './app-registry';
import { mayShareCluster } from './clusters';

/** An object whose name no other one of its kind, namespace and cluster may have. */
export interface ObjectOfApp {
  /** The construct that answers for it. */
  readonly construct: IConstruct;
  readonly object: ApiObject;
  /** Empty where the kind stands in no namespace. */
  readonly namespace: string;
  readonly cluster: string | undefined;
  /** Prop that the name comes from. */
  readonly field: string;
  readonly code: ErrorCode;
}

const OBJECTS = new AppRegistry<ObjectOfApp>();

const identityKey = ({ object: { apiGroup, kind, name }, namespace }: ObjectOfApp): string =>
  keyOf({ group: apiGroup, kind, namespace, name });

/**
 * Makes an object known to the others of its app, whatever chart they are in.
 *
 * @param mine - with its construct, and the cluster that it is for
 */
export function registerObject(mine: ObjectOfApp): void {
  OBJECTS.register(mine, { keys: [identityKey(mine)] });
}

/**
 * Says that a name is taken, whatever has it.
 *
 * @param at - code, field and value of the refusal
 * @param mine - what wants the name, with its place
 * @param other - what has it, with its place
 * @returns the refusal
 */
export function nameTaken(at: Pick<Refusal, 'code' | 'field' | 'value'>, mine: string, other: string): Refusal {
  const { field = '', value = '' } = at;
  const message = `${field}: "${value}" of ${mine} is the name of ${other} too; one would overwrite the other`;
  return { ...at, message };
}

/**
 * Compares an object with those that were declared before it, so that each pair is reported once.
 *
 * @param mine - a registered object
 * @returns at most one refusal, both places named by their construct paths
 */
export function takenNameProblems(mine: ObjectOfApp): readonly Refusal[] {
  const other = OBJECTS.earlierAt(mine, identityKey(mine)).find(
    (each) => each.construct !== mine.construct && mayShareCluster(each.cluster, mine.cluster),
  );
  if (other === undefined) return [];
  const { code, field, object, namespace } = mine;
  const where = namespace === '' ? '' : ` in namespace "${namespace}"`;
  const placeOf = ({ construct }: ObjectOfApp): string => `${object.kind} [${construct.node.path}]`;
  return [nameTaken({ code, field, value: object.name }, placeOf(mine), `${placeOf(other)}${where}`)];
}
