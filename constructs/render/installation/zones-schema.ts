import { LABEL_SELECTOR_SCHEMA } from '../../../operator/contract/label-selector';
import { DNS_NAME } from '../../../operator/contract/object-name';
import { ZONES_SCHEMA } from '../../../operator/contract/zones';
import type { JsonSchema } from '../helm/chart-value';

const NODES: JsonSchema = { type: 'array', items: LABEL_SELECTOR_SCHEMA, uniqueItems: true };

const settings = (properties: JsonSchema): JsonSchema => ({
  type: 'array',
  minItems: 1,
  items: { type: 'object', properties, additionalProperties: false },
});
const texts = (pattern: string): JsonSchema => ({
  type: 'array',
  items: { type: 'string', pattern },
  uniqueItems: true,
});

const L2 = settings({ interfaces: texts('^[^\\s/:]{1,15}$'), nodeSelectors: NODES });
const BGP = settings({
  communities: texts('^([A-Za-z]([-A-Za-z0-9_.]*[A-Za-z0-9])?|[0-9]{1,5}:[0-9]{1,5}|large(:[0-9]{1,10}){3})$'),
  localPref: { type: 'integer', minimum: 0, maximum: 4_294_967_295 },
  aggregationLength: { type: 'integer', minimum: 1, maximum: 32 },
  aggregationLengthV6: { type: 'integer', minimum: 1, maximum: 128 },
  peers: texts(`^${DNS_NAME}$`),
  nodeSelectors: NODES,
});

/**
 * Takes over the schema of the zones document, which the operator reads, and adds what it does not know: MetalLB's part.
 *
 * @returns the schema of a list of zones
 */
export function zonesSchema(): JsonSchema {
  const document = JSON.parse(JSON.stringify(ZONES_SCHEMA)) as {
    readonly properties: { readonly zones: { readonly items: { readonly properties: Record<string, JsonSchema> } } };
  };
  const { zones } = document.properties;
  const metallb = { advertise: { enum: ['l2', 'bgp', 'both', 'none'] }, l2: L2, bgp: BGP };
  // with the store objects there are none; the templates demand one with every other store
  return { ...zones, minItems: 0, items: { ...zones.items, properties: { ...zones.items.properties, ...metallb } } };
}
