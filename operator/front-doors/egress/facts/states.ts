import type { EgressProblem } from '../../../rules/egress/types';

/** How a namespace is served, as it was decided last. */
export interface NamespaceState {
  /** EgressIPAM that it opts in to. */
  readonly egressIpam: string;
  /** Absent where it has what it asks for. */
  readonly problem?: EgressProblem;
  /** True where record or cluster failed, so that the work is tried again. */
  readonly hasFailed?: boolean;
}

/** The namespaces of one EgressIPAM. */
export interface ServedNamespaces {
  readonly assigned: number;
  readonly pending: number;
  readonly invalid: number;
  /** Those that wait, or whose list is wrong, by name. */
  readonly unserved: readonly { readonly namespace: string; readonly problem: EgressProblem }[];
  /** Those of which the work failed and is tried again. */
  readonly failed: number;
}

/** How every namespace that opted in is served, in the term in which this process leads. */
export class NamespaceStates {
  readonly #states = new Map<string, NamespaceState>();

  /**
   * Finds the state of a namespace.
   *
   * @param name - as the API server has it
   * @returns undefined while it was not looked at
   */
  get(name: string): NamespaceState | undefined {
    return this.#states.get(name);
  }

  /**
   * Sets the state of a namespace.
   *
   * @param name - as the API server has it
   * @param state - undefined for one that is gone or opted out
   */
  set(name: string, state: NamespaceState | undefined): void {
    if (state === undefined) this.#states.delete(name);
    else this.#states.set(name, state);
  }

  /**
   * Counts the namespaces of an EgressIPAM.
   *
   * @param egressIpam - its name
   * @returns numbers, and those that are not served
   */
  of(egressIpam: string): ServedNamespaces {
    const all = [...this.#states].filter(([, state]) => state.egressIpam === egressIpam);
    const failed = all.filter(([, { hasFailed = false }]) => hasFailed).length;
    const unserved = all
      .flatMap(([namespace, { problem }]) => (problem === undefined ? [] : [{ namespace, problem }]))
      .sort((a, b) => (a.namespace < b.namespace ? -1 : 1));
    const invalid = unserved.filter(({ problem }) => problem.state === 'invalid').length;
    const pending = unserved.length - invalid + failed;
    return { assigned: all.length - invalid - pending, pending, invalid, unserved, failed };
  }

  /** Forgets all: another process leads. */
  clear(): void {
    this.#states.clear();
  }
}
