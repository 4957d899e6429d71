import type { ListOption, Option } from './option';

const LISTEN_FORMS = { true: 'host:port, :port, or 0 for off', false: 'host:port or :port' } as const;

const listForm = ({ choices = [] }: ListOption): string => {
  const words = [...choices.slice(0, -2), choices.slice(-2).join(' and ')].join(', ');
  return `${words === '' ? 'words' : words}, separated by commas, each at most once`;
};

/**
 * Says which values an option takes, in the words of messages, `--help` and the reference of options.
 *
 * @param option - declaration of the option
 * @returns a phrase that follows "give", for example `whole seconds from 1 to 29`
 */
export function allowedValues(option: Option): string {
  switch (option.type) {
    case 'switch':
      return 'true or false';
    case 'number':
      return `whole ${option.unit} from ${option.min} to ${option.max}`;
    case 'choice':
      return option.choices.join(' or ');
    case 'list':
      return listForm(option);
    case 'listen':
      return LISTEN_FORMS[`${option.optional}`];
    case 'text':
      return 'a text on one line';
    case 'file':
    case 'folder':
      return `the path of a ${option.type}`;
  }
}

/**
 * Writes the default of an option as a user would write it.
 *
 * @param option - declaration of the option
 * @returns the text; empty where nothing is set by default
 */
export function defaultText(option: Option): string {
  return typeof option.default === 'object' ? option.default.join(',') : String(option.default);
}
