import { Type } from '@sinclair/typebox';

import type { KindDeclaration } from '../crd-manifest';
import { PAAS_GROUP } from '../paas';

// segments and exclusions are texts without rules, as the older operator had them
const spec = Type.Object(
  {
    keepalivedGroup: Type.String({ description: 'Name of the KeepalivedGroup that answers on the addresses' }),
    segment: Type.String({ description: 'Addresses that are given out, in CIDR notation' }),
    excludedIPs: Type.Array(Type.String(), { description: 'Addresses that are never given out' }),
  },
  { description: 'Addresses that are given out, and the group that gives them' },
);

/** The older kind of an IPGroup, which named a KeepalivedGroup too; IPGroups are made of it, and nothing else reads it. */
export const GROUP_SEGMENT_MAPPING: KindDeclaration<object> = {
  group: PAAS_GROUP,
  version: 'v1',
  kind: 'GroupSegmentMapping',
  plural: 'groupsegmentmappings',
  singular: 'groupsegmentmapping',
  shortNames: ['gsm'],
  categories: ['ipam'],
  scope: 'Cluster',
  description: 'Addresses for VirtualIPs. Replaced by IPGroups; see docs/migration.md.',
  spec,
  status: Type.Object({}, { description: 'Always empty' }),
  columns: [
    {
      name: 'Keepalived Group',
      type: 'string',
      jsonPath: '.spec.keepalivedGroup',
      description: 'KeepalivedGroup that answers on the addresses',
    },
    { name: 'Segment', type: 'string', jsonPath: '.spec.segment', description: 'Addresses that are given out' },
    { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Since when it exists' },
  ],
  rules: [],
};
