import type { Prefix } from '../../addressing/prefix';
import type { NetworksContext } from './context';
import { workOfKind } from './objects';
import { objectOwners } from './orphans';

/** Objects that are remembered. */
const MOST_GONE = 10_000;

/** Objects whose end was seen, so that a claim which is carried out later for one of them ends at once. */
export class GoneObjects {
  readonly #context: Pick<NetworksContext, 'parts' | 'waiting'>;
  readonly #uids = new Set<string>();

  /**
   * Starts without an object.
   *
   * @param context - record, and what is told to look
   */
  constructor(context: Pick<NetworksContext, 'parts' | 'waiting'>) {
    this.#context = context;
  }

  /**
   * Remembers an object.
   *
   * @param uid - of one that is not stored any more
   */
  add(uid: string): void {
    this.#uids.add(uid);
    const [oldest] = this.#uids.size > MOST_GONE ? this.#uids : [];
    if (oldest !== undefined) this.#uids.delete(oldest);
  }

  /**
   * Looks at an entry that came on record.
   *
   * @param network - on record
   * @param block - of the entry
   */
  look(network: string, block: Prefix): void {
    const { parts, waiting } = this.#context;
    const entry = parts.tables.look(network, (table) => table.at(block));
    for (const { kind, namespace, name, uid = '' } of entry === undefined ? [] : objectOwners(entry)) {
      const of = workOfKind(kind);
      if (of !== undefined && this.#uids.has(uid)) waiting.wake({ of, namespace, name, uid });
    }
  }
}
