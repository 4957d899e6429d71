/** One thing of a front door that has to be looked at. */
export interface DoorFinding {
  /** `bad`: it has to be mended; `watch`: may become bad, or is meant so. */
  readonly verdict: 'watch' | 'bad';
  readonly check: string;
  readonly finding: string;
}

/** Answer of the page of findings of a front door. */
export interface DoorFindings {
  /** Name of the check where there is no finding. */
  readonly check: string;
  /** Sentence where there is no finding. */
  readonly well: string;
  /** Beginning of the names of those metrics that count what the findings name. */
  readonly counted: string;
  readonly findings: readonly DoorFinding[];
}

/** One Event that names an address. */
export interface DoorEvent {
  /** RFC 3339; when it was seen last. */
  readonly time: string;
  readonly reason: string;
  /** Kind, namespace and name of the object, for example `Service shop/web`. */
  readonly object: string;
  readonly message: string;
}

/** Most findings of one kind that are named; the last one counts the rest. */
const MOST_NAMED = 50;

/**
 * Shortens the findings of one kind.
 *
 * @param all - of the kind
 * @returns the first 50, and behind them one that counts the others
 */
export function firstFindings(all: readonly DoorFinding[]): readonly DoorFinding[] {
  const [last] = all.slice(MOST_NAMED);
  if (last === undefined) return all;
  const finding = `and ${String(all.length - MOST_NAMED)} more`;
  return [...all.slice(0, MOST_NAMED), { ...last, finding }];
}
