// The public, pure half of the package: values and declarations, no I/O and nothing to install beside it.
export { Address, addressFromBigInt, addressOf, parseAddress, unusableReason, type Family } from './addressing/address';
export { Prefix, hostPrefix, parseAddressWithMask, parseHostPrefix, parsePrefix, prefixOf } from './addressing/prefix';
export { PrefixSet, PrefixSetBuilder } from './addressing/prefix-set';
export { Range, parseBlock, parseRange, rangeOf, rangeToPrefixes } from './addressing/range';
export * from './contract/group';
export { selectorMatches, type LabelExpression, type LabelSelector } from './contract/label-selector';
export { parseServiceAnnotations, type IpFamilyWish, type ServiceWish } from './contract/service-annotations';
export {
  parseZones,
  type EdgeAddresses,
  type Zone,
  type ZoneCatalogue,
  type ZoneProps,
  type ZonesDocument,
  type ZonesOutcome,
} from './contract/zones';
export { toZonesDocument } from './contract/zones-document';
export { CATALOGUE, type ErrorCode, type RetryClass } from './errors/catalogue';
export { IpamError, isIpamError } from './errors/ipam-error';
export type { Outcome, Refusal } from './errors/outcome';
