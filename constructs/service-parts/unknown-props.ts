import { nearestWord } from '../../operator/contract/schema-problems';
import type { Refusal } from '../../operator/errors/outcome';

/**
 * Finds props that do not exist. TypeScript says so earlier, but plain JavaScript would drop a wish without a word (POOL-11).
 *
 * @param props - what somebody wrote
 * @param keys - the props that there are
 * @param at - path of the props, empty for those of the construct
 * @returns one refusal per unknown prop, with the one that was probably meant
 */
export function unknownProps(props: object, keys: readonly string[], at = ''): readonly Refusal[] {
  return Object.keys(props)
    .filter((key) => !keys.includes(key))
    .map((key) => {
      const field = at === '' ? key : `${at}.${key}`;
      const meant = nearestWord(key, keys);
      const hint = meant === undefined ? `the props are ${keys.join(', ')}` : `did you mean ${meant}?`;
      return {
        code: 'wish/malformed',
        field,
        message: `${field}: there is no such prop; ${hint}`,
        ...(meant === undefined ? {} : { suggestion: meant }),
      };
    });
}
