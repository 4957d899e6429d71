import { isMap, metadataOf, textOf } from '../../contract/loose-json';
import type { ObjectChange } from '../../ports/object-feed';
import type { ShowingFeed } from '../../ports/showing-feed';
import type { ShownIndex } from './shown-index';

/**
 * Keeps an index of what the objects of a cluster show.
 *
 * @param feeds - the objects; two feeds may have the same ones, and read different addresses of them
 * @param index - is filled with what is known already, and follows each change
 * @returns the function that stops it
 */
export function followShown(feeds: readonly ShowingFeed[], index: ShownIndex): () => void {
  const stops = feeds.map((each, at) =>
    each.feed.onChange((change) => {
      put(index, `${at}/${each.kind}`, { ...each, change });
    }),
  );
  return () => {
    for (const stop of stops) stop();
  };
}

function put(
  index: ShownIndex,
  from: string,
  { change: { key, after }, shownBy }: Pick<ShowingFeed, 'shownBy'> & { readonly change: ObjectChange },
): void {
  const { namespace, name } = key;
  // one object may follow another under the same name: the end of the first one is told before
  const uid = isMap(after) ? textOf(metadataOf(after)['uid']) : '';
  index.put({ id: `${from}/${namespace}/${name}`, namespace, uid, shown: after === undefined ? [] : shownBy(after) });
}
