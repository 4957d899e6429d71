import { OPTIONS } from '../../../operator/settings/options';
import type { OperatorStoreProps } from '../../operator/store/store-props';
import { part, type ChartValue } from '../helm/chart-value';
import { valueAt, type ValueReader } from '../helm/value-reader';
import type { InstallationProps } from './installation';
import { secretReference, secretValues, shapesOfParts } from './secret-values';
import { NAME_OR_NONE, PORT, SIZE } from './value-schemas';

const { max: MAX_REPLICAS } = OPTIONS.replicas;

/** Which parts of a store are there; each decides the shape. */
interface Parts {
  readonly storageClass?: boolean;
  readonly ca?: boolean;
  readonly token?: boolean;
  readonly certificate?: boolean;
}

const STORES: Readonly<Record<string, (read: ValueReader, parts: Parts) => OperatorStoreProps>> = {
  sqlite: (read, { storageClass = false }) => ({
    sqlite: {
      size: read.text('store.sqlite.size'),
      ...(storageClass ? { storageClassName: read.text('store.sqlite.storageClassName') } : {}),
    },
  }),
  postgres: (read, { ca = false }) => ({
    postgres: {
      connection: secretReference(read, 'store.postgres.connection'),
      // a text in templates: typed ports hold a number or a text, nothing in disguise
      port: read.text('store.postgres.port') as unknown as number,
      ...(ca ? { ca: secretReference(read, 'store.postgres.ca') } : {}),
    },
  }),
  remote: (read, { ca = false, token = false, certificate = false }) => ({
    remote: {
      url: read.text('store.remote.url'),
      apiVersion: read.number('store.remote.apiVersion') as 3,
      ...(token ? { token: secretReference(read, 'store.remote.token') } : {}),
      ...(ca ? { ca: secretReference(read, 'store.remote.ca') } : {}),
      ...(certificate ? { certificateSecret: read.text('store.remote.certificateSecret') } : {}),
    },
  }),
  objects: () => ({ objects: true }),
};

function written(kind: string, read: ValueReader): InstallationProps {
  const given = (path: string): boolean => read.text(path) !== '';
  const parts: Parts = {
    storageClass: given('store.sqlite.storageClassName'),
    ca: ['postgres', 'remote'].includes(kind) && given(`store.${kind}.caSecret`),
    token: given('store.remote.tokenSecret'),
    certificate: given('store.remote.certificateSecret'),
  };
  const store = STORES[kind]?.(read, parts) ?? {};
  return kind === 'sqlite' ? { store } : { store, replicas: read.number(`store.${kind}.replicas`) };
}

const is = (kind: string): string => `eq ${valueAt('store.kind')} "${kind}"`;
const CLASS_GIVEN = valueAt('store.sqlite.storageClassName');
const [POSTGRES_CA, REMOTE_CA] = [valueAt('store.postgres.caSecret'), valueAt('store.remote.caSecret')];
const [TOKEN_GIVEN, CERTIFICATE] = [valueAt('store.remote.tokenSecret'), valueAt('store.remote.certificateSecret')];
const severalOf = (kind: string): string => `gt (int ${valueAt(`store.${kind}.replicas`)}) 1`;

// Each part of a remote store is there or not, whatever the others are.
const remoteShapes = (read: ValueReader) => {
  const parts = { several: severalOf('remote'), token: TOKEN_GIVEN, ca: REMOTE_CA, certificate: CERTIFICATE };
  return shapesOfParts(`(${is('remote')})`, parts, ({ several = false, ...present }) => ({
    store: STORES['remote']?.(read, present) ?? {},
    ...(several ? {} : { replicas: 1 }),
  }));
};

const objectsShapes = () =>
  shapesOfParts(`(${is('objects')})`, { several: severalOf('objects') }, ({ several = false }) => ({
    store: { objects: true },
    ...(several ? {} : { replicas: 1 }),
  }));

// Where a part of the store is there or not, its shapes are spelled out; each excludes the others.
function storeKind(): ChartValue<InstallationProps> {
  const store = (kind: string, read: ValueReader, parts: Parts): InstallationProps => ({
    store: STORES[kind]?.(read, parts) ?? {},
  });
  return {
    path: 'store.kind',
    initial: 'sqlite',
    schema: { type: 'string', enum: Object.keys(STORES) },
    comment:
      'Where claims are kept: `sqlite` is a file on a volume, with one Pod; `postgres` is a server, with several; `remote` is an IPAM-API elsewhere; `objects` of the cluster are for `vips.enabled`, `networks.enabled` and `egress.enabled` alone, without `zones` and `services.enabled`.',
    props: (kind, read) => written(kind as string, read),
    shapes: (read) => [
      { props: store('sqlite', read, {}) },
      { condition: `and (${is('sqlite')}) ${CLASS_GIVEN}`, props: store('sqlite', read, { storageClass: true }) },
      ...[false, true].map((ca) => ({
        condition: `and (${is('postgres')}) ${ca ? POSTGRES_CA : `(not ${POSTGRES_CA})`}`,
        families: [is('postgres')],
        props: store('postgres', read, { ca }),
      })),
      ...remoteShapes(read),
      ...objectsShapes(),
    ],
  };
}

/** Values that say where claims are kept, and so how many Pods there are. */
export const STORE_VALUES: readonly ChartValue<InstallationProps>[] = [
  storeKind(),
  part('store.sqlite.size', {
    comment: 'Size of the volume that holds every claim.',
    initial: '1Gi',
    schema: SIZE,
  }),
  part('store.sqlite.storageClassName', {
    comment: 'Storage class, which must offer ReadWriteOncePod; empty is the default class of the cluster.',
    initial: '',
    schema: NAME_OR_NONE,
  }),
  ...secretValues('store.postgres.connection', 'Name of a Secret of ipam-system with the connection string.', {
    name: 'ipam-postgres',
    key: 'dsn',
  }),
  ...secretValues(
    'store.postgres.ca',
    "Name of a Secret of ipam-system with the server's CA certificates in PEM; empty trusts the public ones.",
    { name: '', key: 'ca.crt' },
  ),
  part('store.postgres.port', {
    comment: 'Port of the server, which the NetworkPolicy opens; the connection string is not read for it.',
    initial: 5432,
    schema: PORT,
  }),
  part('store.postgres.replicas', {
    comment: `Pods, 2 to ${String(MAX_REPLICAS)}. With SQLite, whose file has one owner, there is one.`,
    initial: 2,
    schema: { minimum: 2, maximum: MAX_REPLICAS },
  }),
  part('store.remote.url', {
    comment:
      'Where the IPAM-API is, without the version segment, for example https://ipam.example.net; a login belongs into the Secret with the token.',
    initial: '',
  }),
  part('store.remote.apiVersion', {
    comment: 'Version to speak: 3 is ours, 2 that of an existing IPAM-API.',
    initial: 3,
    schema: { enum: [2, 3] },
  }),
  ...secretValues(
    'store.remote.token',
    'Name of a Secret of ipam-system with the token. Version 3 needs it or a client certificate, version 2 knows none.',
    { name: '', key: 'token' },
  ),
  ...secretValues(
    'store.remote.ca',
    "Name of a Secret of ipam-system with the API's CA certificates in PEM; empty trusts the public ones.",
    { name: '', key: 'ca.crt' },
  ),
  part('store.remote.certificateSecret', {
    comment:
      'Secret of type kubernetes.io/tls in ipam-system with the client certificate that the operator shows; a renewed one is used at once.',
    initial: '',
  }),
  part('store.remote.replicas', {
    comment: `Pods with a remote IPAM-API, 1 to ${String(MAX_REPLICAS)}.`,
    initial: 2,
    schema: { minimum: 1, maximum: MAX_REPLICAS },
  }),
  part('store.objects.replicas', {
    comment: `Pods with objects of the cluster as the record, 1 to ${String(MAX_REPLICAS)}.`,
    initial: 2,
    schema: { minimum: 1, maximum: MAX_REPLICAS },
  }),
];
