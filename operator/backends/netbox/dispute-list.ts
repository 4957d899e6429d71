import type { Refusal } from '../../errors/outcome';
import type { DisputedPlace, DisputeNotes, Disputes } from '../../ports/disputes';

/** Disputes as this process knows them; the leader finds them out again after a restart. */
export class DisputeList implements Disputes, DisputeNotes {
  readonly #byPlace = new Map<string, { readonly place: DisputedPlace; readonly refusal: Refusal }>();
  readonly #listeners = new Set<(place: DisputedPlace) => void>();
  #known = false;

  /** @inheritdoc */
  over(place: DisputedPlace): Refusal | undefined {
    return this.#byPlace.get(keyOf(place))?.refusal;
  }

  /** @inheritdoc */
  known(): boolean {
    return this.#known;
  }

  /** @inheritdoc */
  onChange(listener: (place: DisputedPlace) => void): () => void {
    const own = (place: DisputedPlace): void => {
      listener(place);
    };
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /** @inheritdoc */
  found({ network, address }: DisputedPlace, refusal: Refusal): void {
    const place = { network, address };
    if (this.over(place)?.message === refusal.message) return;
    this.#byPlace.set(keyOf(place), { place, refusal });
    this.#tell(place);
  }

  /** @inheritdoc */
  ended({ network, address }: DisputedPlace): void {
    const place = { network, address };
    if (this.#byPlace.delete(keyOf(place))) this.#tell(place);
  }

  /** @inheritdoc */
  places(): readonly DisputedPlace[] {
    return [...this.#byPlace.values()].map(({ place }) => place);
  }

  /** @inheritdoc */
  settle(known: boolean): void {
    this.#known = known;
  }

  #tell(place: DisputedPlace): void {
    for (const listener of [...this.#listeners]) listener(place);
  }
}

function keyOf({ network, address }: DisputedPlace): string {
  return `${network} ${address.toString()}`;
}
