/** Request to read a note, or to write it. */
export interface NoteRequest {
  readonly name: string;
  /** Text to keep; absent: the note is read alone. */
  readonly text?: string;
  /** Text that the other one takes the place of; absent: whatever is kept. */
  readonly expected?: string;
}

/** Short texts that are kept beside the claims, each under a name. */
export interface Notes {
  /**
   * Keeps a text under a name, where one is given, and reads what is kept; empty where nothing ever was. With `expected` the text is
   * kept only in place of that one, compared and written in one step: of two callers that expect the same, one has its text kept.
   */
  note(note: NoteRequest): Promise<string>;
}
