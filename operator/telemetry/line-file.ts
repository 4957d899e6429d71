import { writeSync } from 'node:fs';

/** Where lines go; a write throws when a line cannot be written. */
export interface LineSink {
  write(line: string): void;
}

/** Writes bytes to an open file and returns how many it took, as `writeSync` of Node does. */
type WriteBytes = (fd: number, bytes: Uint8Array) => number;

/** Tries for a line while a pipe is full, and the pause between two of them. */
const TRIES = 10;
const PAUSE_MS = 1;
const LINE_FEED = 0x0a;

/**
 * Writes lines to an open file synchronously, so that a crash loses none.
 *
 * @param fd - of the file, 1 for standard output
 * @param writeBytes - how bytes get there
 * @returns the sink; a line that was cut by a failure ends before the next one begins
 */
export function lineFile(fd: number, writeBytes: WriteBytes = writeSync): LineSink {
  let isCut = false;
  let wasFull = false;
  return {
    write: (line) => {
      const bytes = Buffer.from(isCut ? `\n${line}` : line);
      let written = 0;
      // a reader that stays away costs the pauses once, and not at every line
      let tries = wasFull ? 1 : TRIES;
      while (written < bytes.length) {
        try {
          written += writeBytes(fd, bytes.subarray(written));
        } catch (thrown) {
          isCut = written === 0 ? isCut : bytes[written - 1] !== LINE_FEED;
          wasFull = (thrown as NodeJS.ErrnoException).code === 'EAGAIN';
          if (!wasFull || --tries <= 0) throw thrown;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
        }
      }
      isCut = false;
      wasFull = false;
    },
  };
}
