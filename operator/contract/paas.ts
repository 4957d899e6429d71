/** API group of the older operator's kinds, kept so that its manifests are accepted unchanged. */
export const PAAS_GROUP = 'paas.org';
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
