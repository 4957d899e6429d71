import { allowedValues, defaultText } from '../../operator/settings/allowed-values';
import type { Option } from '../../operator/settings/option';
import { OPTIONS } from '../../operator/settings/options';

const HEADER = ['flag', 'environment', 'takes', 'default', 'meaning'];

/**
 * Writes the table of options for the reference.
 *
 * @returns a Markdown table, one row for each option in the order of their declaration
 */
export function optionsTable(): string {
  const rows = Object.values(OPTIONS).map((option: Option) => [
    code(option.flag),
    code(option.env),
    allowedValues(option),
    code(defaultText(option)),
    option.help,
  ]);
  return [HEADER, HEADER.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');
}

function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}

// A bar would end the cell.
function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
