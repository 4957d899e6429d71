import { addressOf, type Address } from '../../operator/addressing/address';
import { prefixOf } from '../../operator/addressing/prefix';
import { PrefixSetBuilder, type PrefixSet } from '../../operator/addressing/prefix-set';
import { valueOf } from '../../operator/errors/ipam-error';
import type { Outcome, Refusal } from '../../operator/errors/outcome';
import type {
  AddressRecord,
  BindRequest,
  ClaimStore,
  Holder,
  NewHolder,
  ReleaseRequest,
  TakeRequest,
} from '../../operator/ports/claim-store';

/** Start of all test time; milliseconds since 1970. */
export const NOW = Date.UTC(2026, 0, 1);

/** The addresses of some prefixes. */
export function spaceOf(...prefixes: string[]): PrefixSet {
  const builder = new PrefixSetBuilder();
  for (const prefix of prefixes) builder.add(prefixOf(prefix));
  return builder.build();
}

/** A /29 and a /125: eight addresses of each family. */
export const EIGHT = spaceOf('10.0.0.0/29', '2001:db8::/125');

/** A holder with the key `key of <name>`, bound to `uid of <name>`. */
export function holderOf(name: string, change: Partial<NewHolder> = {}): NewHolder {
  return {
    service: { serviceName: name, namespaceUid: 'ns-a', clusterUid: 'c1' },
    namespace: 'a',
    serviceUid: `uid of ${name}`,
    state: 'bound',
    key: `key of ${name}`,
    options: { retentionPeriodDays: 0, denyExternalCleanup: false },
    writtenKeys: [],
    ...change,
  };
}

/** A holder without key, without UID and with a lease. */
export function leaseOf(name: string, expiresAtMs: number, change: Partial<NewHolder> = {}): NewHolder {
  const { key: _key, serviceUid: _uid, ...rest } = holderOf(name);
  return { ...rest, state: 'reserved', expiresAtMs, ...change };
}

/** What a test says about a take; the holder may be given by name. */
export type Taking = Partial<Omit<TakeRequest, 'address' | 'holder'>> & {
  readonly address?: Address | string;
  readonly holder?: NewHolder;
};

/** A take of zone `z` in network `default` for the holder `name`; the lowest of {@link EIGHT} unless it says otherwise. */
export function taking(name: string, { address, holder, ...change }: Taking = {}): TakeRequest {
  const named = typeof address === 'string' ? addressOf(address) : address;
  return {
    network: 'default',
    zone: 'z',
    family: named?.family ?? 4,
    space: EIGHT,
    secret: { hash: 'k1:aa', scope: 'shared' },
    holder: holder ?? holderOf(name),
    nowMs: NOW,
    ...(named === undefined ? {} : { address: named }),
    ...change,
  };
}

/** Takes, expecting success. */
export async function taken(store: ClaimStore, name: string, change: Taking = {}): Promise<AddressRecord> {
  return valueOf(await store.take(taking(name, change))).record;
}

/** A bind of a new holder to a record, or of `over`'s successor. */
export function binding(record: AddressRecord, holder: NewHolder, change: Partial<BindRequest> = {}): BindRequest {
  const { network, address, version } = record;
  return { network, address, version, holder, nowMs: NOW, ...change };
}

/** A release of the first holder of a record. */
export function releasing(record: AddressRecord, change: Partial<ReleaseRequest> = {}): ReleaseRequest {
  const { network, address, version } = record;
  return { network, address, version, holderId: firstHolder(record).id, nowMs: NOW, ...change };
}

/** The oldest holder of a held record. */
export function firstHolder(record: AddressRecord): Holder {
  const [holder] = record.holders;
  if (holder === undefined) throw new TypeError(`nobody holds ${record.address.toString()}`);
  return holder;
}

/** What was refused. */
export function refusalOf(outcome: Outcome<unknown>): Refusal {
  if (outcome.ok) throw new TypeError('this was not refused');
  return outcome.refusal;
}

/** Last part of a take's address, for readable expectations: `.3` for 10.0.0.3. */
export function addressText(record: AddressRecord | undefined): string {
  return record === undefined ? 'none' : record.address.toString();
}
