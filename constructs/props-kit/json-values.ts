import type { Fault, Rule } from './rule';
import { isLate, isPlain, notAllowed } from './values';

const ALLOWED = 'what JSON can hold (a map, a list, a text, a number, true, false or null)';

function inList(list: readonly unknown[], at: string, above: readonly unknown[]): readonly Fault[] {
  return list.flatMap((item, i) => jsonFaults(item, `${at}[${String(i)}]`, above));
}

function inMap(map: object, at: string, above: readonly unknown[]): readonly Fault[] {
  // values of cdk8s-plus have fields that it knows to write; a Map, a Set or a Date would be lost
  if (!isPlain(map) && Object.keys(map).length === 0) return [notAllowed(at, map, ALLOWED)];
  return Object.entries(map).flatMap(([key, value]) => jsonFaults(value, `${at}.${key}`, above));
}

// undefined is what an optional field has in TypeScript
function jsonFaults(value: unknown, at: string, above: readonly unknown[]): readonly Fault[] {
  if (value === undefined || value === null || isLate(value)) return [];
  if (typeof value !== 'object') {
    const fits = ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
    return fits ? [] : [notAllowed(at, value, ALLOWED)];
  }
  if (above.includes(value))
    return [{ field: at, message: `${at}: holds itself, so it has no end; allowed is ${ALLOWED}` }];
  return Array.isArray(value) ? inList(value, at, [...above, value]) : inMap(value, at, [...above, value]);
}

/**
 * Demands of values that another check looks into that they can be written at all.
 *
 * @param rule - what else is demanded
 * @returns the rule
 */
export function jsonOf<T>(rule: Rule<T>): Rule<T> {
  return {
    ...rule,
    judge: (value, at) => {
      const judged = rule.judge(value, at);
      if (judged.malformed) return judged;
      const faults = jsonFaults(value, at, []);
      return faults.length === 0 ? judged : { valid: undefined, faults, malformed: true };
    },
  };
}
