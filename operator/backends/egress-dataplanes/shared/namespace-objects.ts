import type { DataplaneKind } from '../../../contract/egress-dataplanes';
import { metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { afterWrite, type Written } from '../../../errors/after-write';
import { IpamError } from '../../../errors/ipam-error';
import type { DataplaneCluster, DataplaneWriter } from './dataplane-cluster';
import { marksOf, orphanedMetadata, versionOf, type ReadMarks } from './marks';
import { mergePatch } from './merge-patch';
import { ReadObjects } from './read-objects';

/** An object of a dataplane that is about one namespace. */
export interface NamespaceObject {
  readonly name: string;
  /** Absent for an object of others. */
  readonly marks?: ReadMarks;
  /** The one namespace that an object of others is about. */
  readonly onlyNamespace?: string;
  readonly object: JsonMap;
}

/** How the objects of a kind are read and named. */
interface NamespaceObjectKind<T extends NamespaceObject> {
  /** Must not throw. */
  readonly read: (object: JsonMap) => T;
  /** Names of the objects that the door makes for a namespace; no other namespace has one of them. */
  readonly namesOf: (namespace: string) => readonly string[];
}

/** Objects of the whole cluster that the door makes for namespaces, among those of others. */
export class NamespaceObjects<T extends NamespaceObject> extends ReadObjects<T> {
  readonly #kind: DataplaneKind;
  readonly #namesOf: (namespace: string) => readonly string[];
  readonly #writer: DataplaneWriter;
  /** Names of objects that were written here, and not deleted since; the watch may not have told of one yet. */
  readonly #written = new Set<string>();

  /**
   * Opens the watch, which ends with this.
   *
   * @param cluster - feeds and writers
   * @param kind - declared by the dataplane
   * @param how - reader and names
   */
  constructor(cluster: DataplaneCluster, kind: DataplaneKind, { read, namesOf }: NamespaceObjectKind<T>) {
    super(cluster.watch(kind), read);
    this.#kind = kind;
    this.#namesOf = namesOf;
    this.#writer = cluster.writer(kind);
  }

  /**
   * Lists the objects of others.
   *
   * @returns those without marks
   */
  foreign(): readonly T[] {
    return this.all().filter(({ marks }) => marks === undefined);
  }

  /**
   * Lists the namespaces that have something of the door.
   *
   * @returns each once; without those whose objects their EgressIPAM left
   */
  namespaces(): readonly string[] {
    const marks = this.all().flatMap((each) => each.marks ?? []);
    return [...new Set(marks.filter(({ isOrphan }) => !isOrphan).map(({ namespace }) => namespace))];
  }

  /**
   * Tells whether an object of the door may be stored.
   *
   * @param name - of the object
   * @returns false where neither the watch told of one, nor it was written here
   */
  mayHave(name: string): boolean {
    return this.#written.has(name) || this.get(name)?.marks !== undefined;
  }

  /**
   * Brings an object of the door to what it is to be.
   *
   * @param stored - as it is; undefined for a new one
   * @param desired - the whole object
   * @returns whether something else wrote at the same time
   * @throws IpamError `cluster/refused` where another object has the name of a new one
   */
  write(stored: T | undefined, desired: JsonMap): Promise<Written> {
    this.#written.add(textOf(metadataOf(desired)['name']));
    if (stored === undefined) return this.#create(desired);
    const patch = mergePatch(stored.object, desired);
    return patch === undefined ? Promise.resolve('written') : this.#patch(stored.object, patch);
  }

  /**
   * Deletes the objects of a namespace.
   *
   * @param namespace - name
   * @param names - of its objects; all by default
   * @returns whether something else wrote at the same time; none is success
   */
  release(namespace: string, names?: readonly string[]): Promise<Written> {
    return this.#forOwn(namespace, names, async (object) => {
      const { key, guard } = versionOf(object);
      const written = afterWrite(await this.#writer.delete(key, guard));
      if (written !== 'changed') this.#written.delete(key.name);
      return written;
    });
  }

  /**
   * Marks the objects of a namespace as left by their EgressIPAM.
   *
   * @param namespace - name
   * @returns whether something else wrote at the same time; none is success
   */
  orphan(namespace: string): Promise<Written> {
    return this.#forOwn(namespace, undefined, async (object) => {
      const patch = mergePatch(object, { ...object, metadata: orphanedMetadata(metadataOf(object)) });
      return patch === undefined ? 'written' : this.#patch(object, patch);
    });
  }

  async #create(desired: JsonMap): Promise<Written> {
    const name = textOf(metadataOf(desired)['name']);
    if (this.get(name) !== undefined) {
      const namespace = marksOf(desired)?.namespace ?? '';
      const message = `${this.#kind.kind} "${name}" was not made by the operator and has the name of that of namespace "${namespace}"; rename or delete it`;
      throw new IpamError('cluster/refused', message);
    }
    return afterWrite(await this.#writer.create(desired));
  }

  async #patch(object: JsonMap, patch: JsonMap): Promise<Written> {
    const { key, guard } = versionOf(object);
    return afterWrite(await this.#writer.patch(key, patch, guard));
  }

  // Read from the API server: the watch may not have told yet what was made a moment ago.
  async #forOwn(
    namespace: string,
    only: readonly string[] | undefined,
    write: (object: JsonMap) => Promise<Written>,
  ): Promise<Written> {
    let written: Written = 'written';
    for (const name of only ?? this.#namesAbout(namespace)) {
      const { object } = await this.#writer.read({ namespace: '', name });
      if (object === undefined || marksOf(object)?.namespace !== namespace) continue;
      if ((await write(object)) === 'changed') written = 'changed';
    }
    return written;
  }

  #namesAbout(namespace: string): ReadonlySet<string> {
    const about = this.all().filter(({ marks, onlyNamespace }) => (marks?.namespace ?? onlyNamespace) === namespace);
    return new Set([...this.#namesOf(namespace), ...about.map(({ name }) => name)]);
  }
}
