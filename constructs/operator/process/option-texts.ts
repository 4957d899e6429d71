import type { OptionName } from '../../../operator/settings/options';

/** Values of the operator's options, as texts. */
export type OptionTexts = Partial<Readonly<Record<OptionName, string>>>;

type Values<V> = Partial<Record<OptionName, V | undefined>>;

/**
 * Writes values of options as texts. Props that are named like their options need no line of their own.
 *
 * @param values - by the name of the option
 * @returns those that are given
 */
export function optionTexts(values: Values<string | number | boolean>): OptionTexts {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

/**
 * Writes values of options that take several texts.
 *
 * @param values - by the name of the option
 * @returns those that are not empty, with commas between the texts
 */
export function joinedOptions(values: Values<readonly string[]>): OptionTexts {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, all = []]) => (all.length === 0 ? [] : [[name, all.join(',')]])),
  );
}
