import { Type } from '@sinclair/typebox';

import { parseAddress, type Address } from '../../addressing/address';
import type { KindDeclaration } from '../crd-manifest';
import { listOf, isMap, mapOf, metadataOf, textOf, type JsonMap } from '../loose-json';
import { MIGRATION_KEYS, MIGRATION_ORDERS, PAAS_GROUP } from '../paas';
import { conditions } from '../vocabulary';

/** Values of `status.state` that the migration reads or writes. */
export const VIRTUAL_IP_STATES = {
  valid: 'Valid',
  error: 'Error',
  preparing: 'Migrating: preparing for migration',
  reassociating: 'Migrating: reassociating IP object',
  cleaningUp: 'Migrating: cleaning up',
  converting: 'Migrating: converting service',
  assigning: 'Migrating: assigning original IP',
  migrated: 'Migrated',
} as const;

/** Type of the condition that tells how far the migration of a VirtualIP has come. */
export const MIGRATED_CONDITION = 'Migrated';

// texts of the older operator have no bounds, and no rule of the API server walks over them
const words = (description: string) => Type.String({ description });
const word = (description: string) => Type.Optional(words(description));

const spec = Type.Object(
  {
    service: words('Name of the Service of the same namespace that is exposed'),
    ip: word('Wished address; it cannot be changed'),
  },
  { description: 'Service that is exposed' },
);

const status = Type.Object(
  {
    message: word('Why it is in its state'),
    ip: word('Address under which the Service is exposed'),
    keepalivedGroup: word('Name of the KeepalivedGroup; empty once migrated'),
    service: word('Name of the Service that is exposed'),
    clonedService: word('Name of the copy of the Service that has the address; empty once migrated'),
    gsm: word('Name of the GroupSegmentMapping; empty once migrated'),
    state: word('State, for example Valid or Migrated'),
    resumeAt: word('State in which the migration goes on once the cause of an error is gone'),
    conditions: Type.Optional(conditions()),
  },
  { description: 'State of the exposure' },
);

/** The older kind that exposed a Service by a copy of it; it is read and migrated, and none is made anew. */
export const VIRTUAL_IP: KindDeclaration<object> = {
  group: PAAS_GROUP,
  version: 'v1',
  kind: 'VirtualIP',
  plural: 'virtualips',
  singular: 'virtualip',
  shortNames: ['vip'],
  categories: ['ipam'],
  scope: 'Namespaced',
  description:
    'A Service that is exposed by a copy of it. Replaced by Services of type LoadBalancer; see docs/migration.md.',
  spec,
  status,
  columns: [
    { name: 'Service', type: 'string', jsonPath: '.status.service', description: 'Service that is exposed' },
    { name: 'IP', type: 'string', jsonPath: '.status.ip', description: 'Its address' },
    { name: 'State', type: 'string', jsonPath: '.status.state', description: 'How far it has come' },
    { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Since when it exists' },
  ],
  rules: [],
};

/** API version of a VirtualIP. */
export const VIRTUAL_IP_API = `${VIRTUAL_IP.group}/${VIRTUAL_IP.version}`;

/** Order that the annotation of a VirtualIP gives. */
export type MigrationOrder = 'none' | 'migrate' | 'dry-run' | 'rollback';

/** A VirtualIP as the migration reads it. */
export interface VirtualIpView {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** RFC 3339; equal forms, so that the texts can be compared. */
  readonly createdAt: string;
  readonly isDying: boolean;
  readonly finalizers: readonly string[];
  readonly order: MigrationOrder;
  /** True where the annotation says that it was migrated, which a backup keeps. */
  readonly isMarkedMigrated: boolean;
  /** `spec.ip`: true where the address was asked for. */
  readonly isAddressWished: boolean;
  /** Name of the exposed Service. */
  readonly service: string;
  /** Undefined where the status has none, or text that is none. */
  readonly address: Address | undefined;
  /** Name of the copy of the Service. */
  readonly clone: string;
  readonly segmentMapping: string;
  readonly state: string;
  readonly message: string;
  readonly resumeAt: string;
  /** Its condition `Migrated`. */
  readonly condition: { readonly status: string; readonly reason: string; readonly since: string } | undefined;
}

/**
 * Reads a VirtualIP, as the older operator left it too.
 *
 * @param raw - from the API server
 * @returns the view; undefined for what has no name
 */
export function readVirtualIp(raw: JsonMap | undefined): VirtualIpView | undefined {
  const metadata = metadataOf(raw);
  const name = textOf(metadata['name']);
  if (raw === undefined || name === '') return undefined;
  const wanted = mapOf(raw['spec']);
  const { status: of } = { status: mapOf(raw['status']) };
  const annotations = mapOf(metadata['annotations']);
  const parsed = parseAddress(textOf(of['ip']) || textOf(wanted['ip']));
  return {
    namespace: textOf(metadata['namespace']),
    name,
    uid: textOf(metadata['uid']),
    createdAt: textOf(metadata['creationTimestamp']),
    isDying: textOf(metadata['deletionTimestamp']) !== '',
    finalizers: listOf(metadata['finalizers']).map(textOf),
    order: orderOf(annotations[MIGRATION_KEYS.migrate]),
    isMarkedMigrated: annotations[MIGRATION_KEYS.migrated] !== undefined,
    isAddressWished: textOf(wanted['ip']) !== '',
    service: textOf(of['service']) || textOf(wanted['service']),
    address: parsed.ok ? parsed.value : undefined,
    clone: textOf(of['clonedService']) || `${name}-keepalived-clone`,
    segmentMapping: textOf(of['gsm']),
    ...readProgress(of),
  };
}

function readProgress(of: JsonMap): Pick<VirtualIpView, 'state' | 'message' | 'resumeAt' | 'condition'> {
  const found = listOf(of['conditions']).find((each) => isMap(each) && each['type'] === MIGRATED_CONDITION);
  const condition = isMap(found)
    ? {
        status: textOf(found['status']),
        reason: textOf(found['reason']),
        since: textOf(found['lastTransitionTime']),
      }
    : undefined;
  return {
    state: textOf(of['state']),
    message: textOf(of['message']),
    resumeAt: textOf(of['resumeAt']),
    condition,
  };
}

function orderOf(value: unknown): MigrationOrder {
  switch (value) {
    case undefined:
      return 'none';
    case MIGRATION_ORDERS.dryRun:
    case MIGRATION_ORDERS.rollback:
      return value;
    default:
      return 'migrate';
  }
}
