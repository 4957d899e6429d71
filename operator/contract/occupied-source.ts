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
