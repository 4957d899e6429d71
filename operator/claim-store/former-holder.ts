import type { HolderState } from '../ports/claims';

/**
 * Tells whether a released holder may be the former holder for which a space is quarantined, where others still had the space when it
 * was released. The SQL of both engines says the same (`leftBefore`, `ipam.left_before`).
 *
 * @param state - its last state
 * @param uid - UID of its owner; absent or null where the object was never stored
 * @returns false for a contest, which was granted nothing, and for a reservation of an object that was never stored
 */
export function mayReturn(state: HolderState, uid: string | null | undefined): boolean {
  return state !== 'contested' && (state !== 'reserved' || typeof uid === 'string');
}
