import { isMap, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { shownByApiServer, shownByNode, shownByService, type ShownAddresses } from '../../contract/shown-addresses';
import type { ObjectChange } from '../../ports/object-feed';
import type { OccupiedObjects } from '../../ports/occupied-objects';
import type { ShownIndex } from './shown-index';

/**
 * Keeps an index of what the objects of a cluster show.
 *
 * @param objects - Nodes, Services, the EndpointSlice of the API server
 * @param classes - values of `spec.loadBalancerClass` that a running announcer serves
 * @param index - is filled with what is known already, and follows each change
 * @returns the function that stops it
 */
export function followShown(
  { nodes, apiServer, services }: OccupiedObjects,
  classes: readonly string[],
  index: ShownIndex,
): () => void {
  const on = (kind: string, read: (object: JsonMap) => readonly ShownAddresses[]) => (change: ObjectChange) => {
    put(index, { kind, change, read });
  };
  const stops = [
    nodes.onChange(on('Node', shownByNode)),
    apiServer.onChange(on('EndpointSlice', shownByApiServer)),
    services.onChange(on('Service', (object) => shownByService(object, classes))),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

interface ReadChange {
  readonly kind: string;
  readonly change: ObjectChange;
  readonly read: (object: JsonMap) => readonly ShownAddresses[];
}

function put(index: ShownIndex, { kind, change: { key, after }, read }: ReadChange): void {
  const { namespace, name } = key;
  // one object may follow another under the same name: the end of the first one is told before
  const uid = isMap(after) ? textOf(metadataOf(after)['uid']) : '';
  index.put({ id: `${kind}/${namespace}/${name}`, namespace, uid, shown: after === undefined ? [] : read(after) });
}
