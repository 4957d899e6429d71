import { familyBits, type Address } from '../../addressing/address';
import { hostPrefix, type Prefix } from '../../addressing/prefix';
import { NEPHIO } from '../../contract/nephio';
import type { EntryOwner, PrefixKind } from '../../contract/networks/entry';
import type { EntryOwnerQuery, NetworkTable, TableVerdict } from '../../contract/networks/table';
import { decideAllocation } from './decide-allocation';
import { requestDigest } from './digest';
import { isKnown, isSameOwner, type KnownEntry } from './owners';
import { refusedBecause, type Refused } from './refusals';
import type { AllocationRequest, At, Granted } from './types';
import { subnetAround } from './users';

/** Space from which single addresses are given: a network of the instance by its name, or one IPPrefix. */
export type AddressSource =
  | { readonly as: 'network'; readonly networkName: string }
  | {
      readonly as: 'prefix';
      readonly kind: Exclude<PrefixKind, 'aggregate'>;
      /** The IPPrefix. */
      readonly declaredBy: EntryOwner;
      readonly block: Prefix;
      /** Empty but for kind network. */
      readonly networkName: string;
      /** True: the IPPrefix declares a range of the block. */
      readonly isRange: boolean;
    };

/** An object that asks for one address. */
export interface AddressRequest {
  readonly owner: EntryOwner;
  readonly source: AddressSource;
  /** Address that the object has already by what is stored in the cluster. */
  readonly restored?: Address;
}

/** An address that an object has, and the source that it refers to now. */
export interface AddressHeld {
  readonly owner: EntryOwnerQuery;
  readonly source: AddressSource;
  readonly address: Address;
  /** True: the cluster shows the address, so any subnet of the instance, and any part of the prefix, is right. */
  readonly isShown: boolean;
}

type PrefixSource = Extract<AddressSource, { readonly as: 'prefix' }>;

function notReady(message: string): Refused {
  return refusedBecause({ code: 'pool/not-ready', message }, { isByLabels: true });
}

// The prefix on record may be that of another object, for which this one is refused.
function entryOf(table: NetworkTable, source: PrefixSource): KnownEntry | undefined {
  const { kind, declaredBy, networkName, isRange } = source;
  const entry = table.at(source.block);
  if (!isKnown(entry) || entry.facts.kind !== kind) return undefined;
  const { role, networkName: name } = entry.facts;
  const isMeant =
    kind === 'network'
      ? role === 'subnet' && name === networkName
      : role === 'prefix' && (isRange || isSameOwner(entry.owner, declaredBy));
  return isMeant ? entry : undefined;
}

function partsOf(at: At, { owner }: AddressRequest, kind: PrefixKind) {
  return { owner, door: 'networks', kind, instanceName: at.instance.name, labels: {} } as const;
}

function parentIn(table: NetworkTable, source: AddressSource, address: Address): KnownEntry | undefined {
  const around = source.as === 'network' ? subnetAround(table, hostPrefix(address)) : entryOf(table, source);
  return isKnown(around) && around.block.contains(address) ? around : undefined;
}

/**
 * Tells whether an address that an object has is one of a source.
 *
 * @param table - of the network of the source
 * @param at - the instance and what is known beside the table
 * @param held - the address, and its holder on record
 * @returns false where it lies elsewhere, or is another's in this table
 */
export function isFromSource(table: NetworkTable, at: At, { owner, source, address, isShown }: AddressHeld): boolean {
  const around = parentIn(table, source, address);
  const isOwn = isSameOwner(table.at(hostPrefix(address))?.owner, owner);
  if (around === undefined || !isOwn || isShown) return around !== undefined && isOwn;
  if (source.as === 'network') return around.facts.networkName === source.networkName;
  const ranges = at.context.rangesOf(source.block).filter(({ name }) => name === source.declaredBy.name);
  return !source.isRange || ranges.some(({ range }) => range.contains(address));
}

/** An allocation to decide about, or why there is none. */
type Asked = { readonly as: 'request'; readonly request: AllocationRequest } | Refused;

function restoredRequest(
  table: NetworkTable,
  at: At,
  { asked, address }: { readonly asked: AddressRequest; readonly address: Address },
): Asked {
  const { source } = asked;
  const host = hostPrefix(address);
  const around = parentIn(table, source, address);
  if (around === undefined) {
    const message = `${address.toString()} lies in no prefix of the pool`;
    return refusedBecause({ code: 'address/outside-zone', message, value: address.toString() }, { isByLabels: true });
  }
  const { kind } = around.facts;
  const request: AllocationRequest = {
    ...partsOf(at, asked, kind),
    form: 'static',
    address,
    block: kind === 'network' ? around.block : host,
    isRestored: true,
    selector: {},
    digest: requestDigest([kind, host.toString()]),
  };
  return { as: 'request', request };
}

function newRequest(table: NetworkTable, at: At, asked: AddressRequest): Asked {
  const { source } = asked;
  if (source.as === 'network') {
    const { networkName } = source;
    if (table.subnets(networkName).length === 0) return notReady(`has no network "${networkName}"`);
    const selector = {
      matchLabels: { [NEPHIO.networkInstance]: at.instance.name, [NEPHIO.networkName]: networkName },
    };
    const request: AllocationRequest = {
      ...partsOf(at, asked, 'network'),
      form: 'dynamic',
      selector,
      digest: requestDigest(['network'], selector),
    };
    return { as: 'request', request };
  }
  const { kind, block, declaredBy, isRange } = source;
  if (entryOf(table, source) === undefined) return notReady('is not accepted, its conditions say why');
  const range = isRange ? declaredBy.name : undefined;
  const request: AllocationRequest = {
    ...partsOf(at, asked, kind),
    form: 'dynamic',
    family: block.family,
    length: familyBits(block.family),
    selector: {},
    from: { block, ...(range === undefined ? {} : { range }) },
    digest: requestDigest([kind, block.toString(), range]),
  };
  return { as: 'request', request };
}

/**
 * Decides about an object that asks for one address of a prefix or of a network, such as an IPAddressClaim.
 *
 * @param table - of the network
 * @param at - the instance and what is known beside the table
 * @param asked - the object, and what it refers to
 * @returns what is given, or the refusal: `pool/not-ready` where the prefix or network is not on record
 */
export function decideAddress(table: NetworkTable, at: At, asked: AddressRequest): TableVerdict<Granted> {
  const { restored } = asked;
  const found =
    restored === undefined ? newRequest(table, at, asked) : restoredRequest(table, at, { asked, address: restored });
  return found.as === 'refusal' ? found : decideAllocation(table, at, found.request);
}
