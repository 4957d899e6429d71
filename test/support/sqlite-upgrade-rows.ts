import { DatabaseSync } from 'node:sqlite';
import { addressOf } from '../../operator/addressing/address';
import { migrate, MIGRATIONS } from '../../operator/backends/sql/sqlite/schema';
import type { AddressRecord, Holder } from '../../operator/ports/claims';
import type { OwnStore } from '../../operator/ports/store';
import type { OccupiedAddressesHost } from '../../operator/ports/occupied-addresses';
import type { OutsideRowsHost } from '../../operator/ports/outside-rows';
import type { FreedLogHost } from '../../operator/ports/freed-log';
import { at, NOW, ownerOf } from './claim-requests';

/** A store of one file, with all that it keeps beside claims. */
type SqliteStore = OwnStore & OccupiedAddressesHost & OutsideRowsHost & FreedLogHost;

/** Rows of one kind, as the first version that has it writes them, and what today's store reads of them. */
export interface UpgradeRows {
  readonly what: string;
  /** First version whose tables can hold them. */
  readonly since: number;
  readonly sql: string;
  /** Live records of pool `y`. */
  readonly records?: readonly AddressRecord[];
  /** Reads what is no live record of the pool. */
  readonly beside?: { read(store: SqliteStore): Promise<unknown>; readonly is: unknown };
}

const FIRST = 167_837_696; // 10.1.0.0
const OPTIONS = { retentionPeriodDays: 7, denyExternalCleanup: true };
const SECRET = { hash: 'k1:dd', scope: 'shared' } as const;

const address = (columns: string, ...values: readonly string[]): string =>
  `INSERT INTO address (network, zone, version, taken_at, ${columns}) VALUES ${values
    .map((each) => `('default', 'y', 5, ${NOW}, ${each})`)
    .join(', ')};`;
const holder = (columns: string, ...values: readonly string[]): string =>
  `INSERT INTO holder (namespace_uid, cluster_uid, namespace, since, ${columns}) VALUES ${values
    .map((each) => `('ns-a', 'c1', 'a', ${NOW}, ${each})`)
    .join(', ')};`;
const SECRET_ADDRESS = 'id, address, family, state, secret_hash, secret_scope';
const SERVICE_HOLDER =
  'row_id, id, address_id, service_name, service_uid, state, key, expires_at, retention_days, deny_external_cleanup, written_keys';

const record = (text: string, change: Partial<AddressRecord>): AddressRecord => {
  const first = addressOf(text);
  const { family } = first;
  const place = { network: 'default', address: first, length: family === 4 ? 32 : 128, family, pool: 'y' };
  return { ...place, state: 'held', holders: [], version: 5, takenAtMs: NOW, ...change };
};
const held = (id: number, owner: Holder['owner'], change: Partial<Holder> = {}): Holder => ({
  id: String(id),
  owner,
  state: 'bound',
  sinceMs: NOW,
  ...change,
});

/** Rows of every kind that a file can have, in the order of the versions that brought them. */
const UPGRADE_ROWS: readonly UpgradeRows[] = [
  {
    what: 'an address whose Service is gone, retained for its secret',
    since: 1,
    sql:
      address(SECRET_ADDRESS, `11, ${FIRST}, 4, 'held', 'k1:dd', 'shared'`) +
      holder(SERVICE_HOLDER, `11, 21, 11, 'left', 'u11', 'retained', NULL, ${NOW + 999}, 7, 1, '[]'`),
    records: [
      record('10.1.0.0', {
        secret: SECRET,
        holders: [
          held(21, ownerOf('left', { uid: 'u11' }), { state: 'retained', expiresAtMs: NOW + 999, options: OPTIONS }),
        ],
      }),
    ],
  },
  {
    what: 'a Service with an address of each family',
    since: 1,
    sql:
      address(
        SECRET_ADDRESS,
        `12, ${FIRST + 1}, 4, 'held', 'k1:dd', 'shared'`,
        `13, x'20010db8000100000000000000000001', 6, 'held', 'k1:dd', 'shared'`,
      ) +
      holder(
        SERVICE_HOLDER,
        `12, 22, 12, 'both', 'u12', 'bound', 'key 4', NULL, 7, 1, '["a/b"]'`,
        `13, 23, 13, 'both', 'u12', 'bound', 'key 6', NULL, 7, 1, '["a/b"]'`,
      ),
    records: [['10.1.0.1', 22, 'key 4'] as const, ['2001:db8:1::1', 23, 'key 6'] as const].map(([text, id, key]) =>
      record(text, {
        secret: SECRET,
        holders: [held(id, ownerOf('both', { uid: 'u12' }), { key, options: OPTIONS, writtenKeys: ['a/b'] })],
      }),
    ),
  },
  {
    what: 'the intention of an outside source',
    since: 2,
    sql: `INSERT INTO outside (network, address, zone, mark, state, external_id) VALUES
      ('default', ${FIRST}, 'y', 'mark of y', 'confirmed', 77);`,
    beside: {
      read: (store) => store.outsideRows().ofZone('y'),
      is: [expect.objectContaining({ mark: 'mark of y', state: 'confirmed', externalId: 77, differsSinceMs: 0 })],
    },
  },
  {
    what: 'a standing claim with a sealed secret',
    since: 3,
    sql:
      address(`${SECRET_ADDRESS}, secret_sealed`, `14, ${FIRST + 2}, 4, 'held', 'k1:dd', 'shared', 'sealed text'`) +
      holder(
        `${SERVICE_HOLDER}, purpose`,
        `14, 24, 14, 'router', NULL, 'bound', NULL, NULL, 0, 0, '[]', 'of the router'`,
      ),
    records: [
      record('10.1.0.2', {
        secret: { ...SECRET, sealed: 'sealed text' },
        holders: [
          held(24, ownerOf('router'), {
            purpose: 'of the router',
            options: { retentionPeriodDays: 0, denyExternalCleanup: false },
          }),
        ],
      }),
    ],
  },
  {
    what: 'the report of a cluster',
    since: 3,
    sql: `INSERT INTO cluster (uid, name, reported_at) VALUES ('c7', 'seventh', ${NOW - 3});`,
    beside: {
      read: async (store) => (await store.clusters()).filter(({ cluster }) => cluster === 'c7'),
      is: [{ cluster: 'c7', name: 'seventh', claims: 0, reportedAtMs: NOW - 3 }],
    },
  },
  {
    what: 'what an outside source differs in',
    since: 4,
    sql: `INSERT INTO outside (network, address, zone, mark, state, differs_since, has_foreign) VALUES
      ('default', ${FIRST + 3}, 'x', 'mark of x', 'pending', ${NOW - 4}, 1);`,
    beside: {
      read: (store) => store.outsideRows().ofZone('x'),
      is: [expect.objectContaining({ mark: 'mark of x', differsSinceMs: NOW - 4, foreign: true })],
    },
  },
  {
    what: 'a freed address that a stream has not told yet',
    since: 5,
    sql: `INSERT INTO freed (seq, token, network, zone, address, free_at) VALUES
      (1, 6, 'default', 'y', ${FIRST + 8}, ${NOW}), (2, 7, 'default', 'y', ${FIRST + 9}, ${NOW + 9});`,
    beside: {
      read: async (store) =>
        (await store.freedLog().after('1-6', { limit: 9 })).map(({ address: of }) => of.toString()),
      is: ['10.1.0.9'],
    },
  },
  {
    what: 'an address that a Service shows without a grant',
    since: 6,
    sql:
      address('id, address, family, state', `15, ${FIRST + 4}, 4, 'held'`) +
      holder('row_id, id, address_id, service_name, service_uid, state', `15, 25, 15, 'shower', 'u15', 'contested'`),
    records: [record('10.1.0.4', { holders: [held(25, ownerOf('shower', { uid: 'u15' }), { state: 'contested' })] })],
  },
  {
    what: 'a prefix of another kind of owner, moved by an exchange',
    since: 6,
    sql:
      address('id, address, length, family, state', `17, ${FIRST + 256}, 24, 4, 'held'`) +
      holder(
        'row_id, id, address_id, service_name, service_uid, state, key, api_version, kind, moved_at',
        `17, 27, 17, 'out', 'u17', 'bound', 'key 17', 'example.com/v1', 'Network', ${NOW + 1}`,
      ),
    records: [
      record('10.1.1.0', {
        length: 24,
        holders: [
          held(27, ownerOf('out', { uid: 'u17', apiVersion: 'example.com/v1', kind: 'Network' }), { key: 'key 17' }),
        ],
      }),
    ],
    beside: {
      read: async (store) => (await store.history(at('10.1.1.0/24'), { limit: 9 })).map(({ fromMs }) => fromMs),
      is: [NOW + 1],
    },
  },
  {
    what: 'an address in use without a claim',
    since: 6,
    sql: `INSERT INTO address (id, network, zone, version, taken_at, address, family, state, foreign_cluster, foreign_source)
      VALUES (16, 'default', '', 5, ${NOW}, ${FIRST + 5}, 4, 'foreign', 'c2', 'Node/worker-1');`,
    beside: {
      read: (store) => store.get({ network: 'default', address: addressOf('10.1.0.5') }),
      is: record('10.1.0.5', { pool: '', state: 'foreign', foreign: { cluster: 'c2', source: 'Node/worker-1' } }),
    },
  },
  {
    what: 'what a cluster shows, and since when that is complete',
    since: 7,
    sql: `INSERT INTO occupied (network, address, cluster, source, avoided) VALUES
        ('default', ${FIRST + 5}, 'c2', 'Node/worker-1', 0), ('default', ${FIRST + 6}, 'c2', 'Service/a/b', 1);
      INSERT INTO occupied_complete (cluster, network, since) VALUES ('c2', 'default', ${NOW - 6});`,
    beside: {
      read: async (store) => {
        const uses = store.occupiedAddresses();
        const list = await uses.list({ by: 'cluster', cluster: 'c2' });
        return [
          list.map(({ address: of, source, weight }) => `${of.toString()} ${source} ${weight}`),
          [...(await uses.completeSince('c2'))],
        ];
      },
      is: [['10.1.0.5 Node/worker-1 occupied', '10.1.0.6 Service/a/b avoided'], [['default', NOW - 6]]],
    },
  },
];

/** Rows as every version before 6 wrote them: held, quarantined and ended, of both families. */
export const FIRST_ROWS = `
UPDATE setting SET value = 9 WHERE name = 'revision';
INSERT INTO address (id, network, address, family, zone, secret_hash, secret_scope, state, quarantine_until, version, taken_at, ended_at)
VALUES (1, 'default', 167772160, 4, 'z', 'k1:aa', 'shared', 'held', NULL, 7, ${NOW}, NULL),
  (2, 'default', x'20010db8000000000000000000000001', 6, 'z', 'k1:bb', 'namespace', 'quarantined', ${NOW + 50}, 9, ${NOW}, NULL),
  (3, 'default', 167772161, 4, 'z', 'k1:cc', 'shared', 'held', NULL, 3, ${NOW - 9}, ${NOW - 5});
INSERT INTO holder (row_id, id, address_id, service_name, namespace_uid, cluster_uid, namespace, service_uid, state, key,
  retention_days, deny_external_cleanup, sharing, written_keys, expires_at, since, ended_at, former)
VALUES (1, 4, 1, 'web', 'ns-a', 'c1', 'a', 'u1', 'bound', 'key of web', 7, 1, NULL, '["a/b"]', NULL, ${NOW}, NULL, 0),
  (2, 5, 1, 'next', 'ns-a', 'c1', 'a', NULL, 'reserved', NULL, 0, 0, NULL, '[]', ${NOW + 99}, ${NOW}, NULL, 0),
  (3, 6, 2, 'gone', 'ns-a', 'c1', 'a', 'u2', 'bound', NULL, 0, 0, NULL, '[]', NULL, ${NOW}, ${NOW + 1}, 1),
  (4, 2, 3, 'old', 'ns-a', 'c1', 'a', 'u3', 'bound', NULL, 0, 0, NULL, '[]', NULL, ${NOW - 9}, ${NOW - 5}, 0);
`;

/** The rows that a file of a version can have. */
export const rowsOf = (version: number): readonly UpgradeRows[] => UPGRADE_ROWS.filter(({ since }) => since <= version);

/** A file as the program of a version left it, with rows of every kind that its tables can hold. */
export function fileOf(version: number, path: string): DatabaseSync {
  const file = new DatabaseSync(path);
  migrate(file, path, MIGRATIONS.slice(0, Math.min(version, 5)));
  file.exec(FIRST_ROWS);
  migrate(file, path, MIGRATIONS.slice(0, version));
  for (const { sql } of rowsOf(version)) file.exec(sql);
  return file;
}
