import type { Refusal } from '../../../operator/errors/outcome';
import { withoutEffect } from '../../props-kit/options-without-effect';
import { DEFAULT_BREAK_GLASS_GROUP, type CrdsProps } from './crds-props';

/**
 * Finds props of the kinds that change nothing beside the others.
 *
 * @param crds - as given to the operator
 * @returns one refusal for each
 */
export function crdsWithoutEffect(crds: CrdsProps = {}): readonly Refusal[] {
  if (crds.install !== false) return [];
  return withoutEffect('while crds.install is false', [
    { field: 'crds.keep', value: crds.keep, usual: true },
    { field: 'crds.breakGlassGroup', value: crds.breakGlassGroup, usual: DEFAULT_BREAK_GLASS_GROUP },
  ]);
}
