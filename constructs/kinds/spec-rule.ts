import { Lazy } from 'cdk8s';

import { ANY_MAP } from '../props-kit/containers';
import { jsonOf } from '../props-kit/json-values';
import type { Fault, Judged, Rule } from '../props-kit/rule';
import { lazyJudged } from '../props-kit/values';

const PLAIN = jsonOf(ANY_MAP);

// The schema reads all of it at synth.
function lazyFaults(value: unknown, at: string): readonly Fault[] {
  if (value instanceof Lazy) return lazyJudged(at).faults;
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    lazyFaults(inner, Array.isArray(value) ? `${at}[${key}]` : `${at}.${key}`),
  );
}

function judgeSpec(value: unknown, at: string): Judged {
  if (value instanceof Lazy) return lazyJudged(at);
  const judged = PLAIN.judge(value, at);
  if (judged.malformed) return judged;
  const faults = lazyFaults(value, at);
  return faults.length === 0 ? judged : { valid: undefined, faults, malformed: true };
}

/**
 * Takes any map for the spec of an object, whose kind has a schema that judges it.
 *
 * @returns the rule
 */
export function specOf<T>(): Rule<T> {
  return { allowed: PLAIN.allowed, judge: judgeSpec };
}
