import { addressFromBigInt, parseAddress, unusableReason, type Address } from '../../addressing/address';
import { VIP_KEYS } from '../../contract/paas';
import { quoteValue } from '../../contract/quote';
import type { ServiceView } from '../../contract/service';
import { annotationPath } from '../../contract/service-annotations';
import { vipRefusal } from './refusals';
import type { VipRefusal, VipWish } from './types';

/** Addresses that one field asks for. */
interface Source {
  readonly field: string;
  readonly text: string;
}

type Parsed =
  { readonly ok: true; readonly addresses: readonly Address[] } | { readonly ok: false; readonly why: string };

/**
 * Reads what a Service of the VIPs door asks for. All fields that ask for addresses have to agree.
 *
 * @param service - as it is stored
 * @returns its wish, or why it cannot be understood
 */
export function readVipWish(service: Pick<ServiceView, 'annotations' | 'loadBalancerIP'>): VipWish {
  const { annotations, loadBalancerIP = '' } = service;
  const sources: readonly Source[] = [
    { field: 'spec.loadBalancerIP', text: loadBalancerIP.trim() },
    { field: annotationPath(VIP_KEYS.addresses), text: (annotations[VIP_KEYS.addresses] ?? '').trim() },
  ].filter(({ text }) => text !== '');
  const lists: (readonly Address[])[] = [];
  for (const source of sources) {
    const parsed = parseList(source.text);
    if (!parsed.ok) return { ok: false, refusal: invalid(`${source.field}: ${parsed.why}`) };
    lists.push(parsed.addresses);
  }
  if (!agree(lists)) return { ok: false, refusal: invalid(`the wishes disagree: ${told(sources)}`) };
  const group = (annotations[VIP_KEYS.group] ?? '').trim();
  const sharingKey = (annotations[VIP_KEYS.sharingKey] ?? '').trim();
  return { ok: true, addresses: lists[0] ?? [], ...(group === '' ? {} : { group }), sharingKey };
}

const invalid = (message: string): VipRefusal => vipRefusal('RequestedAddressInvalid', message);

const told = (sources: readonly Source[]): string =>
  sources.map(({ field, text }) => `${field} is ${quoteValue(text)}`).join(', ');

function agree(lists: readonly (readonly Address[])[]): boolean {
  const texts = lists.map((list) => list.map(String).sort().join());
  return texts.every((text) => text === texts[0]);
}

function parseList(text: string): Parsed {
  const addresses: Address[] = [];
  for (const entry of text.split(',').map((each) => each.trim())) {
    if (entry === '') continue;
    const parsed = parseAddress(entry);
    if (!parsed.ok) return { ok: false, why: parsed.refusal.message };
    const address = unmapped(parsed.value);
    const reason = unusableReason(address);
    if (reason !== undefined) return { ok: false, why: `${quoteValue(entry)} cannot be assigned (${reason})` };
    if (!addresses.some((other) => other.equals(address))) addresses.push(address);
  }
  if (new Set(addresses.map(({ family }) => family)).size === addresses.length) return { ok: true, addresses };
  return { ok: false, why: `${quoteValue(text)} asks for several addresses of one family; give at most one of each` };
}

// The older operator's users may write an IPv4 address so.
function unmapped(address: Address): Address {
  const isMapped = address.family === 6 && address.w0 === 0 && address.w1 === 0 && address.w2 === 0xffff;
  return isMapped ? addressFromBigInt(4, BigInt(address.w3)) : address;
}
