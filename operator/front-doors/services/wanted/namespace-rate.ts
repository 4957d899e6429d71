import type { Refusal } from '../../../errors/outcome';

/** Requests of one namespace that ask again and again at the same time; the others wait for their turn. */
const ASKING = 4;

interface Crowd {
  asking: number;
  /** Why it is crowded, as the record said last. */
  because: Refusal;
  readonly waiting: (() => void)[];
}

/**
 * Lines up the requests of a namespace that has too many unbound reservations, first come first served. If each of them asked the
 * record again and again, that would keep the record from binding what they wait for. Keeps nothing of a namespace without a waiting request.
 */
export class Crowds {
  readonly #crowds = new Map<string, Crowd>();

  /**
   * Tells why a request that comes now has to line up.
   *
   * @param namespace - name of the namespace
   * @returns what the record said last; undefined where none waits
   */
  because(namespace: string): Refusal | undefined {
    return this.#crowds.get(namespace)?.because;
  }

  /**
   * Runs work when its turn comes.
   *
   * @param namespace - name of the namespace
   * @param because - why it is crowded
   * @param work - asks until it is answered or its time is over; tells what the record says meanwhile
   * @returns what the work returns
   */
  async turn<V>(namespace: string, because: Refusal, work: () => Promise<V>): Promise<V> {
    const crowd = this.#crowds.get(namespace) ?? { asking: 0, because, waiting: [] };
    crowd.because = because;
    this.#crowds.set(namespace, crowd);
    if (crowd.asking < ASKING) crowd.asking += 1;
    else {
      await new Promise<void>((resolve) => {
        crowd.waiting.push(resolve);
      });
    }
    try {
      return await work();
    } finally {
      const next = crowd.waiting.shift();
      if (next === undefined) crowd.asking -= 1;
      else next();
      if (crowd.asking === 0) this.#crowds.delete(namespace);
    }
  }
}
