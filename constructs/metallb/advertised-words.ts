import { quoteValue } from '../../operator/contract/quote';
import { OBJECT_NAME } from '../../operator/contract/object-name';

const INTERFACE = /^[^\s/:]{1,15}$/u;
const ALIAS = /^[A-Za-z](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/u;
const NUMBER = /^(?:0|[1-9][0-9]{0,9})$/u;
const MAX_16_BITS = 65_535;
const MAX_32_BITS = 4_294_967_295;

const numbersUpTo = (texts: readonly string[], max: number): boolean =>
  texts.every((text) => NUMBER.test(text) && Number(text) <= max);

/**
 * Checks a BGP community as MetalLB reads it; with three parts or a wrong number it refuses its whole configuration.
 *
 * @param text - as written
 * @returns what is wrong with it, undefined when nothing is
 */
export function communityProblem(text: string): string | undefined {
  const parts = text.split(':');
  const [first = '', ...rest] = parts;
  const good =
    (parts.length === 1 && ALIAS.test(text)) ||
    (parts.length === 2 && numbersUpTo(parts, MAX_16_BITS)) ||
    (parts.length === 4 && first === 'large' && numbersUpTo(rest, MAX_32_BITS));
  if (good) return undefined;
  const forms = `"65000:100" (0 to ${MAX_16_BITS} each), "large:65000:1:2" (0 to ${MAX_32_BITS} each)`;
  return `${quoteValue(text)} is not a BGP community; allowed is ${forms} or the alias of a Community object`;
}

/**
 * Checks the name of a network interface by the rules of Linux.
 *
 * @param text - as written
 * @returns what is wrong with it, undefined when nothing is
 */
export function interfaceProblem(text: string): string | undefined {
  if (INTERFACE.test(text) && text !== '.' && text !== '..') return undefined;
  return `${quoteValue(text)} is not the name of an interface; allowed are 1 to 15 characters without blanks, "/" and ":"`;
}

/**
 * Checks the name of a Kubernetes object.
 *
 * @param text - as written
 * @returns what is wrong with it, undefined when nothing is
 */
export function objectNameProblem(text: string): string | undefined {
  if (OBJECT_NAME.test(text)) return undefined;
  return `${quoteValue(text)} is not the name of an object; allowed is a DNS name (a-z, 0-9, - and ., at most 253)`;
}
