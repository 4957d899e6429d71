import { addressFromBigInt, familyBits, parseAddress, type Address } from '../../addressing/address';
import { hostPrefix, parsePrefix, type Prefix } from '../../addressing/prefix';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { MAX_ADDRESS_LENGTH, MAX_NAME_LENGTH } from '../vocabulary';

/** Most characters of a network: what is left of an object's name beside `.<IPv6 address>-<length>`. */
export const MAX_NETWORK_LENGTH = MAX_NAME_LENGTH - MAX_ADDRESS_LENGTH - '.'.length - '-128'.length;

/** What the name of a claim says. */
export interface ClaimedSpace {
  readonly network: string;
  /** A single address is a prefix of 32 (IPv4) or 128 (IPv6) bits. */
  readonly prefix: Prefix;
}

const NETWORK = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/u;
// The form of the last labels tells the family: IPv6 groups have four digits, parts of an IPv4 address at most three.
const TAIL_4 = /^(.+)[.](\d{1,3}(?:[.]\d{1,3}){3})(?:-(\d{1,2}))?$/u;
const TAIL_6 = /^(.+)[.]([\da-f]{4}(?:[.][\da-f]{4}){7})(?:-(\d{1,3}))?$/u;

const EXAMPLES = '"default.10.0.0.5", "default.10.0.0.0-24" or "default.2001.0db8.0000.0000.0000.0000.0000.0001"';

// Eight groups of four digits with dots, since an object's name holds no colon.
function expanded(address: Address): string {
  const digits = address.toBigInt().toString(16).padStart(32, '0');
  return Array.from({ length: 8 }, (_, i) => digits.slice(4 * i, 4 * i + 4)).join('.');
}

/**
 * Names the claim of a prefix. Equal prefixes of one network have equal names, whoever asks, so that the API server itself
 * refuses the second claim.
 *
 * @param space - network and prefix
 * @returns `<network>.<address>[-<length>]`, the length only for more than one address, IPv6 in full with dots
 */
export function claimName({ network, prefix }: ClaimedSpace): string {
  const address = prefix.family === 4 ? prefix.first.toString() : expanded(prefix.first);
  const suffix = prefix.length === familyBits(prefix.family) ? '' : `-${prefix.length}`;
  return `${network}.${address}${suffix}`;
}

/**
 * Reads the name of a claim, and takes only what {@link claimName} writes: two names never mean the same space.
 *
 * @param name - of an AddressClaim
 * @returns network and prefix, or refusal `claim/invalid`
 */
export function parseClaimName(name: string): Outcome<ClaimedSpace> {
  const space = readTail(name);
  if (space !== undefined && space.network.length <= MAX_NETWORK_LENGTH && NETWORK.test(space.network)) {
    const written = claimName(space);
    if (written === name) return accept(space);
    return refuseName(name, `is not how the claim of ${space.prefix.toString()} is written`, written);
  }
  return refuseName(name, `is not "<network>.<address>[-<length>]"; names are for example ${EXAMPLES}`);
}

function readTail(name: string): ClaimedSpace | undefined {
  const [four, six] = [TAIL_4.exec(name), TAIL_6.exec(name)];
  const [, network = '', tail = '', length] = four ?? six ?? [];
  const address = four === null ? sixOf(tail) : fourOf(tail);
  if (address === undefined) return undefined;
  if (length === undefined) return { network, prefix: hostPrefix(address) };
  const parsed = parsePrefix(`${address.toString()}/${length}`);
  return parsed.ok ? { network, prefix: parsed.value } : undefined;
}

function fourOf(tail: string): Address | undefined {
  const parsed = parseAddress(tail);
  return parsed.ok ? parsed.value : undefined;
}

function sixOf(tail: string): Address | undefined {
  return tail === '' ? undefined : addressFromBigInt(6, BigInt(`0x${tail.replaceAll('.', '')}`));
}

function refuseName(name: string, what: string, suggestion?: string): Outcome<never> {
  const field = 'metadata.name';
  const hint = suggestion === undefined ? '' : `; it is "${suggestion}"`;
  return refuse('claim/invalid', `${field}: "${name}" ${what}${hint}`, {
    field,
    value: name,
    ...(suggestion === undefined ? {} : { suggestion }),
  });
}
