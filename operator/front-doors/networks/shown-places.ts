import { hostPrefix, parseAddressWithMask, type Prefix } from '../../addressing/prefix';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { statusIn } from '../../contract/stored-status';
import type { ObjectChange } from '../../ports/object-feed';
import { readAllocation } from '../../rules/networks';
import type { NetworksObjectKey, ObjectWork } from './door-parts';
import { isDying, keyOf } from './objects';
import { instanceKeyOf } from './prefix-index';

/** Kinds of objects that show a place. */
type ShowingWork = Exclude<ObjectWork, 'instance'>;

/** An object that shows a place as its own. */
export interface ShowingObject {
  readonly key: NetworksObjectKey & { readonly of: ShowingWork };
  readonly object: JsonMap;
}

/** Places that an instance has to put on record before it gives anything. */
interface DueObjects {
  readonly objects: readonly ShowingObject[];
  /** Whether what an older operator showed of the whole table counts too. */
  readonly isWhole: boolean;
}

/** Objects whose status shows a place, and those of them for which it has to come on record before anything is given. */
export class ShownPlaces {
  readonly #instances = new Map<string, string>();
  /** By instance and block, then by UID. */
  readonly #places = new Map<string, Map<string, ShowingObject>>();
  /** By instance, then by UID. */
  readonly #due = new Map<string, Map<string, ShowingObject>>();
  readonly #whole = new Set<string>();
  readonly #running = new Map<string, Promise<unknown>>();

  /**
   * Takes over a change of an object.
   *
   * @param of - its kind
   * @param change - as the watch tells it
   * @param isOnRecord - tells whether anything is on record for it
   */
  follow(of: ShowingWork, { key, after }: ObjectChange, isOnRecord: (key: NetworksObjectKey) => boolean): void {
    this.forget(key.uid);
    if (after === undefined || isDying(after)) return;
    const block = shownBlock(of, after);
    const instance = instanceTextOf(of, after);
    if (block === undefined || instance === undefined) return;
    const showing: ShowingObject = { key: { ...keyOf(of, after), of }, object: after };
    const place = placeOf(instance, block);
    this.#instances.set(key.uid, `${instance}\n${place}`);
    inside(this.#places, place).set(key.uid, showing);
    if (!isOnRecord(showing.key)) this.mark(instance, showing);
  }

  /**
   * Forgets an object that goes.
   *
   * @param uid - of the object
   */
  forget(uid: string): void {
    const [instance, place] = this.#instances.get(uid)?.split('\n') ?? [];
    this.#instances.delete(uid);
    for (const [all, at] of [
      [this.#due, instance],
      [this.#places, place],
    ] as const) {
      const found = at === undefined ? undefined : all.get(at);
      found?.delete(uid);
      if (at !== undefined && found?.size === 0) all.delete(at);
    }
  }

  /**
   * Lists the objects that show a place.
   *
   * @param instance - `namespace/name`
   * @param block - as it is on record
   * @returns those that are not being deleted
   */
  at(instance: string, block: Prefix): readonly ShowingObject[] {
    return [...(this.#places.get(placeOf(instance, block))?.values() ?? [])];
  }

  /**
   * Lets an object have its place back before anything else is given in its instance.
   *
   * @param instance - `namespace/name`
   * @param showing - the object
   */
  mark(instance: string, showing: ShowingObject): void {
    inside(this.#due, instance).set(showing.key.uid, showing);
  }

  /**
   * Lets the whole table that an instance shows come on record.
   *
   * @param instance - `namespace/name`
   */
  markWhole(instance: string): void {
    this.#whole.add(instance);
  }

  /** Forgets what is due: everything is compared. */
  allSettled(): void {
    this.#due.clear();
    this.#whole.clear();
  }

  /**
   * Puts on record what is due in an instance; one that begins meanwhile waits for it.
   *
   * @param instance - `namespace/name`
   * @param adopt - puts objects on record
   */
  async settle(instance: string, adopt: (due: DueObjects) => Promise<unknown>): Promise<void> {
    let running = this.#running.get(instance);
    while (running !== undefined) {
      // its failure is told where it was begun
      await running.catch(() => undefined);
      running = this.#running.get(instance);
    }
    const due = this.#take(instance);
    if (due.objects.length === 0 && !due.isWhole) return;
    const work = adopt(due);
    this.#running.set(instance, work);
    try {
      await work;
    } catch (thrown) {
      for (const each of due.objects) this.mark(instance, each);
      if (due.isWhole) this.#whole.add(instance);
      throw thrown;
    } finally {
      this.#running.delete(instance);
    }
  }

  #take(instance: string): DueObjects {
    const objects = [...(this.#due.get(instance)?.values() ?? [])];
    this.#due.delete(instance);
    return { objects, isWhole: this.#whole.delete(instance) };
  }
}

/**
 * Reads the place that the status of an object shows.
 *
 * @param of - its kind
 * @param object - as the API server has it
 * @returns the block as it is on record; undefined for none, and for a range, which has none of its own
 */
export function shownBlock(of: ShowingWork, object: JsonMap): Prefix | undefined {
  const spec = mapOf(object['spec']);
  if (of === 'prefix' && spec['range'] !== undefined) return undefined;
  const shown = parseAddressWithMask(textOf(statusIn(object)['prefix']));
  if (!shown.ok) return undefined;
  const isAddress = spec['kind'] === undefined || spec['kind'] === 'network';
  return isAddress ? hostPrefix(shown.value.address) : shown.value.network;
}

function instanceTextOf(of: ShowingWork, object: JsonMap): string | undefined {
  if (of === 'prefix') return instanceKeyOf(object);
  const read = readAllocation(object);
  return read.ok ? `${textOf(metadataOf(object)['namespace'])}/${read.value.instanceName}` : undefined;
}

const placeOf = (instance: string, block: Prefix): string => `${instance} ${block.toString()}`;

function inside<V>(all: Map<string, Map<string, V>>, key: string): Map<string, V> {
  const found = all.get(key) ?? new Map<string, V>();
  all.set(key, found);
  return found;
}
