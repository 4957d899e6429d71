import type { SecretKeyReference } from '../../props-kit/secret-key';

/** Claims in a SQLite file on a volume: one replica, stopped before its successor starts. */
export interface SqliteStoreProps {
  /**
   * Size of the volume, as a Kubernetes quantity.
   *
   * @default '1Gi'
   */
  readonly size?: string;
  /**
   * Storage class; it must offer ReadWriteOncePod.
   *
   * @default - the default class of the cluster
   */
  readonly storageClassName?: string;
}

/** Claims in PostgreSQL: two or more replicas, each of which serves webhooks and writes. */
export interface PostgresStoreProps {
  /** Secret with the connection string, mounted as a file; the default key is `dsn`. */
  readonly connection: SecretKeyReference;
  /**
   * Secret with the CA certificates of the server in PEM; the default key is `ca.crt`.
   *
   * @default - those that Node.js trusts
   */
  readonly ca?: SecretKeyReference;
  /**
   * Port of the server, 1 to 65535. The NetworkPolicy opens it, since synth cannot look into the connection string.
   *
   * @default 5432
   */
  readonly port?: number;
}

/** Claims in an IPAM-API elsewhere, ours or an existing one. */
export interface RemoteStoreProps {
  /** Where it is, with `https://` and without the version segment. */
  readonly url: string;
  /**
   * Version to speak: 3 is ours, 2 that of an existing IPAM-API.
   *
   * @default 3
   */
  readonly apiVersion?: 2 | 3;
  /**
   * Secret with the token, mounted as a file; the default key is `token`. Version 3 needs it or a client certificate, version 2 knows none.
   *
   * @default - none
   */
  readonly token?: SecretKeyReference;
  /**
   * Secret with the CA certificates of the server in PEM; the default key is `ca.crt`.
   *
   * @default - those that Node.js trusts
   */
  readonly ca?: SecretKeyReference;
  /**
   * Secret of type `kubernetes.io/tls` with the client certificate that the operator shows, mounted as files. A renewed one is used
   * for every connection from then on.
   *
   * @default - none
   */
  readonly certificateSecret?: string;
}

/** Where claims are kept; at most one member is given. */
export interface OperatorStoreProps {
  /**
   * A file on a volume, for one replica.
   *
   * @default - every default of {@link SqliteStoreProps}, where no other member is given
   */
  readonly sqlite?: SqliteStoreProps;
  /**
   * A PostgreSQL database, for several replicas.
   *
   * @default - not used
   */
  readonly postgres?: PostgresStoreProps;
  /**
   * An IPAM-API elsewhere.
   *
   * @default - not used
   */
  readonly remote?: RemoteStoreProps;
  /**
   * Objects of the cluster and nothing else: no volume, no database, several replicas. It has no zones, so it is for the VIPs and Networks doors alone.
   *
   * @default - used where the VIPs and Networks doors are alone, and neither zones nor another member are given
   */
  readonly objects?: boolean;
}
