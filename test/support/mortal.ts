/** Ends a process at its nth call of what is wrapped, so between any two of them: nothing of it goes on after that. */
export class Mortal {
  #left: number;

  constructor(after: number) {
    this.#left = after;
  }

  wrap<T extends object>(object: T): T {
    return new Proxy(object, {
      get: (target, verb) => {
        const member: unknown = Reflect.get(target, verb);
        if (typeof member !== 'function') return member;
        return (...values: unknown[]): unknown => {
          if (this.#left-- <= 0) return new Promise(() => undefined); // dead
          return (member as (...all: unknown[]) => unknown).apply(target, values);
        };
      },
    });
  }

  get dead(): boolean {
    return this.#left < 0;
  }
}
