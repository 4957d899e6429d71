import { refuse, type Outcome } from './outcome';

/** Who stands in the way, as far as the store knows. */
export interface NamedHolder {
  /** Empty for a Service whose name the API server still has to make. */
  readonly serviceName: string;
  /** Name of the namespace; empty where only its UID is known. */
  readonly namespace: string;
  readonly namespaceUid: string;
  readonly clusterUid: string;
}

/** What stands in the way of an automatic choice. */
export interface FullZone {
  readonly zone: string;
  readonly family: 4 | 6;
  /** Addresses of the zone and family that wait for the end of their quarantine. */
  readonly quarantined: number;
  /** ISO 8601 time when the first of them becomes free. */
  readonly firstFreeAt?: string;
  /** The same as whole seconds from now. */
  readonly firstFreeInSeconds?: number;
}

function nameOf(holder: NamedHolder): string {
  const name = holder.serviceName === '' ? '(name not made yet)' : holder.serviceName;
  if (holder.namespace !== '') return `"${holder.namespace}/${name}"`;
  return `service "${name}" of namespace ${holder.namespaceUid} on cluster ${holder.clusterUid}`;
}

/**
 * Refuses an address that somebody holds.
 *
 * @param address - canonical text
 * @param holder - oldest holder of the address
 * @returns refusal `address/held`
 */
export function refuseHeld(address: string, holder: NamedHolder): Outcome<never> {
  const message = `address "${address}" is held by ${nameOf(holder)}; ask for another one or leave the choice to the zone`;
  return refuse('address/held', message, { value: address });
}

/**
 * Refuses an address that was released a moment ago.
 *
 * @param address - canonical text
 * @param former - who left it
 * @param end - end of the quarantine: ISO 8601 text, and whole seconds from now
 * @returns refusal `address/quarantined` with `retryAfterSeconds`
 */
export function refuseQuarantined(
  address: string,
  former: NamedHolder,
  end: { at: string; seconds: number },
): Outcome<never> {
  const message = `address "${address}" is quarantined until ${end.at} and only ${nameOf(former)} may have it back before; ask for another one or try again then`;
  return refuse('address/quarantined', message, { value: address, retryAfterSeconds: end.seconds });
}

/**
 * Refuses an automatic choice without a free address.
 *
 * @param full - zone, family and what is about to become free
 * @returns refusal `pool/exhausted`
 */
export function refuseExhausted(full: FullZone): Outcome<never> {
  const waiting =
    full.firstFreeAt === undefined
      ? ''
      : `; ${full.quarantined} quarantined, the first of them becomes free at ${full.firstFreeAt}`;
  const seconds = full.firstFreeInSeconds;
  return refuse('pool/exhausted', `zone "${full.zone}" has no free IPv${full.family} address${waiting}`, {
    value: full.zone,
    ...(seconds === undefined ? {} : { retryAfterSeconds: Math.max(1, seconds) }),
  });
}

/**
 * Refuses one more unbound reservation.
 *
 * @param holder - whose namespace has too many
 * @param limit - most reserved holders of one namespace
 * @returns refusal `reservation/limit`
 */
export function refuseReservation(holder: NamedHolder, limit: number): Outcome<never> {
  const namespace = holder.namespace === '' ? holder.namespaceUid : holder.namespace;
  const message = `namespace "${namespace}" has ${limit} addresses reserved that no stored Service was seen to use yet, which is the limit; try again in a moment`;
  return refuse('reservation/limit', message, { value: namespace });
}

/**
 * Refuses one more address of a zone.
 *
 * @param zone - name of the zone
 * @param quota - most held addresses of the zone
 * @returns refusal `zone/quota`
 */
export function refuseQuota(zone: string, quota: number): Outcome<never> {
  return refuse('zone/quota', `zone "${zone}" has used up its quota of ${quota} addresses`, { value: zone });
}

/**
 * Refuses one more address of a cluster or a namespace.
 *
 * @param whose - what has used up its quota
 * @param request - the take, with its holder and quotas
 * @returns refusal `cluster/quota` or `namespace/quota`
 */
export function refuseShare(
  whose: 'cluster' | 'namespace',
  request: {
    readonly holder: {
      readonly namespace: string;
      readonly service: { readonly clusterUid: string; readonly namespaceUid: string };
    };
    readonly clusterQuota?: number;
    readonly namespaceQuota?: number;
  },
): Outcome<never> {
  const { service, namespace } = request.holder;
  if (whose === 'cluster') {
    const { clusterUid: value } = service;
    const message = `cluster "${value}" has used up its quota of ${request.clusterQuota ?? 0} addresses`;
    return refuse('cluster/quota', message, { value });
  }
  const value = namespace === '' ? service.namespaceUid : namespace;
  const message = `namespace "${value}" has used up its quota of ${request.namespaceQuota ?? 0} addresses`;
  return refuse('namespace/quota', message, { value });
}

/**
 * Refuses a decision that was made on an older version of a record.
 *
 * @param address - canonical text
 * @returns refusal `store/conflict`
 */
export function refuseOutdated(address: string): Outcome<never> {
  const message = `the record of address "${address}" was changed by somebody else at the same time; read it again and decide again`;
  return refuse('store/conflict', message, { value: address });
}

/**
 * Refuses a second live holder with one idempotency key.
 *
 * @param address - canonical text of the address that the key should move to
 * @returns refusal `store/conflict`
 */
export function refuseKeyInUse(address: string): Outcome<never> {
  const message = `the key of the holder that should get address "${address}" belongs to another live holder; read both again and decide again`;
  return refuse('store/conflict', message, { value: address });
}

/**
 * Refuses to change a claim that does not exist (any more).
 *
 * @param address - canonical text
 * @returns refusal `claim/not-found`
 */
export function refuseUnclaimed(address: string): Outcome<never> {
  return refuse('claim/not-found', `address "${address}" has no such holder`, { value: address });
}
