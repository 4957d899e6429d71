/** Lines that wait for Splunk: bounded, the oldest go first. Belongs to one sender; holds nothing after `take` of the last. */
export class SplunkQueue {
  readonly #maxBytes: number;
  readonly #lines: string[] = [];
  /** Lines before this one are gone; they are cut off in one go, so that taking one costs O(1). */
  #first = 0;
  #bytes = 0;

  /**
   * Makes an empty queue.
   *
   * @param maxBytes - most bytes that wait
   */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Counts what waits.
   *
   * @returns number of lines
   */
  get length(): number {
    return this.#lines.length - this.#first;
  }

  /**
   * Adds a line.
   *
   * @param line - text of at most as many bytes as the queue takes
   * @returns number of older lines that had to go for it
   */
  push(line: string): number {
    this.#lines.push(line);
    this.#bytes += Buffer.byteLength(line);
    let dropped = 0;
    while (this.#bytes > this.#maxBytes && this.length > 1) {
      this.#shift();
      dropped++;
    }
    return dropped;
  }

  /**
   * Takes the oldest lines.
   *
   * @param maxBytes - most bytes; a longer first line comes alone
   * @returns the lines, oldest first
   */
  take(maxBytes: number): readonly string[] {
    const taken: string[] = [];
    let bytes = 0;
    while (this.length > 0) {
      const line = this.#lines[this.#first] ?? '';
      bytes += Buffer.byteLength(line);
      if (bytes > maxBytes && taken.length > 0) break;
      taken.push(this.#shift());
    }
    return taken;
  }

  #shift(): string {
    const line = this.#lines[this.#first++] ?? '';
    this.#bytes -= Buffer.byteLength(line);
    if (this.#first > 1_024 && this.#first * 2 > this.#lines.length) {
      this.#lines.splice(0, this.#first);
      this.#first = 0;
    }
    return line;
  }
}
