import { settled } from './settled';

/** Work that a test ends when it wants to. */
export class OpenWorks {
  readonly begun: string[] = [];
  readonly #open = new Map<string, { readonly resolve: () => void; readonly reject: (reason: unknown) => void }>();

  readonly handle = (key: string): Promise<void> => {
    this.begun.push(key);
    if (this.#open.has(key)) throw new TypeError(`"${key}" is worked on twice at a time`);
    return new Promise((resolve, reject) => this.#open.set(key, { resolve, reject }));
  };

  get running(): readonly string[] {
    return [...this.#open.keys()];
  }

  async end(key: string, failure?: unknown): Promise<void> {
    const work = this.#open.get(key);
    this.#open.delete(key);
    if (failure === undefined) work?.resolve();
    else work?.reject(failure);
    await settled();
  }
}
