import type { Refusal } from '../../../operator/errors/outcome';
import { numberProblems } from '../process/number-problems';
import { optionTexts, type OptionTexts } from '../process/option-texts';
import type { OperatorSettingsProps } from './settings-props';

/**
 * Writes times and limits as options, after which the props are named.
 *
 * @param settings - as given to the operator
 * @returns those that are given
 */
export const settingsOptions = (settings: OperatorSettingsProps = {}): OptionTexts => optionTexts({ ...settings });

/**
 * Checks times and limits.
 *
 * @param settings - as given to the operator
 * @returns one problem for each that is out of its range
 */
export function settingsProblems(settings: OperatorSettingsProps = {}): readonly Refusal[] {
  return Object.entries(settings).flatMap(([name, value]) => numberProblems(`settings.${name}`, name, value));
}
