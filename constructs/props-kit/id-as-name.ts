import type { ErrorCode } from '../../operator/errors/catalogue';
import type { Refusal } from '../../operator/errors/outcome';
import type { Fault, Judge } from './rule';

/** Props of a construct that has a name. */
interface NamedRead {
  readonly valid: { readonly name?: string };
  readonly problems: readonly Fault[];
}

/**
 * Checks the id of a construct where it stands in for the prop `name`. An id may be any text.
 *
 * @param read - the props as they were read
 * @param id - name of the object without that prop
 * @param rule - for the name, and the code of the construct
 * @returns what is wrong with the id; empty where the prop is given, right or wrong
 */
export function idProblems(
  { valid, problems }: NamedRead,
  id: string,
  rule: { readonly judge: Judge; readonly code: ErrorCode },
): readonly Refusal[] {
  if (valid.name !== undefined || problems.some(({ field }) => field === 'name')) return [];
  return rule.judge.judge(id, 'name').faults.map(({ message, ...fault }) => ({
    ...fault,
    code: rule.code,
    message: `${message}. It is the id of the construct; give the prop name`,
  }));
}
