/** Pattern of a DNS label, without its length. */
export const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';

/** Pattern of DNS labels with dots between, without its length. */
export const DNS_NAME = `${DNS_LABEL}([.]${DNS_LABEL})*`;

/** Name of an object as most kinds demand it: DNS labels with dots between, at most 253 characters. */
export const OBJECT_NAME = new RegExp(`^(?=.{1,253}$)${DNS_NAME}$`, 'u');

/**
 * Names an object in a sentence.
 *
 * @param object - kind, namespace (empty for kinds of the whole cluster) and name
 * @returns for example `IPAllocation default/n3`, `Node worker-1`
 */
export function objectText({
  kind,
  namespace,
  name,
}: {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}): string {
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
}
