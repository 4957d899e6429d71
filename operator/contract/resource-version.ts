import { metadataOf, textOf, type JsonMap } from './loose-json';
import { IpamError } from '../errors/ipam-error';

/**
 * Reads a resource version as a number. Since Kubernetes 1.35 it is documented to be a decimal number that grows with each write of a
 * resource; before, it was the revision of etcd all the same. An object made anew under its name has a greater one, so it never comes
 * back, and 2^53 writes are more than an etcd ever sees.
 *
 * @param text - a resource version
 * @returns the same, to be compared
 * @throws IpamError `store/unavailable` for anything else, since versions could not be compared then
 */
export function versionNumber(text: string): number {
  const version = /^\d+$/u.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(version)) return version;
  throw new IpamError('store/unavailable', `the API server has resource version "${text}", which is no number`);
}

/**
 * Reads the version of an object.
 *
 * @param object - as it is stored
 * @returns its resource version
 */
export function versionOf(object: JsonMap): number {
  return versionNumber(textOf(metadataOf(object)['resourceVersion']));
}
