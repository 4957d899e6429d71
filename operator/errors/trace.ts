import { isIpamError } from './ipam-error';

/**
 * Tells of a fault in the fields of a log line: its code, and for one that has none where it was thrown.
 *
 * @param thrown - whatever was caught
 * @returns code and trace; never its message, which could quote an object or a secret
 */
export function faultFields(thrown: unknown): { readonly code: string; readonly trace: string | undefined } {
  return isIpamError(thrown) ? { code: thrown.code, trace: undefined } : { code: 'internal', trace: traceOf(thrown) };
}

/**
 * Where an error was thrown, for logs.
 *
 * @param thrown - whatever was caught
 * @returns the frames of its stack, innermost first; never its message, which could quote an object or a secret
 */
export function traceOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return '';
  const { stack = '', message } = thrown;
  // The message stands before the frames and may have lines of its own that look like one.
  const start = message === '' ? -1 : stack.indexOf(message);
  const frames = (start < 0 ? stack : stack.slice(start + message.length)).split('\n');
  return frames
    .map((line) => line.trim())
    .filter((line) => /^at .*:\d+:\d+\)?$/u.test(line))
    .join(' < ');
}
