/** A loop over a list of the release's values. */
export interface HelmLoop {
  /** Name of the element in the template, for example `$zone`, with that of its place before it: `$i, $zone`. */
  readonly variable: string;
  /** Expression of the list, for example `$.Values.zones`. */
  readonly over: string;
  /** The loop around this one. */
  readonly outer?: HelmLoop;
}

/** The expression for a late-bound value in a template. */
export interface HelmSource {
  /** Expression without braces, valid inside of loops too: it starts at `$`. */
  readonly expression: string;
  /** For a list: how its elements are walked through. */
  readonly each?: HelmLoop;
  /** The loop outside of the object, when the value is of one element only; the object is then repeated for each. */
  readonly within?: HelmLoop;
  /** Condition under which the place is there at all: the entry of a map, or the item of a list, that the value stands in. */
  readonly when?: string;
}
