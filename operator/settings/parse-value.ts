import type { ListenAddress, ListenOption, ListOption, NumberOption, Option } from './option';

/** A value as `Settings` holds it. */
export type SettingValue = string | number | boolean | readonly string[] | ListenAddress | undefined;

/** A parsed value, or nothing where the text is not allowed. */
export type Parsed = { readonly value: SettingValue } | undefined;

/** Highest port of TCP and UDP. */
export const MAX_PORT = 65_535;
const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * Reads one text as the value of an option.
 *
 * @param option - declaration of the option
 * @param text - the text as the user wrote it
 * @returns the value, or undefined when the option does not allow the text
 */
export function parseValue(option: Option, text: string): Parsed {
  switch (option.type) {
    case 'switch':
      return parseSwitch(text);
    case 'number':
      return parseNumber(option, text);
    case 'choice':
      return option.choices.includes(text) ? { value: text } : undefined;
    case 'list':
      return parseList(option, text);
    case 'listen':
      return parseListen(option, text);
    case 'text':
    case 'file':
    case 'folder':
      return parseText(text);
  }
}

function parseSwitch(text: string): Parsed {
  return text === 'true' || text === 'false' ? { value: text === 'true' } : undefined;
}

function parseText(text: string): Parsed {
  return CONTROL_CHARACTER.test(text) ? undefined : { value: text };
}

function parseNumber(option: NumberOption, text: string): Parsed {
  if (!/^(0|[1-9]\d{0,8})$/.test(text)) return undefined;
  const value = Number(text);
  return value >= option.min && value <= option.max ? { value } : undefined;
}

function parseList(option: ListOption, text: string): Parsed {
  if (CONTROL_CHARACTER.test(text)) return undefined;
  const words = text === '' ? [] : text.split(',').map((word) => word.trim());
  if (words.includes('') || new Set(words).size !== words.length) return undefined;
  const { choices, default: usual } = option;
  if (choices === undefined) return { value: Object.freeze(words) };
  // a closed set of which something is always due has a default that is not empty
  if ((words.length === 0 && usual.length > 0) || !words.every((word) => choices.includes(word))) return undefined;
  return { value: Object.freeze(words) };
}

function parseListen(option: ListenOption, text: string): Parsed {
  if (text === '' || text === '0') return option.optional ? { value: undefined } : undefined;
  const found = /^(?:\[(?<v6>[0-9a-fA-F:.]+)\]|(?<host>[A-Za-z0-9.-]*)):(?<port>0|[1-9]\d{0,4})$/.exec(text);
  const groups = found?.groups;
  if (groups === undefined) return undefined;
  const port = Number(groups['port']);
  const host = groups['v6'] ?? groups['host'] ?? '';
  return port > MAX_PORT ? undefined : { value: Object.freeze({ host, port }) };
}
