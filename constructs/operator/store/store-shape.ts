import { KEYS_SECRET } from '../../../operator/contract/group';
import { NAMES } from '../../objects/names';
import type { OptionTexts } from '../process/option-texts';
import { folderOfCertificate, folderOfSecret, type PodFolder } from '../process/pod-folders';
import type { ProcessPart } from '../process/process-part';
import { portOf } from '../process/servers';
import type { OperatorStoreProps, PostgresStoreProps, RemoteStoreProps } from './store-props';

/** Props that decide the store. */
export interface StoreOwner {
  readonly store?: OperatorStoreProps;
  readonly replicas?: number;
}

/** Which store it is. */
export type StoreKind = 'sqlite' | 'postgres' | 'remote' | 'objects';

/** The store as the process, its Pods and the network see it. */
export interface StoreShape extends ProcessPart {
  readonly kind: StoreKind;
  readonly replicas: number;
  /** Port that the Pods must reach; absent where the store is in the Pod. */
  readonly port?: number;
}

/** The volume of the SQLite store. */
const DATA: PodFolder = {
  name: 'data',
  path: '/var/lib/ipam',
  writable: true,
  source: { persistentVolumeClaim: { claimName: NAMES.dataVolume } },
};

const POSTGRES_FOLDER = '/etc/ipam-postgres';
const REMOTE_FOLDER = '/etc/ipam-remote';
const DEFAULT_REPLICAS: Readonly<Record<StoreKind, number>> = { sqlite: 1, postgres: 2, remote: 2, objects: 2 };

/**
 * Works out the shape of an installation.
 *
 * @param props - store and replicas; more than one store is refused elsewhere
 * @returns defaults filled in, options and folders in the words of the operator
 */
export function storeShape({ store = {}, replicas }: StoreOwner): StoreShape {
  const kind = storeKind(store);
  const common = { kind, replicas: replicas ?? DEFAULT_REPLICAS[kind] };
  if (store.postgres !== undefined) return { ...common, ...postgresShape(store.postgres) };
  if (store.remote !== undefined) return { ...common, ...remoteShape(store.remote) };
  if (kind === 'objects') return { ...common, options: {}, folders: [] };
  return { ...common, options: { sqliteFile: `${DATA.path}/ipam.sqlite` }, folders: [DATA] };
}

/**
 * Names the store.
 *
 * @param store - as given to the operator
 * @returns sqlite where nothing else is given
 */
export function storeKind(store: OperatorStoreProps = {}): StoreKind {
  if (store.postgres !== undefined) return 'postgres';
  if (store.remote !== undefined) return 'remote';
  return store.objects === true ? 'objects' : 'sqlite';
}

/**
 * Tells whether this operator keeps claims in a store of its own. Their secrets are hashed with a key in a Secret of its namespace.
 *
 * @param kind - of the store
 * @returns false where another operator has the claims, or they are objects of the cluster
 */
export const isKeptHere = (kind: StoreKind): boolean => kind === 'sqlite' || kind === 'postgres';

type StoreParts = Pick<StoreShape, 'options' | 'folders' | 'port'>;

function postgresShape({ connection, ca, port = 5432 }: PostgresStoreProps): StoreParts {
  const dsn = folderOfSecret('postgres', `${POSTGRES_FOLDER}/connection`, { key: 'dsn', ...connection });
  const trust = ca && folderOfSecret('postgres-ca', `${POSTGRES_FOLDER}/ca`, { key: 'ca.crt', ...ca });
  return {
    options: { postgresDsnFile: dsn.file, ...(trust === undefined ? {} : { postgresCaFile: trust.file }) },
    folders: [dsn, ...(trust === undefined ? [] : [trust])],
    port,
  };
}

function remoteShape({ url, apiVersion = 3, token, ca, certificateSecret }: RemoteStoreProps): StoreParts {
  const login = token && folderOfSecret('ipam-api-token', `${REMOTE_FOLDER}/token`, { key: 'token', ...token });
  const trust = ca && folderOfSecret('ipam-api-ca', `${REMOTE_FOLDER}/ca`, { key: 'ca.crt', ...ca });
  const pair =
    certificateSecret === undefined
      ? undefined
      : folderOfCertificate('ipam-api-login-cert', `${REMOTE_FOLDER}/cert`, certificateSecret);
  return {
    options: {
      ipamApiUrl: url,
      ipamApiVersion: String(apiVersion),
      ...(login === undefined ? {} : { ipamApiTokenFile: login.file }),
      ...(trust === undefined ? {} : { ipamApiCaFile: trust.file }),
      ...(pair === undefined ? {} : { ipamApiLoginCertPath: pair.path }),
    },
    folders: [login, trust, pair].filter((folder) => folder !== undefined),
    port: portOf(url),
  };
}

/**
 * Writes the part that the store has in the operator's process.
 *
 * @param props - store and replicas
 * @returns its options and folders; a store that is remote hashes its secrets itself, and objects have none
 */
export function storeProcess(props: StoreOwner): ProcessPart {
  const { kind, replicas, options, folders } = storeShape(props);
  const key: OptionTexts = isKeptHere(kind) ? { hashKeySecret: KEYS_SECRET } : {};
  return { options: { store: kind, replicas: String(replicas), ...key, ...options }, folders };
}
