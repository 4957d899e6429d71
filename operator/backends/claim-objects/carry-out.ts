import { mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import type { Outcome } from '../../errors/outcome';
import type { AddressRecord } from '../../ports/claims';
import type { ObjectWriter, StoredObject } from '../../ports/object-writer';
import type { ClaimCodec } from './claim-codec';
import type { ClaimIndex } from './claim-index';
import { versionOf } from '../../contract/resource-version';
import type { ClaimWrite } from './claim-write';
import type { ServerTime } from './server-time';

/** Parts of a {@link ClaimCarrier}. */
export interface CarrierParts {
  readonly codec: ClaimCodec;
  readonly index: ClaimIndex;
  readonly writer: ObjectWriter;
  readonly time: ServerTime;
}

/** How a decision ended: carried out, or undone since an object was not as it was decided on, or since the server refused it. */
export type CarriedOut = { readonly newest: number } & (
  | { readonly as: 'done'; readonly records: readonly (AddressRecord | undefined)[] }
  | { readonly as: 'overtaken' }
  | { readonly as: 'refused'; readonly outcome: Outcome<never> }
);

/** A write that is done; no object: it is deleted. */
interface Done {
  readonly write: ClaimWrite;
  readonly object: JsonMap | undefined;
}

type Tried =
  | { readonly as: 'done'; readonly object: JsonMap | undefined }
  | { readonly as: 'overtaken' }
  | { readonly as: 'refused'; readonly outcome: Outcome<never> };

/** A write to undo: its name, the object that was there before, and the one that it left. */
interface Undoing {
  readonly name: string;
  readonly before: ClaimWrite['before'];
  readonly object: JsonMap | undefined;
}

/** Times that a write is undone whose object others write at the same time. */
const UNDO_TRIES = 5;

/**
 * Carries decisions out: all writes of one, or none. Each object that is written carries the mark of its decision, so a decision that was
 * begun by another process, or of which an answer was lost, is carried out to the same end.
 */
export class ClaimCarrier {
  readonly #parts: CarrierParts;

  /**
   * Makes one over the claims.
   *
   * @param parts - codec, index and writer
   */
  constructor(parts: CarrierParts) {
    this.#parts = parts;
  }

  /**
   * Carries one decision out.
   *
   * @param id - its mark
   * @param writes - in their order
   * @param check - called before each write; throws when it is too late
   * @returns how it ended
   * @throws IpamError `cluster/unavailable` when that is not known
   */
  async carryOut(id: string, writes: readonly ClaimWrite[], check: () => void = () => undefined): Promise<CarriedOut> {
    const done: Done[] = [];
    for (const write of writes) {
      check();
      const tried = await this.#try(write, id);
      if (tried.as !== 'done') {
        const newest = await this.#undo(done, id);
        return { ...tried, newest };
      }
      done.push({ write, object: tried.object });
    }
    for (const each of done) this.#learn(each);
    return {
      as: 'done',
      records: done.map(({ object }) => (object === undefined ? undefined : this.#parts.codec.read(object))),
      newest: Math.max(0, ...done.map(({ object }) => (object === undefined ? 0 : versionOf(object)))),
    };
  }

  /**
   * Reads an object once more.
   *
   * @param name - of the object
   * @returns the object as it is stored
   */
  async refresh(name: string): Promise<JsonMap | undefined> {
    const { index, writer, time } = this.#parts;
    const known = index.at(name);
    const found = await writer.read({ namespace: '', name });
    time.see(found);
    const isAnew = found.object !== undefined && textOf(metadataOf(found.object)['uid']) !== known?.uid;
    if (known !== undefined && (found.object === undefined || isAnew)) index.drop({ name, uid: known.uid });
    if (found.object !== undefined) index.found(found.object);
    return found.object;
  }

  async #try(write: ClaimWrite, id: string): Promise<Tried> {
    const tried = await this.#write(write);
    if (tried.as !== 'overtaken') return tried;
    const current = await this.refresh(write.name);
    if (current !== undefined && this.#parts.codec.decisionOf(current) === id) return { as: 'done', object: current };
    if (current !== undefined || write.before !== undefined) return tried;
    // the name was free again by the time that it was looked at
    return this.#write(write);
  }

  async #write({ name, after, before }: ClaimWrite): Promise<Tried> {
    const { writer } = this.#parts;
    if (before === undefined) return this.#tried(await writer.create(after ?? {}));
    const { uid, resourceVersion } = before;
    if (after !== undefined) return this.#tried(await writer.replace(withVersion(after, { uid, resourceVersion })));
    const outcome = await writer.delete({ namespace: '', name, uid }, { resourceVersion });
    return outcome.ok ? { as: 'done', object: undefined } : this.#tried(outcome);
  }

  #tried(outcome: Outcome<StoredObject>): Tried {
    if (!outcome.ok) {
      const { code } = outcome.refusal;
      return code === 'cluster/refused' ? { as: 'refused', outcome } : { as: 'overtaken' };
    }
    this.#parts.time.see(outcome.value);
    return { as: 'done', object: outcome.value.object };
  }

  async #undo(done: readonly Done[], id: string): Promise<number> {
    let newest = 0;
    for (const { write, object } of [...done].reverse()) {
      const restored = await this.#undoOne(write, object, id);
      if (restored !== undefined) newest = Math.max(newest, versionOf(restored));
    }
    return newest;
  }

  // An object that carries the mark of another decision by now is left as it is; so is one whose writes the server refuses.
  async #undoOne({ name, before }: ClaimWrite, written: JsonMap | undefined, id: string): Promise<JsonMap | undefined> {
    let object = written;
    for (let left = UNDO_TRIES; left > 0; left -= 1) {
      const tried = await this.#back({ name, before, object });
      if (tried.as === 'done') return tried.object;
      const current = await this.refresh(name);
      if (tried.as === 'refused' || current === undefined) return undefined;
      if (this.#parts.codec.decisionOf(current) !== id) return undefined;
      object = current;
    }
    return undefined;
  }

  async #back({ name, before, object }: Undoing): Promise<Tried> {
    const { writer, index } = this.#parts;
    const uid = textOf(metadataOf(object)['uid']);
    const version = { uid, resourceVersion: textOf(metadataOf(object)['resourceVersion']) };
    if (before === undefined) {
      const outcome = await writer.delete({ namespace: '', name, uid }, version);
      if (!outcome.ok) return this.#tried(outcome);
      index.drop({ name, uid });
      return { as: 'done', object: undefined };
    }
    const content = contentOf(before.object);
    const tried = this.#tried(
      object === undefined ? await writer.create(content) : await writer.replace(withVersion(content, version)),
    );
    if (tried.as !== 'done' || tried.object === undefined) return tried;
    if (object === undefined) index.drop({ name, uid: before.uid });
    index.put(tried.object);
    return tried;
  }

  #learn({ write, object }: Done): void {
    const { index } = this.#parts;
    if (object !== undefined) index.put(object);
    else if (write.before !== undefined) index.drop({ name: write.name, uid: write.before.uid });
  }
}

/**
 * Takes out of a stored object what a write may name.
 *
 * @param object - as it is stored
 * @returns metadata that authors write, and the spec
 */
export function contentOf(object: JsonMap): JsonMap {
  const { name, labels, annotations, finalizers, ownerReferences } = metadataOf(object);
  return {
    apiVersion: object['apiVersion'],
    kind: object['kind'],
    metadata: { name, labels, annotations, finalizers, ownerReferences },
    spec: object['spec'],
  };
}

function withVersion(object: JsonMap, version: { readonly uid: string; readonly resourceVersion: string }): JsonMap {
  return { ...object, metadata: { ...mapOf(object['metadata']), ...version } };
}
