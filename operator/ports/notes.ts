/** Short texts that are kept beside the claims, each under a name. */
export interface Notes {
  /**
   * Keeps a text under a name, where one is given, and reads what is kept; empty where nothing ever was. With `expected` the text is
   * kept only in place of that one, compared and written in one step: of two callers that expect the same, one has its text kept.
   */
  note(note: { readonly name: string; readonly text?: string; readonly expected?: string }): Promise<string>;
}
