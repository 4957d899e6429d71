import { allowedValues, defaultText } from './allowed-values';
import type { Option } from './option';
import { OPTIONS } from './options';

/**
 * Writes the answer to `--help`.
 *
 * @returns one paragraph for each option, in the order of their declaration
 */
export function helpText(): string {
  const paragraphs = Object.values(OPTIONS).map((option: Option) => {
    const standard = defaultText(option);
    const value = option.type === 'switch' ? '' : '=…';
    return [
      `  ${option.flag}${value}  (${option.env})`,
      `      ${option.help}.`,
      `      Takes ${allowedValues(option)}${standard === '' ? '' : `; default ${standard}`}.`,
    ].join('\n');
  });
  return ['Usage: ipam-operator [options]', '', ...paragraphs, ''].join('\n');
}
