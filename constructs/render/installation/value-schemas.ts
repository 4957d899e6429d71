import type { k8s } from 'cdk8s-plus-28';

import { ZONES_SCHEMA } from '../../../operator/contract/zones';
import type { JsonSchema } from '../helm/chart-value';

/** A quantity as Kubernetes writes it. */
export const QUANTITY: JsonSchema = { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)?([munKMGTPE]|[KMGTPE]i)?$' };
/** Texts, none of them empty. */
export const TEXTS: JsonSchema = { type: 'array', items: { type: 'string', minLength: 1 } };
/** A map of texts. */
export const TEXTS_BY_KEY: JsonSchema = { type: 'object', additionalProperties: { type: 'string' } };
/** Families of a cluster. */
export const FAMILIES: JsonSchema = { items: { enum: ['IPv4', 'IPv6'] }, minItems: 1, uniqueItems: true };
/** Name of a Secret. */
export const SECRET_NAME: JsonSchema = { pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$' };

/**
 * Allows a number, and 0 for the operator's own default.
 *
 * @param minimum - smallest number beside 0
 * @param maximum - largest number
 * @returns the schema
 */
export function numberOrDefault(minimum: number, maximum: number): JsonSchema {
  return { type: 'integer', anyOf: [{ const: 0 }, { minimum, maximum }] };
}

/**
 * Carries a late-bound affinity.
 *
 * @param text - the only leaf
 * @returns an affinity that typed code copies leaf and all
 */
export function affinityCarrier(text: string): k8s.Affinity {
  return { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: text }] } };
}

/**
 * Takes over the schema of the zones document, which the operator reads, and adds what it does not know: MetalLB's part.
 *
 * @returns the schema of a list of zones
 */
export function zonesSchema(): JsonSchema {
  const document = JSON.parse(JSON.stringify(ZONES_SCHEMA)) as {
    readonly properties: { readonly zones: { readonly items: { readonly properties: JsonSchema } } };
  };
  const { zones } = document.properties;
  const settings = { type: 'array', minItems: 1, items: { type: 'object' } };
  const metallb = { advertise: { enum: ['l2', 'bgp', 'both', 'none'] }, l2: settings, bgp: settings };
  return { ...zones, items: { ...zones.items, properties: { ...zones.items.properties, ...metallb } } };
}
