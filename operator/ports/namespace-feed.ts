/** Labels of a namespace before and after a change. */
export interface RelabelledNamespace {
  readonly name: string;
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
}

/** Namespaces as the watch knows them, as far as selectors of zones look at them. */
export interface NamespaceFeed {
  /** Tells each change of the labels of a namespace that stays; returns the function that stops it. */
  onRelabelled(listener: (change: RelabelledNamespace) => void): () => void;
}
