/** One event of a stream, see the HTML standard, section 9.2 "Server-sent events". */
export interface StreamEvent {
  /** `message` where the stream names no type. */
  readonly type: string;
  readonly data: string;
  /** Its own id; empty where it has none, though browsers would show that of the event before, which would pass it for done. */
  readonly id: string;
}

/** Longest event in characters; a longer one is left out and counted. */
const MAX_EVENT = 1_048_576;

/** Reads a stream of server-sent events, whatever the borders of its chunks. One parser for one connection. */
export class StreamParser {
  // drops a byte order mark and keeps the bytes of a character that is not complete
  readonly #decoder = new TextDecoder('utf-8');
  #line = '';
  #data: string[] = [];
  #size = 0;
  #type = '';
  #id = '';
  #afterReturn = false;
  #overflowed = false;
  #tooLong = 0;
  #retryMs: number | undefined;

  /**
   * Tells the pause that the server asked for.
   *
   * @returns milliseconds, or undefined
   */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /**
   * Counts the events that were left out since they were too long.
   *
   * @returns their number
   */
  get tooLong(): number {
    return this.#tooLong;
  }

  /**
   * Reads on.
   *
   * @param chunk - the next bytes
   * @returns the events that are complete now; one that the stream breaks off is never returned
   */
  push(chunk: Uint8Array): readonly StreamEvent[] {
    const events: StreamEvent[] = [];
    let text = this.#decoder.decode(chunk, { stream: true });
    if (text === '') return events;
    // the border lay between the two characters of one line end
    if (this.#afterReturn && text.startsWith('\n')) text = text.slice(1);
    this.#afterReturn = text.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/u);
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      const event = this.#endLine(this.#line + line);
      this.#line = '';
      if (event !== undefined) events.push(event);
    }
    this.#hold(rest);
    return events;
  }

  // What is too long is forgotten at once; the colon makes a comment of the rest of its line.
  #hold(text: string): void {
    const length = this.#size + this.#line.length + text.length;
    if (length > MAX_EVENT) this.#overflow();
    this.#line = length > MAX_EVENT ? ':' : this.#line + text;
  }

  #overflow(): void {
    this.#size = MAX_EVENT;
    this.#data = [];
    this.#overflowed = true;
  }

  #endLine(line: string): StreamEvent | undefined {
    if (line === '') return this.#dispatch();
    this.#size += line.length;
    if (this.#size > MAX_EVENT) this.#overflow();
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /u, '');
    this.#field(name, value);
    return undefined;
  }

  #field(name: string, value: string): void {
    if (name === 'data' && !this.#overflowed) this.#data.push(value);
    else if (name === 'event') this.#type = value;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^\d{1,9}$/u.test(value)) this.#retryMs = Number(value);
  }

  #dispatch(): StreamEvent | undefined {
    const event = { type: this.#type === '' ? 'message' : this.#type, data: this.#data.join('\n'), id: this.#id };
    if (this.#overflowed) this.#tooLong++;
    const none = this.#overflowed || this.#data.length === 0;
    this.#data = [];
    this.#type = '';
    this.#id = '';
    this.#size = 0;
    this.#overflowed = false;
    return none ? undefined : event;
  }
}
