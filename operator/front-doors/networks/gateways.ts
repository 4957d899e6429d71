import type { Prefix } from '../../addressing/prefix';
import { textOf } from '../../contract/loose-json';
import type { EntryOwner } from '../../contract/networks/entry';
import { gatewayOf } from '../../rules/networks';
import type { NetworksDoorParts } from './door-parts';
import { workOfKind } from './objects';
import { shownFields } from './status';
import type { Waiting } from './waiting';

/** Gateways of subnets as the status of what was given shows them. */
export class Gateways {
  readonly #parts: Pick<NetworksDoorParts, 'tables' | 'allocations'>;
  readonly #waiting: Pick<Waiting, 'wake'>;
  /** By network and subnet; empty for none. */
  readonly #known = new Map<string, string>();

  /**
   * Starts without a gateway.
   *
   * @param parts - record and IPAllocations
   * @param waiting - is told what to look at
   */
  constructor(parts: Pick<NetworksDoorParts, 'tables' | 'allocations'>, waiting: Pick<Waiting, 'wake'>) {
    this.#parts = parts;
    this.#waiting = waiting;
  }

  /**
   * Looks at a subnet of which something changed; IPAllocations in it that show another gateway are looked at.
   *
   * @param network - on record
   * @param subnet - its block
   */
  look(network: string, subnet: Prefix): void {
    const text = this.#parts.tables.look(network, (table) => gatewayOf(table, subnet))?.toString() ?? '';
    const place = `${network} ${subnet.toString()}`;
    if (this.#known.get(place) === text) return;
    this.#known.set(place, text);
    this.#wakeGiven(network, subnet, text);
  }

  /**
   * Forgets the subnets of a network; all of them by default.
   *
   * @param network - on record
   */
  forget(network?: string): void {
    for (const place of this.#known.keys())
      if (network === undefined || place.startsWith(`${network} `)) this.#known.delete(place);
  }

  #wakeGiven(network: string, subnet: Prefix, gateway: string): void {
    const given: EntryOwner[] = [];
    this.#parts.tables.look(network, (table) => {
      table.eachInside(subnet, ({ facts, owner, user }) => {
        if (facts?.role === 'allocation') given.push(owner);
        if (user !== undefined) given.push(user);
        return true;
      });
    });
    for (const { kind, namespace, name, uid } of given) {
      if (workOfKind(kind) !== 'allocation' || uid === undefined) continue;
      const object = this.#parts.allocations.get(namespace, name);
      if (object === undefined || textOf(shownFields(object)['gateway']) === gateway) continue;
      this.#waiting.wake({ of: 'allocation', namespace, name, uid });
    }
  }
}
