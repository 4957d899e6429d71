import { IPAM } from '../../operator/contract/group';
import { quoteValue } from '../../operator/contract/quote';
import { annotationPath } from '../../operator/contract/service-annotations';
import type { Refusal } from '../../operator/errors/outcome';
import type { IpamServiceProps } from './ipam-service-props';

/** Typed props of which each becomes one annotation, with its key. */
const KEY_OF_PROP = {
  addresses: IPAM.addresses,
  ipFamily: IPAM.ipFamily,
  zone: IPAM.zone,
  secret: IPAM.secret,
  retentionPeriodDays: IPAM.retentionPeriodDays,
  denyExternalCleanup: IPAM.denyExternalCleanup,
  allowLocalSharedIp: IPAM.allowLocalSharedIp,
} as const satisfies Partial<Record<keyof IpamServiceProps, string>>;

type WishProp = keyof typeof KEY_OF_PROP;
const WISH_PROPS = Object.keys(KEY_OF_PROP) as WishProp[];

function textOfProp(props: IpamServiceProps, prop: WishProp): string | undefined {
  const value = props[prop];
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) return String(value); // what is late-bound is told by the checks
  return value.length === 0 ? undefined : value.join(',');
}

// One entry per prop that is set, all of them text.
function wishAnnotations(props: IpamServiceProps): Readonly<Record<string, string>> {
  const entries = WISH_PROPS.map((prop) => [KEY_OF_PROP[prop], textOfProp(props, prop)] as const);
  return Object.fromEntries(
    entries.filter((entry): entry is readonly [(typeof entry)[0], string] => entry[1] !== undefined),
  );
}

/**
 * Puts the typed wish and the further annotations together.
 *
 * @param props - of the Service
 * @returns what stands on the object; typed props win, the contradiction is reported by {@link annotationProblems}
 */
export function allAnnotations(props: IpamServiceProps): Readonly<Record<string, string>> {
  const further = given(props).map(([key, value]) => [key, String(value)]);
  return { ...(Object.fromEntries(further) as Record<string, string>), ...wishAnnotations(props) };
}

// Plain JavaScript may leave a value undefined, which would become a word.
function given({ annotations = {} }: IpamServiceProps): readonly (readonly [string, unknown])[] {
  return Object.entries(annotations).filter(([, value]) => (value as unknown) !== undefined);
}

function problemOf(key: string, value: unknown, typed: string | undefined): Refusal | undefined {
  const field = annotationPath(key);
  const text = String(value);
  if (typeof value === 'object') {
    return {
      code: 'wish/malformed',
      field,
      message: `${field}: an annotation is text, a number or a boolean, not a map or a list`,
    };
  }
  if (typed !== undefined && typed !== text) {
    const both = `the typed prop says ${quoteValue(typed)}, annotations say ${quoteValue(text)}`;
    return { code: 'wish/contradiction', field, value: text, message: `${field}: ${both}; give one of them` };
  }
  if (key === IPAM.reservation) {
    return {
      code: 'wish/contradiction',
      field,
      value: text,
      message: `${field} is written by the operator alone; leave it out`,
    };
  }
  return undefined;
}

/**
 * Checks further annotations against the typed wish; keys that do not exist are found where every wish is read.
 *
 * @param props - of the Service
 * @returns contradictions, result keys and values that are no text
 */
export function annotationProblems(props: IpamServiceProps): readonly Refusal[] {
  if (props.annotations === undefined) return [];
  const typed = wishAnnotations(props);
  return given(props).flatMap(([key, value]) => problemOf(key, value, typed[key]) ?? []);
}
