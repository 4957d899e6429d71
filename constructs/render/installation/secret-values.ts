import type { SecretKeyReference } from '../../props-kit/secret-key';
import { part, type ChartValue } from '../helm/chart-value';
import type { ValueReader } from '../helm/value-reader';
import type { InstallationProps } from './installation';

/**
 * Calls for the name of a Secret and its key, each a value of its own.
 *
 * @param path - below `.Values`, without `Secret` and `Key`
 * @param comment - for the name
 * @param usual - defaults
 * @returns both values, which another one reads
 */
export function secretValues(
  path: string,
  comment: string,
  usual: { readonly name: string; readonly key: string },
): readonly ChartValue<InstallationProps>[] {
  return [
    part<InstallationProps>(`${path}Secret`, { comment, initial: usual.name }),
    part<InstallationProps>(`${path}Key`, { comment: 'Key of this Secret.', initial: usual.key }),
  ];
}

/**
 * Reads what {@link secretValues} call for.
 *
 * @param read - real or late-bound
 * @param path - as given there
 * @returns name and key, as the props of the operator take them
 */
export function secretReference(read: ValueReader, path: string): SecretKeyReference {
  return { name: read.text(`${path}Secret`), key: read.text(`${path}Key`) };
}

/** One shape of something of which each part is there or not, whatever the others are. */
interface ShapeOfParts {
  readonly condition: string;
  readonly families: readonly string[];
  readonly props: InstallationProps;
}

/**
 * Spells out the shapes of something with optional parts; each excludes the others.
 *
 * @param on - template expression that is true where it is there at all
 * @param parts - template expression for each part
 * @param props - the props for the parts that are there; undefined for parts that the schema of the values keeps from being there together
 * @returns one shape for each choice, the fullest first, which says in which order the parts stand
 */
export function shapesOfParts(
  on: string,
  parts: Readonly<Record<string, string>>,
  props: (present: Readonly<Record<string, boolean>>) => InstallationProps | undefined,
): readonly ShapeOfParts[] {
  const choices = Object.keys(parts).reduce<readonly Readonly<Record<string, boolean>>[]>(
    (all, part) => all.flatMap((each) => [true, false].map((there) => ({ ...each, [part]: there }))),
    [{}],
  );
  return choices.flatMap((present) => {
    const given = props(present);
    if (given === undefined) return [];
    const conditions = Object.entries(parts).map(([part, is]) => {
      const expression = is.includes(' ') ? `(${is})` : is;
      return present[part] === true ? expression : `(not ${expression})`;
    });
    return {
      condition: conditions.length === 0 ? on : `and ${on} ${conditions.join(' ')}`,
      families: [on, ...conditions.map((each) => `and ${on} ${each}`)],
      props: given,
    };
  });
}
