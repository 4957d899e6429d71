import { Type, type Static } from '@sinclair/typebox';

import type { Refusal } from '../../errors/outcome';
import type { KindDeclaration } from '../crd-manifest';
import { MOST_SHOWN_ENTRIES, NEPHIO_GROUP } from '../nephio';
import { KindValidator } from '../validator';
import { conditionsByKind, countText, text } from '../vocabulary';
import { MAX_NETWORK_LENGTH } from './claim-name';

type ShownEntries = Readonly<Record<string, Readonly<Record<string, string>>>>;

const spec = Type.Object({}, { description: 'A NetworkInstance has no settings; prefixes name it' });

const status = Type.Object(
  {
    observedGeneration: Type.Optional(
      Type.Integer({ minimum: 0, format: 'int64', description: 'Generation that the status is about' }),
    ),
    conditions: Type.Optional(conditionsByKind()),
    allocations: Type.Optional(
      Type.Unsafe<ShownEntries>({
        type: 'object',
        maxProperties: MOST_SHOWN_ENTRIES,
        additionalProperties: { type: 'object', additionalProperties: { type: 'string' } },
        description: 'Entries of the network with their labels, the lowest first',
        // one manager writes all of it; what an older operator showed would stay in a map of single keys
        'x-kubernetes-map-type': 'atomic',
      }),
    ),
    entries: countText('Number of all entries, of which the status shows the first 1000, or as many as 768 KiB hold'),
    network: Type.Optional(text(MAX_NETWORK_LENGTH, 'Name of the network on record')),
  },
  { description: 'State of the network' },
);

/** One NetworkInstance, of the right shape. */
export interface NetworkInstanceObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: Readonly<Record<string, never>>;
  readonly status?: Static<typeof status>;
}

const condition = (kind: string): string => `.status.conditions[?(@.kind=="${kind}")].status`;

/** An address space of its own, in which prefixes nest and addresses have one holder. */
export const NETWORK_INSTANCE: KindDeclaration<NetworkInstanceObject> = {
  group: NEPHIO_GROUP,
  version: 'v1alpha1',
  kind: 'NetworkInstance',
  plural: 'networkinstances',
  singular: 'networkinstance',
  shortNames: [],
  categories: ['nephio', 'ipam'],
  scope: 'Namespaced',
  description: 'An address space of its own; the same prefix may be in any number of them.',
  spec,
  isSpecOptional: true,
  status,
  columns: [
    { name: 'SYNC', type: 'string', jsonPath: condition('Synced'), description: 'Whether the object was worked' },
    { name: 'STATUS', type: 'string', jsonPath: condition('Ready'), description: 'Whether it is accepted' },
    { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Since when it exists' },
    { name: 'ENTRIES', type: 'string', jsonPath: '.status.entries', description: 'Number of entries', priority: 1 },
  ],
  rules: [],
};

const validator = new KindValidator(NETWORK_INSTANCE, 'instance/invalid');

/**
 * Checks a NetworkInstance as the API server does; unknown fields, which the API server would drop, are refused as well.
 *
 * @param object - the whole object
 * @returns every problem with its path; empty when it is valid
 */
export function networkInstanceProblems(object: unknown): readonly Refusal[] {
  return validator.problems(object);
}
