import type { Holder, NewHolder } from '../../ports/claims';
import { present } from './claim-details';

/** Parts of a holder that the store adds. */
export interface HolderMaking {
  readonly id: string;
  readonly sinceMs: number;
  /** The present by the server's clock. */
  readonly nowMs: number;
  /** End of the holder that is replaced. */
  readonly endBefore?: number | undefined;
  /** Idempotency key; that of the holder itself by default. */
  readonly key?: string;
}

/**
 * Makes a holder as it is stored; fields beyond the port's are dropped.
 *
 * @param holder - as the caller hands it in
 * @param making - parts that the store adds
 * @returns what is stored of it
 */
export function newHolder(holder: Omit<NewHolder, 'key'> & Pick<NewHolder, 'key'>, making: HolderMaking): Holder {
  const { owner, state, options, sharing, writtenKeys = [], purpose, dataplanes = [], isEnding } = holder;
  const { id, sinceMs, key = holder.key } = making;
  const { cluster, apiVersion, kind, namespace, namespaceUid, name, uid } = owner;
  return {
    id,
    owner: { cluster, apiVersion, kind, namespace, namespaceUid, name, ...present('uid', uid) },
    state,
    ...present('key', key),
    ...present('options', options),
    ...present('sharing', sharing),
    ...present('writtenKeys', writtenKeys.length === 0 ? undefined : writtenKeys),
    ...present('purpose', purpose),
    ...present('dataplanes', dataplanes.length === 0 ? undefined : dataplanes),
    ...present('isEnding', isEnding === true ? true : undefined),
    ...present('expiresAtMs', endOf(holder, making)),
    sinceMs,
  };
}

function endOf({ expiry }: NewHolder, { endBefore, nowMs }: HolderMaking): number | undefined {
  if (expiry === undefined) return undefined;
  return expiry.kind === 'after' ? nowMs + expiry.ms : endBefore;
}
