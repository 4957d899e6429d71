import type { OptionName } from '../../../operator/settings/options';
import { DATA, folderOfCertificate, folderOfSecret, type PodFolder } from '../process/pod-folders';
import type { OperatorStoreProps, PostgresStoreProps, RemoteStoreProps } from './store-props';

/** Values of the operator's options, as texts. */
export type OptionTexts = Partial<Readonly<Record<OptionName, string>>>;

/** Which store it is. */
export type StoreKind = 'sqlite' | 'postgres' | 'remote';

/** What follows from the store for the Pods and their surroundings. */
export interface StoreShape {
  readonly kind: StoreKind;
  readonly replicas: number;
  readonly options: OptionTexts;
  readonly folders: readonly PodFolder[];
  /** Port that the Pods must reach; absent where the store is in the Pod. */
  readonly port?: number;
}

const POSTGRES_FOLDER = '/etc/ipam-postgres';
const REMOTE_FOLDER = '/etc/ipam-remote';
const DEFAULT_REPLICAS: Readonly<Record<StoreKind, number>> = { sqlite: 1, postgres: 2, remote: 2 };
const HTTPS_PORT = 443;

/**
 * Works out the shape of an installation.
 *
 * @param props - store and replicas; more than one store is refused elsewhere
 * @returns defaults filled in, options and folders in the words of the operator
 */
export function storeShape({
  store = {},
  replicas,
}: {
  readonly store?: OperatorStoreProps;
  readonly replicas?: number;
}): StoreShape {
  const kind = storeKind(store);
  const common = { kind, replicas: replicas ?? DEFAULT_REPLICAS[kind] };
  if (store.postgres !== undefined) return { ...common, ...postgresShape(store.postgres) };
  if (store.remote !== undefined) return { ...common, ...remoteShape(store.remote) };
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
  return store.remote === undefined ? 'sqlite' : 'remote';
}

/**
 * Tells whether the Services door is open; without, the IPAM-API is all that is served.
 *
 * @param props - of the installation
 * @returns true where nothing else is said
 */
export function servesServices({ services }: { readonly services?: { readonly enabled?: boolean } }): boolean {
  return services?.enabled !== false;
}

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
 * Finds the port that a server is reached at.
 *
 * @param text - its URL, with https
 * @returns that of the URL, else that of HTTPS
 */
export function portOf(text: string): number {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return Number(url?.port) || HTTPS_PORT; // a URL does not name the port of its scheme
}
