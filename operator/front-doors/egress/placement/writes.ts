import type { Written } from '../../../errors/after-write';
import type { EgressDataplane, EgressGroup } from '../../../ports/egress-dataplane';

/** Content that was written to one object of a dataplane in this term. */
interface WriteEntry {
  /** What it may have: what was written last, and what was being written when a write failed. */
  readonly maybe: ReadonlySet<string>;
  /** What it has since the last write that succeeded; undefined before the first one. */
  readonly done?: ReadonlySet<string>;
  readonly hasFailed: boolean;
}

/** Writes to the objects of one kind of one dataplane. */
class ObjectWrites {
  readonly #entries = new Map<string, WriteEntry>();

  /**
   * Finds what was written to an object.
   *
   * @param name - of its node or namespace
   * @returns undefined where nothing was written in this term
   */
  get(name: string): WriteEntry | undefined {
    return this.#entries.get(name);
  }

  /**
   * Lists all objects.
   *
   * @returns names and what was written
   */
  all(): Iterable<readonly [string, WriteEntry]> {
    return this.#entries;
  }

  /**
   * Lists the objects that have something, or may have.
   *
   * @returns their names
   */
  names(): readonly string[] {
    return [...this.#entries].flatMap(([name, { maybe }]) => (maybe.size > 0 ? name : []));
  }

  /**
   * Writes to an object. From the begin of the write on it may have both the former and the new.
   *
   * @param name - of its node or namespace
   * @param wanted - what it is to have
   * @param write - does it
   * @returns what the write returned; `changed` is no success
   * @throws whatever the write throws
   */
  async write(name: string, wanted: ReadonlySet<string>, write: () => Promise<Written>): Promise<Written> {
    const before = this.#entries.get(name);
    const maybe = new Set([...(before?.maybe ?? []), ...wanted]);
    this.#entries.set(name, { hasFailed: false, ...before, maybe });
    try {
      const written = await write();
      const done = { maybe: wanted, done: wanted, hasFailed: false };
      this.#entries.set(name, written === 'changed' ? this.#failed(name, maybe) : done);
      return written;
    } catch (thrown) {
      this.#entries.set(name, this.#failed(name, maybe));
      throw thrown;
    }
  }

  #failed(name: string, maybe: ReadonlySet<string>): WriteEntry {
    return { ...this.#entries.get(name), maybe, hasFailed: true };
  }
}

/** Writes to one dataplane. */
export interface DataplaneWrites {
  /** Addresses, and groups as {@link groupText} writes them. */
  readonly nodes: ObjectWrites;
  readonly namespaces: ObjectWrites;
}

/** Writes to every dataplane in this term. What an earlier term wrote is found in the dataplane itself. */
export class Writes {
  #dataplanes = new WeakMap<EgressDataplane, DataplaneWrites>();

  /**
   * Finds the writes to a dataplane.
   *
   * @param dataplane - one that is open
   * @returns its nodes and namespaces
   */
  of(dataplane: EgressDataplane): DataplaneWrites {
    const known = this.#dataplanes.get(dataplane);
    if (known !== undefined) return known;
    const made = { nodes: new ObjectWrites(), namespaces: new ObjectWrites() };
    this.#dataplanes.set(dataplane, made);
    return made;
  }

  /** Forgets all: another process writes from now on. */
  clear(): void {
    this.#dataplanes = new WeakMap();
  }
}

/**
 * Tells addresses from groups.
 *
 * @param text - what a node has
 * @returns false for what {@link groupText} wrote
 */
export const isAddressText = (text: string): boolean => !text.includes(' ');

/**
 * Writes everything of a group that decides what is written to a node as one text, which is no address.
 *
 * @param group - of a node
 * @returns name of the EgressIPAM, CIDR, and how many of them it has
 */
export const groupText = ({ egressIpam, cidr, cidrs }: Pick<EgressGroup, 'egressIpam' | 'cidr' | 'cidrs'>): string =>
  `${egressIpam} ${cidr} of ${String(cidrs)}`;
