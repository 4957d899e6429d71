import { parseAddress, type Address } from '../../../addressing/address';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { optionalField } from '../../../contract/optional-field';
import { conditionOf } from '../../../contract/stored-status';

/** A CloudPrivateIPConfig as far as the drivers look at it. */
export interface CloudPrivateIp {
  /** As it is stored. */
  readonly object: JsonMap;
  /** Absent where the name is none. */
  readonly address?: Address;
  /** Node whose machine has the address; absent while the cloud has not finished. */
  readonly attachedTo?: string;
  /** Why the cloud has not attached it, in its own words. */
  readonly refusal?: string;
}

/**
 * Reads a CloudPrivateIPConfig.
 *
 * @param object - as the API server has it
 * @returns its address, and what the cloud did
 */
export function readCloudPrivateIp(object: JsonMap): CloudPrivateIp {
  const name = textOf(metadataOf(object)['name']);
  const status = mapOf(object['status']);
  const assigned = conditionOf(status, 'Assigned');
  const wanted = textOf(mapOf(object['spec'])['node']);
  const isAttached = assigned?.['status'] === 'True' && wanted !== '' && status['node'] === wanted;
  return {
    object,
    ...optionalField('address', addressNamed(name)),
    ...(isAttached ? { attachedTo: wanted } : {}),
    ...(assigned?.['status'] === 'False' ? { refusal: textOf(assigned['message']) } : {}),
  };
}

// IPv6 stands in names in full, with dots for colons.
function addressNamed(name: string): Address | undefined {
  const isV6 = /^[0-9a-f]{4}(?:\.[0-9a-f]{4}){7}$/u.test(name);
  const parsed = parseAddress(isV6 ? name.replaceAll('.', ':') : name);
  return parsed.ok ? parsed.value : undefined;
}
