import type { Refusal } from '../../../operator/errors/outcome';
import { allowedValues } from '../../../operator/settings/allowed-values';
import { OPTIONS, type OptionName } from '../../../operator/settings/options';
import { refused } from '../../props-kit/refused';
import { MAX_PORT } from '../../../operator/settings/parse-value';

/**
 * Checks a number that an option of the operator takes.
 *
 * @param field - path of the prop
 * @param name - of the option; one that does not exist is refused as a prop elsewhere
 * @param value - as given; a value that is known after synth only is judged by the renderer
 * @returns at most one problem
 */
export function numberProblems(field: string, name: string, value: unknown): readonly Refusal[] {
  const option = Object.hasOwn(OPTIONS, name) ? OPTIONS[name as OptionName] : undefined;
  if (option?.type !== 'number') return [];
  if (value === undefined || typeof value !== 'number') return [];
  if (Number.isInteger(value) && value >= option.min && value <= option.max) return [];
  return [refused(field, `${String(value)} is not allowed; give ${allowedValues(option)}`, { value: String(value) })];
}

/**
 * Checks the number of a port.
 *
 * @param field - path of the prop
 * @param port - as given
 * @returns at most one problem
 */
export function portProblems(field: string, port: number | undefined): readonly Refusal[] {
  if (port === undefined || (Number.isInteger(port) && port >= 1 && port <= MAX_PORT)) return [];
  return [refused(field, `${String(port)} is not a port; give 1 to ${String(MAX_PORT)}`, { value: String(port) })];
}
