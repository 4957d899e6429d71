import { metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import type { KnownClaim } from './claim-index';

/** One object that a decision creates (no `before`), replaces, or deletes (no `after`). */
export interface ClaimWrite {
  readonly name: string;
  /** The object as it shall be, without UID and resource version. */
  readonly after?: JsonMap;
  /** The stored object. */
  readonly before?: { readonly uid: string; readonly resourceVersion: string; readonly object: JsonMap };
}

/**
 * Describes a stored claim as the one that a write goes over.
 *
 * @param claim - as it is known
 * @returns the part of the write; nothing where there is no claim
 */
export function over(claim: KnownClaim | undefined): Pick<ClaimWrite, 'before'> {
  if (claim === undefined) return {};
  const { uid, object } = claim;
  return { before: { uid, resourceVersion: textOf(metadataOf(object)['resourceVersion']), object } };
}
