import { UNNAMED } from '../errors/named-objects';
import { SERVICE } from './service-identity';

/**
 * Names an object as the source of an address in use, in the words of its users.
 *
 * @param object - kind, namespace (empty for kinds of the whole cluster) and name
 * @returns for example `Service/web/shop`, `Node/worker-1`
 */
export function sourceOf({
  kind,
  namespace,
  name,
}: {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}): string {
  return namespace === '' ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}

/**
 * Hides the names of objects of other clusters.
 *
 * @param use - the object that shows an address, and its cluster
 * @param isOwn - tells whether a cluster is one of the reader's
 * @returns the use; for another cluster with a source that names its cluster alone
 */
export function hideForeign<U extends { readonly cluster: string; readonly source: string }>(
  use: U,
  isOwn: (cluster: string) => boolean,
): U {
  return isOwn(use.cluster) ? use : { ...use, source: UNNAMED };
}

/**
 * Reads the name of a source again.
 *
 * @param source - as {@link sourceOf} writes it
 * @returns namespace and name where it is a Service
 */
export function serviceIn(source: string): { readonly namespace: string; readonly name: string } | undefined {
  const [kind, namespace, name] = source.split('/');
  return kind !== SERVICE.kind || namespace === undefined || name === undefined ? undefined : { namespace, name };
}
