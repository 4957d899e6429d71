import { InvalidArgumentError } from 'commander';
import { parseHostPrefix } from '../../addressing/prefix';

/**
 * Reads an address of the command line.
 *
 * @param text - as it was given; a host length behind it counts for nothing
 * @returns the address in the form of RFC 5952
 * @throws InvalidArgumentError, which the parser turns into a message
 */
export function addressArgument(text: string): string {
  const parsed = parseHostPrefix(text);
  if (!parsed.ok) throw new InvalidArgumentError(`Give one address, for example 10.0.0.5: ${parsed.refusal.message}.`);
  return parsed.value.toString();
}
