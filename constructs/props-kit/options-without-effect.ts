import type { Refusal } from '../../operator/errors/outcome';
import { lateBoundProblems } from './placeholder';
import { refused } from './refused';

/** A prop that counts only beside another one. */
export interface DependentProp {
  readonly field: string;
  readonly value: unknown;
  /** Value that is the same as to leave it out. */
  readonly usual?: unknown;
}

// What stands there as it would without a word is no wish; what is known after synth only is judged by the renderer.
function isWish({ field, value, usual }: DependentProp): boolean {
  if (value === undefined || lateBoundProblems(value, field).length > 0) return false;
  if (Array.isArray(value) && value.length === 0) return false;
  return JSON.stringify(value) !== JSON.stringify(usual);
}

/**
 * Refuses props that change nothing beside the others, whose author would wait for their effect in vain.
 *
 * @param why - because of which they have none, as the message goes on with it
 * @param all - the props that it is about
 * @returns one refusal for each that says something
 */
export const withoutEffect = (why: string, all: readonly DependentProp[]): readonly Refusal[] =>
  all.filter(isWish).map(({ field }) => refused(field, `has no effect ${why}; leave one of the two out`));
