import type { k8s } from 'cdk8s-plus-28';

import { DNS_NAME } from '../../../operator/contract/object-name';
import type { JsonSchema } from '../helm/chart-value';

// Helm reads patterns as Go does, without looking ahead; what they cannot say is said by templates.
const LABEL = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';
const QUALIFIED = `(${DNS_NAME}/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?`;
const AMOUNT = '([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]{1,3}|[numkMGTPE]|[KMGTPE]i)?';

/** A quantity as Kubernetes writes it. */
export const QUANTITY: JsonSchema = { type: 'string', pattern: `^${AMOUNT}$` };
/** A quantity above zero. */
export const SIZE: JsonSchema = { ...QUANTITY, not: { pattern: '^[0.]+([a-zA-Z]|$)' } };
/** Texts, none of them empty. */
export const TEXTS: JsonSchema = { type: 'array', items: { type: 'string', minLength: 1 }, uniqueItems: true };
/** Names of most objects. */
export const NAMES_OF_OBJECTS: JsonSchema = {
  type: 'array',
  items: { type: 'string', pattern: `^${DNS_NAME}$`, maxLength: 253 },
  uniqueItems: true,
};
/** Name of most objects, or none. */
export const NAME_OR_NONE: JsonSchema = { pattern: `^(${DNS_NAME})?$`, maxLength: 253 };
/** An API group. */
export const API_GROUP: JsonSchema = { pattern: `^${DNS_NAME}$`, maxLength: 253 };
/** Host names in a certificate. */
export const HOST_NAMES: JsonSchema = {
  type: 'array',
  items: { type: 'string', pattern: `^([*][.])?${DNS_NAME}$`, maxLength: 253 },
  uniqueItems: true,
};
/** A duration in objects of the Prometheus operator. */
export const DURATION: JsonSchema = {
  pattern: '^([0-9]+y)?([0-9]+w)?([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$',
  minLength: 1,
};
/** Labels, keys and values as Kubernetes takes them. */
export const LABELS: JsonSchema = {
  type: 'object',
  propertyNames: { pattern: `^${QUALIFIED}$` },
  additionalProperties: { type: 'string', pattern: '^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$' },
};
/** Annotations, whose values may be any text and whose keys may have capitals. */
export const ANNOTATIONS: JsonSchema = {
  type: 'object',
  propertyNames: { pattern: `^(?i:${QUALIFIED})$` },
  additionalProperties: { type: 'string' },
};
/** Parts of the name of an image; empty ones are the default. */
export const IMAGE_PARTS: Readonly<Record<'registry' | 'repository' | 'tag' | 'digest', JsonSchema>> = {
  registry: {
    pattern:
      '^(([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?|[[][0-9a-fA-F:]+[]])(:[0-9]{1,5})?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*/*)?$',
  },
  repository: { pattern: '^[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$' },
  tag: { pattern: '^([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?$' },
  digest: { pattern: '^(sha256:[0-9a-f]{64})?$' },
};
/** Families of a cluster. */
export const FAMILIES: JsonSchema = { items: { enum: ['IPv4', 'IPv6'] }, minItems: 1, uniqueItems: true };
/** A port. */
export const PORT: JsonSchema = { minimum: 1, maximum: 65_535 };
/** Name of a namespace. */
export const NAMESPACE: JsonSchema = { type: 'string', pattern: `^${LABEL}$` };
/** Names of namespaces. */
export const NAMESPACES: JsonSchema = { type: 'array', items: NAMESPACE, uniqueItems: true };
/** Load balancer classes, which Kubernetes takes in the form of label keys. */
export const CLASS_NAMES: JsonSchema = {
  type: 'array',
  items: { type: 'string', pattern: `^${QUALIFIED}$` },
  uniqueItems: true,
};

const when = (properties: Readonly<Record<string, JsonSchema>>, then: JsonSchema): JsonSchema => ({
  if: { required: Object.keys(properties), properties },
  then,
});

/** Taints that Pods bear. */
export const TOLERATIONS: JsonSchema = {
  items: {
    type: 'object',
    properties: {
      key: { type: 'string', pattern: '^([A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?)?$' },
      operator: { enum: ['', 'Exists', 'Equal'] },
      value: { type: 'string' },
      effect: { enum: ['', 'NoSchedule', 'PreferNoSchedule', 'NoExecute'] },
      tolerationSeconds: { type: 'integer' },
    },
    additionalProperties: false,
    // without a key, Exists bears every taint, and nothing else bears any
    anyOf: [
      { required: ['key'], properties: { key: { minLength: 1 } } },
      { required: ['operator'], properties: { operator: { const: 'Exists' } } },
    ],
    allOf: [
      when({ operator: { const: 'Exists' } }, { properties: { value: { maxLength: 0 } } }),
      when({ tolerationSeconds: {} }, { required: ['effect'], properties: { effect: { const: 'NoExecute' } } }),
    ],
  },
};

const TERMS: JsonSchema = {
  type: 'object',
  properties: {
    requiredDuringSchedulingIgnoredDuringExecution: {},
    preferredDuringSchedulingIgnoredDuringExecution: { type: 'array' },
  },
  additionalProperties: false,
};
/** Affinity of the Pods; the API server judges the terms. */
export const AFFINITY: JsonSchema = {
  properties: { nodeAffinity: TERMS, podAffinity: TERMS, podAntiAffinity: TERMS },
  additionalProperties: false,
};

/** Variables of the process; which of them are refused is said by the templates, without the value. */
export const VARIABLES: JsonSchema = {
  items: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string' },
      value: { type: 'string' },
      secret: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, key: { type: 'string' } },
        additionalProperties: false,
      },
    },
    additionalProperties: false,
  },
};

/** Rules by which Pods are spread. */
export const SPREAD: JsonSchema = {
  items: {
    type: 'object',
    required: ['maxSkew', 'topologyKey', 'whenUnsatisfiable'],
    properties: {
      maxSkew: { type: 'integer', minimum: 1 },
      topologyKey: { type: 'string', minLength: 1 },
      whenUnsatisfiable: { enum: ['DoNotSchedule', 'ScheduleAnyway'] },
      minDomains: { type: 'integer', minimum: 1 },
      labelSelector: { type: 'object' },
      matchLabelKeys: { type: 'array', items: { type: 'string' } },
      nodeAffinityPolicy: { enum: ['Honor', 'Ignore'] },
      nodeTaintsPolicy: { enum: ['Honor', 'Ignore'] },
    },
    additionalProperties: false,
    allOf: [when({ minDomains: {} }, { properties: { whenUnsatisfiable: { const: 'DoNotSchedule' } } })],
  },
};

/**
 * Carries a late-bound affinity.
 *
 * @param text - the only leaf
 * @returns an affinity that typed code copies leaf and all
 */
export function affinityCarrier(text: string): k8s.Affinity {
  return { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: text }] } };
}
