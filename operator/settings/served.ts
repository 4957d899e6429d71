import type { Refusal } from '../errors/outcome';
import type { Settings } from './options';

/** Settings that choose parts of the product. */
type Choices = Pick<Settings, 'store' | 'services'>;

type Unserved = {
  readonly [Name in keyof Choices]: {
    readonly option: Name;
    readonly value: Choices[Name];
    /** What to do, as the message ends. */
    readonly instead: string;
  };
}[keyof Choices];

/** Names of these settings as their author knows them: flags at start, props at synth, values of the Helm chart. */
export type ServedFields = Readonly<Record<keyof Choices, string>>;

/**
 * What is valid, but comes with a later release. The start, synth and the Helm chart all read this list, so a release that
 * brings a part takes its line out and has nothing else to change.
 */
export const UNSERVED = [
  { option: 'services', value: false, instead: 'leave it out, since this release has no other front door' },
] as const satisfies readonly Unserved[];

/** A store that this release can open. */
export type ServedStore = Exclude<
  Settings['store'],
  Extract<(typeof UNSERVED)[number], { readonly option: 'store' }>['value']
>;

/**
 * Says that a part is not there yet.
 *
 * @param unserved - the part
 * @param field - its setting, as the author of the settings knows it
 * @returns one sentence
 */
export function unservedMessage({ value, instead }: Pick<Unserved, 'value' | 'instead'>, field: string): string {
  return `${field}: ${JSON.stringify(value)} is not served by this release; ${instead}`;
}

/**
 * Finds valid settings that ask for what a later release brings.
 *
 * @param settings - without a mistake
 * @param fields - names for the messages
 * @returns one refusal for each, `settings/invalid`
 */
export function unservedProblems(settings: Choices, fields: ServedFields): readonly Refusal[] {
  return UNSERVED.filter(({ option, value }) => settings[option] === value).map((unserved) => {
    const field = fields[unserved.option];
    return {
      code: 'settings/invalid',
      field,
      value: String(unserved.value),
      message: unservedMessage(unserved, field),
    };
  });
}
