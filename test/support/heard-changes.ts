import type { ServiceChange, ServiceFeed } from '../../operator/ports/service-feed';

/** A listener that keeps what it was told. */
export class Heard {
  readonly changes: ServiceChange[] = [];
  readonly leave: () => void;
  #waiting: (() => void)[] = [];

  constructor(feed: Pick<ServiceFeed, 'onChange'>) {
    this.leave = feed.onChange((change) => {
      this.changes.push(change);
      for (const tell of this.#waiting.splice(0)) tell();
    });
  }

  /** Each change as a sign and a name: `+` new, `~` changed, `-` gone. */
  get names(): readonly string[] {
    return this.changes.map(({ key, before, after }) => {
      const sign = before === undefined ? '+' : after === undefined ? '-' : '~';
      return sign + key.name;
    });
  }

  /** Waits until that many changes were told. */
  async count(least: number): Promise<void> {
    while (this.changes.length < least) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
