import { isIpamError } from '../../../errors/ipam-error';
import type { Outcome } from '../../../errors/outcome';

/** Why a server does not serve an operation, half a sentence that begins with the server or the client. */
export interface Lacking {
  readonly kind: 'lacking';
  readonly reason: string;
}

/** Answer of a server that serves the operation. */
export interface Answered<V> {
  readonly kind: 'answered';
  readonly outcome: Outcome<V>;
}

/**
 * Calls an operation that older servers do not have, and that some serve for operators alone.
 *
 * @param call - under way
 * @returns its answer; or why the server does not serve it
 * @throws IpamError as the call does otherwise
 */
export async function orLacking<V>(call: Promise<Outcome<V>>): Promise<Answered<V> | Lacking> {
  try {
    return { kind: 'answered', outcome: await call };
  } catch (thrown) {
    if (!isIpamError(thrown)) throw thrown;
    if (thrown.code === 'api/not-found')
      return { kind: 'lacking', reason: 'the IPAM-API has no place for that, being of an older version' };
    if (thrown.code === 'api/forbidden') return { kind: 'lacking', reason: thrown.message };
    throw thrown;
  }
}
