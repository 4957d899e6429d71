/** Short texts that are kept beside the claims, each under a name. */
export interface Notes {
  /** Keeps a text under a name, where one is given, and reads what is kept; empty where nothing ever was. */
  note(note: { readonly name: string; readonly text?: string }): Promise<string>;
}
