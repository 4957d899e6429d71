import type { Holder, NewHolder, SharingTerms } from '../../ports/claim-store';

/** Every field of a holder, `undefined` where it has none. */
export type HolderFields = { readonly [Field in keyof Required<NewHolder>]: NewHolder[Field] | undefined };

/**
 * Changes fields of a holder.
 *
 * @param holder - the holder now
 * @param changes - fields to set; `undefined` takes a field away
 * @returns what to hand to the store
 */
export function changedHolder(holder: NewHolder, changes: Partial<HolderFields>): NewHolder {
  const { service, namespace, serviceUid, state, key, options, sharing, writtenKeys, purpose, expiresAtMs } = holder;
  return newHolder({
    service,
    namespace,
    serviceUid,
    state,
    key,
    options,
    sharing,
    writtenKeys,
    purpose,
    expiresAtMs,
    ...changes,
  });
}

/**
 * Leaves out the fields that a holder does not have.
 *
 * @param fields - every field
 * @returns what to hand to the store
 */
export function newHolder(fields: HolderFields): NewHolder {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as unknown as NewHolder;
}

/**
 * Compares what two holders say, so that an unchanged repeat causes no write.
 *
 * @param a - one holder
 * @param b - another holder
 * @returns true when writing one over the other would change nothing
 */
export function sameContent(a: NewHolder, b: NewHolder): boolean {
  return content(a) === content(b);
}

/**
 * Compares sharing terms by meaning.
 *
 * @param a - one side
 * @param b - the other side
 * @returns true when equal, whatever the order of the ports
 */
export function sameTerms(a: SharingTerms | undefined, b: SharingTerms | undefined): boolean {
  return terms(a) === terms(b);
}

/**
 * Tells whether a holder ever belonged to a stored object; what never did needs no quarantine and no retention.
 *
 * @param holder - whom to judge
 * @returns true when its Service was stored once, even if it is only reserved again now
 */
export function wasStored(holder: Holder): boolean {
  return holder.state !== 'reserved' || holder.serviceUid !== undefined;
}

function content(holder: NewHolder): string {
  const { service, options } = holder;
  return JSON.stringify([
    [service.serviceName, service.namespaceUid, service.clusterUid, holder.namespace],
    [holder.serviceUid ?? null, holder.state, holder.key ?? null, holder.expiresAtMs ?? null],
    [
      options.retentionPeriodDays,
      options.denyExternalCleanup,
      terms(holder.sharing),
      holder.writtenKeys,
      holder.purpose ?? null,
    ],
  ]);
}

function terms(sharing: SharingTerms | undefined): string {
  if (sharing === undefined) return '';
  return JSON.stringify([sharing.key, [...sharing.ports].sort(), sharing.trafficPolicy, sharing.selector]);
}
