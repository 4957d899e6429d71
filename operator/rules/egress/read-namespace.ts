import { parseAddress, type Address } from '../../addressing/address';
import { EGRESS_KEYS } from '../../contract/egress';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { optionalField } from '../../contract/optional-field';
import { quoteValue } from '../../contract/quote';
import type { EgressList, EgressNamespace } from './types';

/**
 * Reads a Namespace.
 *
 * @param object - as the API server has it
 * @returns what it asks for and lists
 */
export function readNamespace(object: JsonMap): EgressNamespace {
  const metadata = metadataOf(object);
  const annotations = mapOf(metadata['annotations']);
  return {
    name: textOf(metadata['name']),
    uid: textOf(metadata['uid']),
    createdAt: textOf(metadata['creationTimestamp']),
    labels: mapOf(metadata['labels']) as Readonly<Record<string, string>>,
    isDying: textOf(metadata['deletionTimestamp']) !== '',
    ...optionalField('egressIpam', optInOf(object)),
    list: readList(textOf(annotations[EGRESS_KEYS.addresses])),
    mayUseReserved: annotations[EGRESS_KEYS.allowReserved] === 'true',
  };
}

/**
 * Finds the EgressIPAM of a Namespace without reading the rest of it.
 *
 * @param object - as the API server has it
 * @returns the name; undefined for one that opts in to none
 */
export function optInOf(object: JsonMap | undefined): string | undefined {
  const asked = mapOf(metadataOf(object)['annotations'])[EGRESS_KEYS.egressIpam];
  return textOf(asked) === '' ? undefined : textOf(asked);
}

/**
 * Tells whether a Namespace has the annotation of the opt-in without a name, which opts in to nothing.
 *
 * @param object - as the API server has it
 * @returns a warning; undefined where there is none
 */
export function emptyOptIn(object: JsonMap): string | undefined {
  const asked = mapOf(metadataOf(object)['annotations'])[EGRESS_KEYS.egressIpam];
  const field = `metadata.annotations[${EGRESS_KEYS.egressIpam}]`;
  return asked === ''
    ? `${field}: is empty, so the namespace opts in to no EgressIPAM; name one, or take it off`
    : undefined;
}

/**
 * Reads the list of a namespace.
 *
 * @param text - addresses with commas between them; blanks around an address are allowed
 * @returns the addresses in their order
 */
export function readList(text: string): EgressList {
  if (text.trim() === '') return { kind: 'none' };
  const addresses = new Map<string, Address>();
  for (const part of text.split(',')) {
    const parsed = parseAddress(part.trim());
    if (!parsed.ok) return malformed(parsed.refusal.message);
    const canonical = parsed.value.toString();
    if (addresses.has(canonical)) return malformed(`${quoteValue(part.trim())} stands in the list twice`);
    addresses.set(canonical, parsed.value);
  }
  return { kind: 'listed', addresses: [...addresses.values()] };
}

const malformed = (message: string): EgressList => ({
  kind: 'malformed',
  message: `metadata.annotations[${EGRESS_KEYS.addresses}]: ${message}`,
});

/**
 * Writes the list of a namespace.
 *
 * @param addresses - in their order
 * @returns the annotation, without blanks
 */
export const listText = (addresses: readonly Address[]): string => addresses.join(',');
