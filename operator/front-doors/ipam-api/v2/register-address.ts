import type { Address } from '../../../addressing/address';
import { hostPrefix } from '../../../addressing/prefix';
import { V2_MESSAGES, type V2Answer } from '../../../contract/ipam-api/v2';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import type { Bindings, Grant, ReleaseByService, Releases, Reservations } from '../../../ports/address-book';
import type { RegisterIntent } from './v2-request';

/**
 * Registers, confirms, joins, or rotates; the same call again has the same result.
 *
 * @param book - the record of holders
 * @param intent - what is asked for
 * @returns the answer, or the book's refusal
 */
export async function register(book: Reservations & Bindings, intent: RegisterIntent): Promise<Outcome<V2Answer>> {
  const { reserve, newSecret } = intent;
  if (newSecret === undefined) return answerOf(await book.reserve(reserve));
  const { zone, family, claimant, secret, options } = reserve;
  let wrong: Outcome<V2Answer> | undefined;
  for (const address of reserve.wish === undefined ? await heldAddresses(book, intent) : [reserve.wish]) {
    const rotated = await book.rotate({ zone, family, address, claimant, secret, newSecret, options });
    if (rotated.ok) return answerOf(rotated);
    // With several addresses, another one may be the one that this secret owns.
    if (rotated.refusal.code === 'secret/wrong') wrong = rotated;
    else if (rotated.refusal.code !== 'claim/not-found') return rotated;
  }
  if (wrong !== undefined) return wrong;
  return registerUnrotated(book, intent);
}

/**
 * Releases one claim; the address stays with its secret for the days of retention.
 *
 * @param book - the record of holders
 * @param request - what is released
 * @returns the answer, or the book's refusal
 */
export async function release(book: Releases, request: ReleaseByService): Promise<Outcome<V2Answer>> {
  const released = await book.releaseByService(request);
  if (!released.ok) return released;
  return accept({ message: V2_MESSAGES.released, address: hostPrefix(released.value.address).toString() });
}

async function heldAddresses(book: Reservations, { reserve }: RegisterIntent): Promise<readonly Address[]> {
  const grants = await book.holdings(reserve.claimant);
  return grants
    .filter(({ zone, family }) => zone === reserve.zone && family === reserve.family)
    .map(({ address }) => address);
}

// A rotation of an address that is free registers it under the present secret, as it always did. Joining others that way
// would look like a rotation and be none, so it is taken back.
async function registerUnrotated(book: Reservations, { reserve }: RegisterIntent): Promise<Outcome<V2Answer>> {
  const granted = await book.reserve(reserve);
  if (!granted.ok || granted.value.sharedWith.length === 0) return answerOf(granted);
  await book.undo(granted.value);
  const address = granted.value.address.toString();
  return refuse('secret/shared', `the secret of address "${address}" cannot change while others hold the address`, {
    value: address,
  });
}

function answerOf(outcome: Outcome<Grant>): Outcome<V2Answer> {
  if (!outcome.ok) return outcome;
  const { address, created, sharedWith } = outcome.value;
  // A joining Service finds the address registered already.
  const message = created && sharedWith.length === 0 ? V2_MESSAGES.registered : V2_MESSAGES.updated;
  return accept({ message, address: hostPrefix(address).toString() });
}
