import { ApiObject } from 'cdk8s';
import type { IConstruct } from 'constructs';

/**
 * Lists the objects that a construct declares, itself among them where it is one.
 *
 * @param construct - any
 * @returns its objects and those of every construct in it, in the order of the tree
 */
export function objectsBelow(construct: IConstruct): readonly ApiObject[] {
  return construct.node.findAll().filter((each): each is ApiObject => ApiObject.isApiObject(each));
}
