/** API group of the older operator's kinds, kept so that its manifests are accepted unchanged. */
export const PAAS_GROUP = 'paas.org';
/** Class of Services that the VIPs door serves unless others are set. */
export const VIP_CLASS = 'paas.org/vip';
/** Type of the condition on Services of the VIPs door. */
export const ADDRESS_ALLOCATED = 'paas.org/AddressAllocated';
/** Finalizer of ours on an IPGroup that is in use; never on a Service. */
export const GROUP_FINALIZER = 'paas.org/ipgroup-in-use';
/** Finalizers of the older operator on Services, which are taken off. */
export const OLD_SERVICE_FINALIZERS = ['ips.paas.org/finalizer'] as const;
/** Lease by which the older operator runs. */
export const OLD_LEASE = { namespace: 'vip-allocator-operator', name: '88cd116a.org' } as const;
/** Finalizers of the older operator on VirtualIPs: one for the address on record, one for the copy of the exposed Service. */
export const VIRTUAL_IP_FINALIZERS = {
  ip: 'ip.finalizers.virtualips.paas.org',
  service: 'service.finalizers.virtualips.paas.org',
} as const;
/** Annotations of VirtualIPs: the order to migrate, and the mark of one that was migrated. */
export const MIGRATION_KEYS = {
  migrate: 'virtualips.paas.org/migrate',
  migrated: 'virtualips.paas.org/migrated',
} as const;
/** Values of the order with a meaning of their own; every other one, the empty text too, orders the migration. */
export const MIGRATION_ORDERS = { dryRun: 'dry-run', rollback: 'rollback' } as const;
/**
 * Network of all claims that are IPs, whatever the network of their groups is: the name of an object tells its address alone, so no
 * address can be held twice.
 */
export const IP_NETWORK = 'default';
/** Labels and annotations of `IP` objects; the annotation ends in `.il`, unlike the group. */
export const IP_KEYS = { group: 'ipgroup', segmentMapping: 'gsm', owner: 'virtualips.paas.il/owner' } as const;
/** Annotations by which a Service asks the VIPs door. */
export const VIP_KEYS = {
  addresses: 'paas.org/addresses',
  group: 'paas.org/ipgroup',
  sharingKey: 'paas.org/sharing-key',
} as const;
/** Reason of the condition, of Events and of the metrics of the VIPs door: why a Service has its address, or why it waits. */
export type VipReason =
  | 'Allocated'
  | 'RequestedAddressInvalid'
  | 'RequestedAddressNotInAnyGroup'
  | 'RequestedAddressExcluded'
  | 'RequestedAddressInUse'
  | 'NoFreeAddress'
  | 'NoMatchingGroup'
  | 'InvalidGroup'
  | 'Conflict';
