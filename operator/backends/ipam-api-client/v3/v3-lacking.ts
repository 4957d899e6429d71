import { isIpamError } from '../../../errors/ipam-error';
import type { Outcome } from '../../../errors/outcome';

/** Why a server does not serve an operation, half a sentence that begins with the server or the client. */
export interface Lacking {
  readonly lacking: string;
}

/**
 * Calls an operation that older servers do not have, and that some serve for operators alone.
 *
 * @param call - under way
 * @returns its answer; or why the server does not serve it
 * @throws IpamError as the call does otherwise
 */
export async function orLacking<V>(call: Promise<Outcome<V>>): Promise<Outcome<V> | Lacking> {
  try {
    return await call;
  } catch (thrown) {
    if (!isIpamError(thrown)) throw thrown;
    if (thrown.code === 'api/not-found')
      return { lacking: 'the IPAM-API has no place for that, being of an older version' };
    if (thrown.code === 'api/forbidden') return { lacking: thrown.message };
    throw thrown;
  }
}

/**
 * Tells whether a server lacks an operation.
 *
 * @param answer - of {@link orLacking}
 * @returns true where it does
 */
export function isLacking(answer: object): answer is Lacking {
  return 'lacking' in answer;
}
