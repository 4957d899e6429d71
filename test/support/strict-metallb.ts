import { withIngress, type ControllerWorld } from './controller-world';
import type { ServiceJson } from './review-builder';

/**
 * MetalLB as it treats Services that want each other's addresses: an address is one Service's at a time, a Service that cannot have
 * what it names loses what it has, and who was refused is tried again only when another one loses an address, not when it moves.
 */
export class StrictMetalLb {
  /** Every ingress that was ever written, as `name=address,address`. */
  readonly written: string[] = [];
  readonly #world: ControllerWorld;
  readonly #queue = new Set<string>();

  constructor(world: ControllerWorld) {
    this.#world = world;
    world.announces = false;
    world.services.onChange(({ key, after }) => {
      if (after !== undefined) this.#queue.add(key.name);
    });
  }

  /** Handles what changed, one Service after the other. */
  work(): void {
    for (let rounds = 0; this.#queue.size > 0 && rounds < 1_000; rounds += 1) {
      const [name] = this.#queue;
      if (name === undefined) return;
      this.#queue.delete(name);
      this.#handle(name);
    }
  }

  /** Lets controller and MetalLB work, and time go by, until nothing changes. */
  async settle(ms = 5_000): Promise<void> {
    for (let passed = 0; passed < ms; passed += 100) {
      await this.#world.pass(100, 100);
      this.work();
    }
  }

  #handle(name: string): void {
    const object = this.#world.services.object(name);
    const wanted = wantedBy(object);
    const shown = this.#world.announced(name);
    if (shown.join() === wanted.join()) return;
    const others = this.#names().filter((each) => each !== name);
    const taken = new Set(others.flatMap((each) => this.#world.announced(each)));
    const given = wanted.some((address) => taken.has(address)) ? [] : wanted;
    if (given.join() === shown.join()) return;
    this.written.push(`${name}=${given.join()}`);
    this.#world.services.put(withIngress(object, given));
    if (given.length === 0) for (const other of others) this.#queue.add(other);
  }

  #names(): readonly string[] {
    return this.#world.services.list().map((raw) => (raw['metadata'] as { name: string }).name);
  }
}

function wantedBy({ metadata: { annotations } }: ServiceJson): readonly string[] {
  if (annotations?.['metallb.io/address-pool'] === 'ipam-waiting') return [];
  return annotations?.['metallb.io/loadBalancerIPs']?.split(',') ?? [];
}
