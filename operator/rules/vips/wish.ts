import { addressFromBigInt, parseAddress, unusableReason, type Address } from '../../addressing/address';
import type { ForeignLoadBalancer } from '../../contract/foreign-load-balancers';
import { quoteValue } from '../../contract/quote';
import type { ServiceView } from '../../contract/service';
import { vipRefusal } from './refusals';
import type { VipRefusal, VipWish } from './types';
import { wishFields, type WishField, type WishFields } from './wish-fields';

/** Longest sharing key that an IP can have; namespaces that share it count. */
const LONGEST_KEY = 253;
const TOO_LONG = `a sharing key has at most ${String(LONGEST_KEY)} characters, with the namespaces that it is for; * stands for all`;

type Parsed =
  { readonly ok: true; readonly addresses: readonly Address[] } | { readonly ok: false; readonly why: string };

/**
 * Reads what a Service of the VIPs door asks for. All fields that ask for the same thing have to agree: whichever of them was chosen,
 * the author of the other one would be surprised.
 *
 * @param service - as it is stored
 * @param foreign - other load balancers whose annotations count as well; none by default
 * @returns its wish, or why it cannot be understood
 */
export function readVipWish(
  service: Pick<ServiceView, 'annotations' | 'loadBalancerIP' | 'namespace'>,
  foreign: readonly ForeignLoadBalancer[] = [],
): VipWish {
  const fields = wishFields(service, foreign);
  const { addresses, groups, sharingKeys } = fields;
  const lists: (readonly Address[])[] = [];
  for (const { field, text } of addresses) {
    const parsed = parseList(text);
    if (!parsed.ok) return { ok: false, refusal: invalid(`${field}: ${parsed.why}`) };
    lists.push(parsed.addresses);
  }
  const spelt = lists.map((list) => list.map(String).sort().join());
  const problem = agree(spelt) ? problemOf(fields) : disagree('the wishes disagree', addresses);
  if (problem !== undefined) return { ok: false, refusal: invalid(problem) };
  return {
    ok: true,
    addresses: lists[0] ?? [],
    ...foreignField(addresses[0]),
    ...groupOf(groups[0]),
    sharingKey: sharingKeys[0]?.text ?? '',
  };
}

function problemOf({ groups, sharingKeys }: WishFields): string | undefined {
  if (!agree(groups.map(textOf))) return disagree('two IPGroups are named', groups);
  if (!agree(sharingKeys.map(textOf))) return disagree('the sharing keys disagree', sharingKeys);
  const long = sharingKeys.find(({ text }) => text.length > LONGEST_KEY);
  return long === undefined ? undefined : `${long.field}: ${TOO_LONG}`;
}

const textOf = ({ text }: WishField): string => text;

function foreignField(asking: WishField | undefined): Pick<VipWish & { readonly ok: true }, 'addressField'> {
  return asking?.isForeign === true ? { addressField: asking.field } : {};
}

function groupOf(named: WishField | undefined): Pick<VipWish & { readonly ok: true }, 'group' | 'groupField'> {
  if (named === undefined) return {};
  return { group: named.text, ...(named.isForeign ? { groupField: named.field } : {}) };
}

const invalid = (message: string): VipRefusal => vipRefusal('RequestedAddressInvalid', message);

const disagree = (what: string, fields: readonly WishField[]): string =>
  `${what}: ${fields.map(({ field, text }) => `${field} is ${quoteValue(text)}`).join(', ')}`;

const agree = (texts: readonly string[]): boolean => texts.every((text) => text === texts[0]);

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
