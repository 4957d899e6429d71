import type { FastifyInstance } from 'fastify';

interface KnownPath {
  readonly parts: readonly string[];
  readonly methods: ReadonlySet<string>;
}

/** Paths of an instance with the methods that each takes, so that a wrong method is told from a wrong path. */
export class KnownPaths {
  readonly #paths = new Map<string, { readonly parts: readonly string[]; readonly methods: Set<string> }>();

  /**
   * Begins to note the routes of an instance, those of its scopes too.
   *
   * @param app - instance without routes so far
   */
  constructor(app: FastifyInstance) {
    app.addHook('onRoute', ({ url, method }) => {
      const known = this.#paths.get(url) ?? { parts: url.split('/'), methods: new Set<string>() };
      this.#paths.set(url, known);
      for (const each of [method].flat()) known.methods.add(each);
    });
  }

  /**
   * Finds the methods of a path.
   *
   * @param path - of a request, without the query; parameters of a route stand for any text without a slash
   * @returns the methods in the order of their registration; none for a path that does not exist
   */
  methodsOf(path: string): ReadonlySet<string> {
    const asked = path.split('/');
    const fitting = [...this.#paths.values()].filter((known) => fits(known, asked));
    return new Set(fitting.flatMap(({ methods }) => [...methods]));
  }
}

function fits({ parts }: KnownPath, asked: readonly string[]): boolean {
  if (parts.length !== asked.length) return false;
  return parts.every((part, at) => part.startsWith(':') || part === decoded(asked[at] ?? ''));
}

// As the router does; a path that cannot be decoded was answered before.
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
