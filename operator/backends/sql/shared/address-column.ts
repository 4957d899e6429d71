import { Address, familyBits, type Family } from '../../../addressing/address';

/** Value bound to the column `address`: IPv4 as INTEGER (a plain number would become REAL), IPv6 as 16 bytes. */
export type AddressParameter = bigint | Uint8Array;

/** Value read from the column `address`. SQLite orders INTEGER before BLOB, hence IPv4 before IPv6, lowest first. */
export type AddressColumn = number | Uint8Array;

/**
 * Encodes an address.
 *
 * @param address - address of either family
 * @returns its value for the database and for the worker thread
 */
export function toColumn(address: Address): AddressParameter {
  if (address.family === 4) return BigInt(address.w3);
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, address.w0);
  view.setUint32(4, address.w1);
  view.setUint32(8, address.w2);
  view.setUint32(12, address.w3);
  return bytes;
}

/**
 * Decodes an address.
 *
 * @param column - as read from the database or as sent by {@link toColumn}
 * @returns the address
 */
export function fromColumn(column: AddressColumn | AddressParameter): Address {
  if (!(column instanceof Uint8Array)) return new Address(4, { w0: 0, w1: 0, w2: 0, w3: Number(column) });
  const view = new DataView(column.buffer, column.byteOffset, 16);
  return new Address(6, {
    w0: view.getUint32(0),
    w1: view.getUint32(4),
    w2: view.getUint32(8),
    w3: view.getUint32(12),
  });
}

/**
 * Tells the family without decoding.
 *
 * @param column - an encoded address
 * @returns the IP version
 */
export function columnFamily(column: AddressColumn | AddressParameter): Family {
  return column instanceof Uint8Array ? 6 : 4;
}

/**
 * Encodes the length of a space.
 *
 * @param space - a place of the port
 * @returns its value for the database: null for one address
 */
export function lengthColumn(space: { readonly address: Address; readonly length?: number }): number | null {
  const { address, length } = space;
  return length === undefined || length === familyBits(address.family) ? null : length;
}
