import { Chart, type ApiObject } from 'cdk8s';
import type { IConstruct } from 'constructs';

import { scopeOf } from '../objects/kind-scopes';
import { keyOf } from '../objects/object-identity';
import { objectsBelow } from '../objects/objects-below';

/** Constructs of this package, which compare their objects with each other by themselves. */
const OURS = new WeakSet<IConstruct>();
/** Objects of an app while it is validated, which nothing interrupts: an app may have thousands. */
const INDEXES = new WeakMap<IConstruct, ReadonlyMap<string, readonly ApiObject[]>>();

function identityKey({ apiGroup: group, kind, name, metadata }: ApiObject): string {
  const scope = scopeOf({ group, kind, name, namespace: '' });
  return keyOf({ group, kind, name, namespace: scope === 'cluster' ? '' : (metadata.namespace ?? '') });
}

function indexOf(root: IConstruct): ReadonlyMap<string, readonly ApiObject[]> {
  const known = INDEXES.get(root);
  if (known !== undefined) return known;
  const index = new Map<string, ApiObject[]>();
  for (const each of objectsBelow(root)) {
    const key = identityKey(each);
    const others = index.get(key);
    if (others === undefined) index.set(key, [each]);
    else others.push(each);
  }
  INDEXES.set(root, index);
  queueMicrotask(() => INDEXES.delete(root));
  return index;
}

function twinOf(mine: ApiObject, construct: IConstruct, cluster: string | undefined): ApiObject | undefined {
  const others = indexOf(construct.node.root).get(identityKey(mine)) ?? [];
  if (others.length < 2) return undefined; // itself
  return others.find((other) => {
    const { scopes } = other.node;
    // an object of another chart may be for another cluster where this one names its own
    const inReach = cluster === undefined || Chart.of(other) === Chart.of(construct);
    return inReach && !scopes.includes(construct) && !scopes.some((scope) => OURS.has(scope));
  });
}

/**
 * Lets a construct refuse at synth that its app declares one of its objects once more without a construct of this package:
 * whichever is applied last would win.
 *
 * @param construct - with all of its objects below it
 * @param cluster - that it is for; undefined means every cluster of the app
 */
export function refuseForeignTwins(construct: IConstruct, cluster: string | undefined): void {
  OURS.add(construct);
  construct.node.addValidation({
    validate: () =>
      objectsBelow(construct).flatMap((mine) => {
        const other = twinOf(mine, construct, cluster);
        if (other === undefined) return [];
        const { namespace } = mine.metadata;
        const where = namespace === undefined ? '' : ` in namespace "${namespace}"`;
        return [
          `${mine.kind} "${mine.name}"${where} is declared at "${other.node.path}" too; one would overwrite the other`,
        ];
      }),
  });
}
