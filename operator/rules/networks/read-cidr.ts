import { familyBits, unusableReason, type Address } from '../../addressing/address';
import { parseAddressWithMask, parsePrefix, type Prefix } from '../../addressing/prefix';
import type { PrefixKind } from '../../contract/networks/entry';
import { accept, refuse, type Outcome } from '../../errors/outcome';

const FIELD = 'spec.prefix';

/** A prefix with the address before its slash. */
export interface WrittenPrefix {
  readonly address: Address;
  readonly block: Prefix;
}

function parse(kind: PrefixKind, text: string): Outcome<WrittenPrefix> {
  const withHost = parseAddressWithMask(text);
  if (!withHost.ok) return withHost;
  const { address, network } = withHost.value;
  if (kind === 'network') return accept({ address, block: network });
  const whole = parsePrefix(text);
  return whole.ok ? accept({ address, block: whole.value }) : whole;
}

/**
 * Reads the prefix of an IPPrefix or of a request.
 *
 * @param kind - kind of the prefix; only kind network takes an address inside of its subnet, only kind loopback one address
 * @param text - CIDR notation
 * @returns address and block; or `prefix/malformed`, `prefix/invalid`, `prefix/host-bits-set`, `prefix/host-length`
 */
export function readCidr(kind: PrefixKind, text: string): Outcome<WrittenPrefix> {
  const parsed = parse(kind, text);
  if (!parsed.ok) {
    const { refusal } = parsed;
    return { ok: false, refusal: { ...refusal, field: FIELD, message: `${FIELD}: ${refusal.message}` } };
  }
  const { address, block } = parsed.value;
  if (unusableReason(address) === 'IPv4-mapped') {
    const message = `${FIELD}: "${text}" holds IPv4 addresses inside of IPv6; write the IPv4 prefix`;
    return refuse('prefix/invalid', message, { field: FIELD, value: text });
  }
  if (kind !== 'loopback' && block.length === familyBits(block.family)) {
    const message = `${FIELD}: "${text}" is one address; kind ${kind} takes a shorter length, only kind loopback takes /${String(block.length)}`;
    return refuse('prefix/host-length', message, { field: FIELD, value: text });
  }
  return parsed;
}

/**
 * Writes the prefix of kind network as its author does: the address with the length of its subnet.
 *
 * @param of - address and subnet
 * @returns canonical text
 */
export function writtenText({ address, block }: WrittenPrefix): string {
  return `${address.toString()}/${String(block.length)}`;
}
