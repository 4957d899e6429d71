import { ADDRESS_TABLE, type AddressTableObject } from '../../operator/contract/kinds/address-table';

/** One AddressTable of which API server and validator must say the same. */
export interface TableSample {
  readonly title: string;
  readonly object: AddressTableObject;
  /** Field that the refusal names; absent: it is accepted. */
  readonly refusedAt?: string;
}

const table = (spec: object, name = 'default'): AddressTableObject => ({
  apiVersion: `${ADDRESS_TABLE.group}/${ADDRESS_TABLE.version}`,
  kind: ADDRESS_TABLE.kind,
  metadata: { name },
  spec: spec as AddressTableObject['spec'],
});

const decided = (...writes: readonly object[]): object => ({
  decisions: [{ id: 'one', writer: 'p', since: '2026-01-01T00:00:00Z', writes }],
});

const CREATE = { name: 'default.10.0.0.5', after: '{}' };
const DELETE = { name: 'default.10.0.0.6', before: '{}', uid: 'u', resourceVersion: '7' };
const LONG = `${'n'.repeat(63)}.${'n'.repeat(63)}.${'n'.repeat(63)}.${'n'.repeat(18)}`;

/** Samples for both the API server and our validator. */
export const TABLE_SAMPLES: readonly TableSample[] = [
  { title: 'a quiet table', object: table({ decisions: [] }) },
  { title: 'a table with a version', object: table({ decisions: [], claimsVersion: '18446744073709551615' }) },
  { title: 'a creation', object: table(decided(CREATE)) },
  { title: 'a deletion and a creation', object: table(decided(DELETE, CREATE)) },
  { title: 'a replacement', object: table(decided({ ...DELETE, after: '{}' })) },
  {
    title: 'a version that is no number',
    object: table({ decisions: [], claimsVersion: 'x' }),
    refusedAt: 'spec.claimsVersion',
  },
  { title: 'a decision that writes nothing', object: table(decided()), refusedAt: 'writes' },
  {
    title: 'a write without content',
    object: table(decided({ name: 'default.10.0.0.5' })),
    refusedAt: 'spec.decisions',
  },
  {
    title: 'a deletion of whatever version',
    object: table(decided({ name: 'default.10.0.0.6', before: '{}', uid: 'u' })),
    refusedAt: 'spec.decisions',
  },
  {
    title: 'a creation with a version',
    object: table(decided({ ...CREATE, resourceVersion: '7' })),
    refusedAt: 'spec.decisions',
  },
  { title: 'a name that no network has', object: table({ decisions: [] }, LONG), refusedAt: 'metadata.name' },
];
