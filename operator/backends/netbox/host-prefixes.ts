import type { Address } from '../../addressing/address';
import { hostPrefix, type Prefix } from '../../addressing/prefix';
import type { JsonMap } from '../../contract/loose-json';
import { failed, type NetBoxFault } from './netbox-answer';
import { quoted } from './quoted';
import type { NetBoxClient } from './netbox-client';
import { readAll } from './netbox-pages';
import { addressOfRecord, inVrf, isHost, NETBOX_PATHS, prefixOfRecord, type NetBoxPrefix } from './netbox-records';

/** One address that NetBox shall have. */
export interface WantedHost {
  readonly address: Address;
  readonly zone: string;
  /** Custom field `k8s_uuid`. */
  readonly mark: string;
  /** The container that it becomes a child of. */
  readonly container: NetBoxPrefix;
  /** The address was asked for by its number, so a prefix of the original IPAM-API may be taken over for it. */
  readonly named: boolean;
}

/** How {@link HostPrefixes.ensure} ended. `foreign`: another owner has `block`, nothing of ours is there. */
export type Ensured =
  | { readonly kind: 'there'; readonly id: number }
  | { readonly kind: 'foreign'; readonly block: Prefix; readonly words: string }
  | { readonly kind: 'fault'; readonly fault: NetBoxFault };

/** Findings at an address; `adoptable`: a prefix of the original IPAM-API that may be taken over. */
type Met =
  | Exclude<Ensured, { kind: 'there' }>
  | { readonly kind: 'ours'; readonly record: NetBoxPrefix }
  | { readonly kind: 'adoptable'; readonly id: number };

/** How {@link HostPrefixes.remove} ended. `foreign`: the record belongs to another owner now and was left alone. */
export type Removed =
  | { readonly kind: 'gone' }
  | { readonly kind: 'foreign'; readonly words: string }
  | { readonly kind: 'fault'; readonly fault: NetBoxFault };

const ACTIVE = 'active';

/** Parts of {@link HostPrefixes}. */
export interface HostPrefixesParts {
  readonly client: NetBoxClient;
  /** Name of the tag that each prefix of ours carries; empty: none. */
  readonly tag: string;
  /** Values of custom fields that NetBox requires. */
  readonly fields: Readonly<Record<string, string>>;
  /** Take over prefixes that the original IPAM-API made, for claims that are imported from it. */
  readonly adopt: boolean;
}

/**
 * Host prefixes in NetBox. Every verb may be repeated: what is ours is known by its `k8s_uuid`, whatever happened to the answer.
 * Never throws; safe for parallel calls on different addresses.
 */
export class HostPrefixes {
  readonly #parts: HostPrefixesParts;

  /**
   * Works through a client.
   *
   * @param parts - client, tag, fields
   */
  constructor(parts: HostPrefixesParts) {
    this.#parts = parts;
  }

  /**
   * Sees to it that an address is ours in NetBox.
   *
   * @param want - address, mark, container
   * @returns the id of our prefix, or the owner that is in the way
   */
  async ensure(want: WantedHost): Promise<Ensured> {
    const there = await this.#look(want);
    if (there !== undefined) return there;
    const made = await this.#parts.client.call({
      method: 'POST',
      path: NETBOX_PATHS.prefixes,
      body: this.#bodyOf(want),
    });
    if (made.ok) return this.#settle(want);
    const { fault } = made;
    // its uniqueness spoke, or the answer was lost: what is there now tells which
    const isDuplicate = fault.kind === 'refused' && /duplicate/iu.test(fault.words);
    if (isDuplicate || fault.acted === 'perhaps') {
      const unseen: Ensured = isDuplicate ? unseenOwner(want.address) : { kind: 'fault', fault };
      return (await this.#settled(want)) ?? unseen;
    }
    return { kind: 'fault', fault: this.#withCure(fault) };
  }

  // NetBox 4.6 looks for a tag that is named among those that the token may see.
  #withCure(fault: NetBoxFault): NetBoxFault {
    const { tag } = this.#parts;
    if (tag === '' || fault.kind !== 'refused' || !/\btags\b.*related object not found/iu.test(fault.words))
      return fault;
    const cure = `make the tag ${quoted(tag, 100)}, and give the token the right "view" on extras.tag`;
    return { ...fault, words: `${fault.words}; ${cure}` };
  }

  /**
   * Tells what {@link ensure} would meet, without changing anything.
   *
   * @param want - address, container; the mark of our row, if there is one
   * @returns the owner that is in the way, or why that is not known; undefined where there is none
   */
  async inTheWay(want: WantedHost): Promise<Exclude<Ensured, { kind: 'there' }> | undefined> {
    const met = await this.#meet(want);
    return met?.kind === 'foreign' || met?.kind === 'fault' ? met : undefined;
  }

  /**
   * Sees to it that an address is not ours in NetBox any more. Deletes only what carries our mark.
   *
   * @param host - address and mark
   * @param host.address - of the prefix
   * @param host.mark - its `k8s_uuid`
   * @param externalId - id that the prefix had; absent where it is not known
   * @returns success when nothing is there
   */
  async remove(host: Pick<WantedHost, 'address' | 'mark'>, externalId?: number): Promise<Removed> {
    const found = await readAll(this.#parts.client, NETBOX_PATHS.prefixes, {
      prefix: hostPrefix(host.address).toString(),
    });
    if (!found.ok) return { kind: 'fault', fault: found.fault };
    const there = hostsOf(found.records, host.address);
    for (const { id } of there.filter(({ mark }) => mark === host.mark)) {
      const fault = await this.#delete(id);
      if (fault !== undefined) return { kind: 'fault', fault };
    }
    return externalId === undefined ? { kind: 'gone' } : this.#leftAlone(host, externalId);
  }

  // The record that we knew may have got another owner, or another prefix: then it is not ours to delete.
  async #leftAlone({ mark }: Pick<WantedHost, 'mark'>, id: number): Promise<Removed> {
    const answer = await this.#parts.client.call({ method: 'GET', path: `${NETBOX_PATHS.prefixes}${id}/` });
    if (!answer.ok) return answer.fault.kind === 'absent' ? { kind: 'gone' } : { kind: 'fault', fault: answer.fault };
    const record = prefixOfRecord(answer.body);
    const whose = record?.mark === mark ? 'was made another prefix' : `has the k8s_uuid "${record?.mark ?? ''}" now`;
    return { kind: 'foreign', words: `prefix ${id} (${String(record?.prefix ?? '?')}) ${whose}` };
  }

  async #delete(id: number): Promise<NetBoxFault | undefined> {
    const answer = await this.#parts.client.call({ method: 'DELETE', path: `${NETBOX_PATHS.prefixes}${id}/` });
    if (answer.ok) return undefined;
    return answer.fault.kind === 'absent' ? this.#unwritable(id, 'delete') : answer.fault;
  }

  // NetBox answers 404 too where the record is outside of what the token may write.
  async #unwritable(id: number, right: 'change' | 'delete'): Promise<NetBoxFault | undefined> {
    const answer = await this.#parts.client.call({ method: 'GET', path: `${NETBOX_PATHS.prefixes}${id}/` });
    if (!answer.ok) return answer.fault.kind === 'absent' ? undefined : answer.fault;
    const words = `shows prefix ${id}, but does not let the token ${right} it; give it the right "${right}" on that prefix, or the tag that its permission asks for`;
    return failed('refused', words).fault;
  }

  // Undefined: the address is free.
  async #look(want: WantedHost): Promise<Ensured | undefined> {
    const met = await this.#meet(want);
    if (met?.kind === 'ours') return isAsMade(met.record, want) ? this.#settle(want) : this.#correct(met.record, want);
    return met?.kind === 'adoptable' ? this.#adopt(met.id, want) : met;
  }

  // Changes nothing.
  async #meet(want: WantedHost): Promise<Met | undefined> {
    const { address, container } = want;
    // without its mask NetBox takes an address to be in larger prefixes only, and leaves its host prefix out
    const contains = hostPrefix(address).toString();
    const [prefixes, addresses] = await Promise.all([
      readAll(this.#parts.client, NETBOX_PATHS.prefixes, { contains, ...inVrf(container.vrf) }),
      readAll(this.#parts.client, NETBOX_PATHS.ipAddresses, { address: address.toString(), ...inVrf(container.vrf) }),
    ]);
    if (!prefixes.ok) return { kind: 'fault', fault: prefixes.fault };
    if (!addresses.ok) return { kind: 'fault', fault: addresses.fault };
    const ours = hostsOf(prefixes.records, address).find(({ mark }) => mark === want.mark);
    if (ours !== undefined) return { kind: 'ours', record: ours };
    const lost = lostContainer(prefixes.records, want);
    if (lost !== undefined) return { kind: 'fault', fault: lost };
    const inside = prefixes.records
      .map(prefixOfRecord)
      .filter((each) => each !== undefined)
      .find((each) => isInTheWay(each, want));
    if (inside !== undefined && this.#mayAdopt(inside, want)) return { kind: 'adoptable', id: inside.id };
    if (inside !== undefined) {
      const owner = isHost(inside.prefix) ? `with k8s_uuid "${inside.mark}"` : `of status ${inside.status}`;
      return { kind: 'foreign', block: inside.prefix, words: `has prefix ${inside.prefix.toString()} ${owner}` };
    }
    const taken = addresses.records.some((record) => addressOfRecord(record)?.equals(address) === true);
    if (!taken) return undefined;
    return { kind: 'foreign', block: hostPrefix(address), words: `has an IP address object ${address.toString()}` };
  }

  // The original wrote the id of its document, 12 bytes in hex, or nothing when it was cut off in between.
  #mayAdopt({ prefix, zone, mark }: NetBoxPrefix, want: WantedHost): boolean {
    return this.#parts.adopt && want.named && isHost(prefix) && zone === want.zone && /^([0-9a-f]{24})?$/u.test(mark);
  }

  #adopt(id: number, want: WantedHost): Promise<Ensured> {
    return this.#change(id, { custom_fields: { k8s_uuid: want.mark } }, want);
  }

  // What was edited by hand is put back; the mark tells that the prefix is ours all the same.
  #correct({ id }: NetBoxPrefix, want: WantedHost): Promise<Ensured> {
    return this.#change(id, { status: ACTIVE, custom_fields: { k8s_zone: want.zone } }, want);
  }

  async #change(id: number, body: JsonMap, want: WantedHost): Promise<Ensured> {
    const answer = await this.#parts.client.call({ method: 'PATCH', path: `${NETBOX_PATHS.prefixes}${id}/`, body });
    if (answer.ok) return this.#settle(want);
    const fault = answer.fault.kind === 'absent' ? await this.#unwritable(id, 'change') : undefined;
    return { kind: 'fault', fault: fault ?? answer.fault };
  }

  async #settle(want: WantedHost): Promise<Ensured> {
    return (
      (await this.#settled(want)) ?? {
        kind: 'fault',
        ...failed('unavailable', 'does not show the prefix that it made'),
      }
    );
  }

  // Several may have created the same prefix where NetBox allows that: the oldest one counts, and each removes its own others.
  async #settled(want: WantedHost): Promise<Ensured | undefined> {
    const { address, mark, container } = want;
    const filter = { prefix: hostPrefix(address).toString(), ...inVrf(container.vrf) };
    const found = await readAll(this.#parts.client, NETBOX_PATHS.prefixes, filter);
    if (!found.ok) return { kind: 'fault', fault: found.fault };
    const [oldest, ...younger] = hostsOf(found.records, address);
    if (oldest === undefined) return undefined;
    for (const { id } of younger.filter((each) => each.mark === mark)) {
      const fault = await this.#delete(id);
      if (fault !== undefined) return { kind: 'fault', fault };
    }
    if (oldest.mark === mark) return { kind: 'there', id: oldest.id };
    const words = `has prefix ${oldest.prefix.toString()} with k8s_uuid "${oldest.mark}"`;
    return { kind: 'foreign', block: oldest.prefix, words };
  }

  // Related objects that the container does not have are left out: the id 0 would be refused.
  #bodyOf({ address, zone, mark, container }: WantedHost): JsonMap {
    const { vrf, tenant, role, infra } = container;
    const { tag, fields } = this.#parts;
    return {
      prefix: hostPrefix(address).toString(),
      status: ACTIVE,
      ...(vrf === undefined ? {} : { vrf }),
      ...(tenant === undefined ? {} : { tenant }),
      ...(role === undefined ? {} : { role }),
      ...(tag === '' ? {} : { tags: [{ name: tag }] }),
      custom_fields: {
        ...fields,
        ...(infra === undefined ? {} : { infra: infra === '' ? 'na' : infra }),
        k8s_uuid: mark,
        k8s_zone: zone,
      },
    };
  }
}

/**
 * Tells a prefix of ours that was not edited.
 *
 * @param record - as NetBox has it
 * @param made - zone that it was made for
 * @returns false where status or zone are others
 */
export function isAsMade({ status, zone }: NetBoxPrefix, made: Pick<WantedHost, 'zone'>): boolean {
  return status === ACTIVE && zone === made.zone;
}

function unseenOwner(address: Address): Ensured {
  const block = hostPrefix(address);
  return { kind: 'foreign', block, words: `has prefix ${block.toString()}, which the token may not see` };
}

// An address is given only out of a container that is there: the lists may be older than what an administrator did.
function lostContainer(records: readonly JsonMap[], { zone, container }: WantedHost): NetBoxFault | undefined {
  const now = records.map(prefixOfRecord).find((each) => each?.id === container.id);
  if (now?.status === 'container' && now.zone === zone) return undefined;
  return failed('refused', `has no container ${container.prefix.toString()} of the zone any more`).fault;
}

// Oldest first: `readAll` gives records by their ids.
function hostsOf(records: readonly JsonMap[], address: Address): readonly NetBoxPrefix[] {
  const host = hostPrefix(address);
  return records.map(prefixOfRecord).filter((each) => each?.prefix.equals(host) === true) as readonly NetBoxPrefix[];
}

// What is longer than the container was cut out of it, unless it is a container of the same zone.
function isInTheWay(each: NetBoxPrefix, { address, zone, container }: WantedHost): boolean {
  if (!each.prefix.contains(address) || each.prefix.length <= container.prefix.length) return false;
  return !(each.status === 'container' && each.zone === zone);
}
