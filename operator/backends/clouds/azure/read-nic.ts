import { parseAddress, type Address } from '../../../addressing/address';
import { isMap, listOf, mapOf, textOf, type JsonMap } from '../../../contract/loose-json';

/** An IP configuration of a network interface. */
export interface IpConfig {
  /** As it was read. */
  readonly object: JsonMap;
  readonly address?: Address;
  readonly isPrimary: boolean;
  readonly subnetId: string;
  /** Identifiers of the back-end pools that it joins, as they were read. */
  readonly pools: readonly string[];
}

/**
 * Reads the IP configurations of a network interface.
 *
 * @param nic - as the Resource Manager has it
 * @returns one for each
 */
export function ipConfigsOf(nic: JsonMap): readonly IpConfig[] {
  return listOf(mapOf(nic['properties'])['ipConfigurations'])
    .filter(isMap)
    .map((object) => {
      const properties = mapOf(object['properties']);
      const parsed = parseAddress(textOf(properties['privateIPAddress']));
      return {
        object,
        ...(parsed.ok ? { address: parsed.value } : {}),
        isPrimary: properties['primary'] === true,
        subnetId: textOf(mapOf(properties['subnet'])['id']),
        pools: idsIn(properties['loadBalancerBackendAddressPools']),
      };
    });
}

/**
 * Finds the configuration with the address of the machine.
 *
 * @param configs - of its interface
 * @returns the one that is marked; the only one needs no mark
 */
export const primaryOf = (configs: readonly IpConfig[]): IpConfig | undefined =>
  configs.find(({ isPrimary }) => isPrimary) ?? (configs.length === 1 ? configs[0] : undefined);

const idsIn = (list: unknown): readonly string[] =>
  listOf(list)
    .map((each) => textOf(mapOf(each)['id']))
    .filter((id) => id !== '');

/**
 * Compares identifiers of resources, which Azure writes in any case.
 *
 * @param ids - as they were read
 * @returns the same text for the same resources, sorted
 */
export const sameIds = (ids: readonly string[]): readonly string[] => ids.map((id) => id.toLowerCase()).sort();

/**
 * Makes the configuration of an attached address.
 *
 * @param address - of a namespace
 * @param of - the interface
 * @param of.subnetId - of its primary configuration
 * @param of.pools - that the address joins
 * @returns the configuration
 */
export function attachedConfig(
  address: Address,
  { subnetId, pools }: { readonly subnetId: string; readonly pools: readonly string[] },
): JsonMap {
  return {
    name: `EgressIP${address.toString().replaceAll(':', '.')}`,
    properties: {
      privateIPAddress: address.toString(),
      privateIPAllocationMethod: 'Static',
      privateIPAddressVersion: address.family === 4 ? 'IPv4' : 'IPv6',
      primary: false,
      subnet: { id: subnetId },
      ...withPools(pools),
    },
  };
}

/**
 * Lets a configuration join pools.
 *
 * @param object - as it was read
 * @param pools - identifiers
 * @returns the configuration with these pools alone
 */
export function joining(object: JsonMap, pools: readonly string[]): JsonMap {
  const { loadBalancerBackendAddressPools: _pools, ...properties } = mapOf(object['properties']);
  return { ...object, properties: { ...properties, ...withPools(pools) } };
}

const withPools = (pools: readonly string[]): JsonMap =>
  pools.length === 0 ? {} : { loadBalancerBackendAddressPools: pools.map((id) => ({ id })) };

/**
 * Puts other configurations into an interface.
 *
 * @param nic - as it was read, with its ETag
 * @param configs - all that it is to have
 * @returns the interface to be written
 */
export const withConfigs = (nic: JsonMap, configs: readonly JsonMap[]): JsonMap => ({
  ...nic,
  properties: { ...mapOf(nic['properties']), ipConfigurations: configs },
});
