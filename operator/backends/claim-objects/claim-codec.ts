import type { JsonMap } from '../../contract/loose-json';
import type { Outcome } from '../../errors/outcome';
import type { AddressRecord, Place } from '../../ports/claims';

/** A record as it is to be stored; the API server gives it its version. */
export type ClaimDraft = Omit<AddressRecord, 'version'>;

/** Parts that a write adds to the content of a record. */
export interface ClaimWriting {
  /** Mark of the decision that writes the object. */
  readonly decision: string;
  /** The stored object, where one is replaced: labels, annotations, finalizers and fields that no record holds stay. */
  readonly before?: JsonMap;
}

/** The only place that knows one kind of claims: how a record is written as an object, and read again. */
export interface ClaimCodec {
  /** Most holders that one object can name. */
  readonly maxHolders: number;
  /** Names the object of a space; equal spaces of one network have equal names. */
  nameOf(place: Place): string;
  /**
   * Reads a stored object; its version is the resource version as a number.
   *
   * @returns the immutable record; undefined for an object that holds no space
   */
  read(object: JsonMap): AddressRecord | undefined;
  /**
   * Writes a record as an object, without UID and resource version.
   *
   * @returns the object; or refusal `claim/invalid` for what the kind cannot keep
   */
  write(draft: ClaimDraft, writing: ClaimWriting): Outcome<JsonMap>;
  /** Reads the mark of the decision that wrote an object; empty where none did. */
  decisionOf(object: JsonMap): string;
}
