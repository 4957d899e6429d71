import { IpamError } from '../../errors/ipam-error';

/** One resource, or one object of it, as the API server names it. */
export interface ResourcePath {
  /** `v1` for the core group, else `group/version`, for example `metallb.io/v1beta1`. */
  readonly apiVersion: string;
  /** Plural name in lower case, for example `services`. */
  readonly resource: string;
  /** Left out for resources of the whole cluster, and to list all namespaces. */
  readonly namespace?: string;
  readonly name?: string;
  /** For example `status`; needs a name. */
  readonly subresource?: string;
}

/**
 * Writes the path of a resource, an object or a subresource.
 *
 * @param parts - what the path names
 * @returns the path from the root; every segment is escaped
 * @throws IpamError `internal` for a segment that is empty, `.` or `..`, which would name something else
 */
export function apiPath(parts: ResourcePath): string {
  const { apiVersion, resource, namespace, name, subresource } = parts;
  const group = apiVersion.split('/');
  const segments = [group.length === 1 ? 'api' : 'apis', ...group];
  if (namespace !== undefined) segments.push('namespaces', namespace);
  segments.push(resource);
  if (name !== undefined) segments.push(name);
  if (subresource !== undefined) {
    if (name === undefined) throw new IpamError('internal', `subresource "${subresource}" needs the name of an object`);
    segments.push(subresource);
  }
  return segments.map((segment) => `/${escaped(segment)}`).join('');
}

function escaped(segment: string): string {
  if (segment === '' || segment === '.' || segment === '..') {
    throw new IpamError('internal', `"${segment}" is no segment of an API path`);
  }
  return encodeURIComponent(segment);
}
