import type { DataplaneChoice, EgressDataplane, EgressDataplanes } from '../../../ports/egress-dataplane';
import { AttachingDataplane, type AttachingParts } from './attaching-dataplane';

/** The dataplanes of a cluster whose nodes are machines of a cloud. */
export class AttachingDataplanes implements EgressDataplanes {
  readonly #inner: EgressDataplanes;
  readonly #parts: AttachingParts;
  readonly #attaching = new WeakMap<EgressDataplane, AttachingDataplane>();

  /**
   * Opens nothing.
   *
   * @param inner - those that write objects of the cluster
   * @param parts - cloud, and what is asked of it
   */
  constructor(inner: EgressDataplanes, parts: AttachingParts) {
    this.#inner = inner;
    this.#parts = parts;
  }

  /** @inheritdoc */
  choose(asked: string): DataplaneChoice {
    const choice = this.#inner.choose(asked);
    return choice.kind === 'driver' ? { kind: 'driver', dataplane: this.#of(choice.dataplane) } : choice;
  }

  /** @inheritdoc */
  open(): readonly EgressDataplane[] {
    return this.#inner.open().map((dataplane) => this.#of(dataplane));
  }

  /** @inheritdoc */
  find(name: string): ReturnType<EgressDataplanes['find']> {
    const found = this.#inner.find(name);
    return typeof found === 'string' ? found : this.#of(found);
  }

  /** @inheritdoc */
  whenKnown(): Promise<void> {
    return this.#inner.whenKnown();
  }

  /** @inheritdoc */
  onChange(listener: () => void): () => void {
    return this.#inner.onChange(listener);
  }

  #of(dataplane: EgressDataplane): AttachingDataplane {
    const known = this.#attaching.get(dataplane);
    if (known !== undefined) return known;
    const made = new AttachingDataplane(dataplane, this.#parts);
    this.#attaching.set(dataplane, made);
    return made;
  }
}
