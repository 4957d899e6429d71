import { OPTIONS } from '../../../operator/settings/options';
import { part, type ChartValue } from '../helm/chart-value';
import { valueAt, type ValueReader } from '../helm/value-reader';
import type { InstallationProps } from './installation';
import { QUANTITY, SECRET_NAME } from './value-schemas';

/** Values that say where claims are kept, and so how many Pods there are. */
export const STORE_VALUES: readonly ChartValue<InstallationProps>[] = [
  part('store.sqlite.size', {
    comment: 'Size of the volume that holds every claim.',
    initial: '1Gi',
    schema: QUANTITY,
  }),
  part('store.sqlite.storageClassName', {
    comment: 'Storage class, which must offer ReadWriteOncePod; empty is the default class of the cluster.',
    initial: '',
  }),
  part('store.postgres.connectionSecret', {
    comment: 'Name of a Secret with the connection string, under the key `dsn`.',
    initial: 'ipam-postgres',
    schema: SECRET_NAME,
  }),
  part('store.postgres.caSecret', {
    comment:
      "Name of a Secret with the server's CA certificates, under the key `ca.crt`; empty trusts the public ones.",
    initial: '',
  }),
  part('store.postgres.replicas', {
    comment: 'Pods, 2 to 99. With SQLite, whose file has one owner, there is one.',
    initial: 2,
    schema: { minimum: 2, maximum: OPTIONS.replicas.max },
  }),
  storeKind(),
];

// Where a part of the store is there or not, its shapes are spelled out; each excludes the others.
function storeKind(): ChartValue<InstallationProps> {
  const className = 'store.sqlite.storageClassName';
  const ca = 'store.postgres.caSecret';
  const sqlite = (read: ValueReader, withClass: boolean): InstallationProps => ({
    store: {
      sqlite: {
        size: read.text('store.sqlite.size'),
        ...(withClass ? { storageClassName: read.text(className) } : {}),
      },
    },
  });
  const postgres = (read: ValueReader, withCa: boolean): InstallationProps => ({
    store: {
      postgres: {
        connection: { name: read.text('store.postgres.connectionSecret') },
        ...(withCa ? { ca: { name: read.text(ca) } } : {}),
      },
    },
  });
  const is = (kind: string): string => `eq ${valueAt('store.kind')} "${kind}"`;
  return {
    path: 'store.kind',
    initial: 'sqlite',
    schema: { type: 'string', enum: ['sqlite', 'postgres'] },
    comment:
      'Where claims are kept: `sqlite` is a file on a volume, with one Pod; `postgres` is a server, with several.',
    props: (kind, read) =>
      kind === 'postgres'
        ? { ...postgres(read, read.text(ca) !== ''), replicas: read.number('store.postgres.replicas') }
        : sqlite(read, read.text(className) !== ''),
    shapes: (read) => [
      { props: sqlite(read, false) },
      { condition: `and (${is('sqlite')}) ${valueAt(className)}`, props: sqlite(read, true) },
      {
        condition: `and (${is('postgres')}) (not ${valueAt(ca)})`,
        family: is('postgres'),
        props: postgres(read, false),
      },
      { condition: `and (${is('postgres')}) ${valueAt(ca)}`, family: is('postgres'), props: postgres(read, true) },
    ],
  };
}
