import type { Address } from '../../addressing/address';
import type { Prefix } from '../../addressing/prefix';
import type { NetworkTable } from '../../contract/networks/table';

/**
 * Finds the gateway of a subnet.
 *
 * @param table - of the network
 * @param subnet - block of the subnet
 * @returns the recorded address that is marked as gateway
 */
export function gatewayOf(table: NetworkTable, subnet: Prefix): Address | undefined {
  return table.hosts(subnet).find(({ facts }) => facts?.isGateway === true)?.block.first;
}
