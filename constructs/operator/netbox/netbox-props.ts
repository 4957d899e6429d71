import type { SecretKeyReference } from '../../props-kit/secret-key';

/** A NetBox that knows the zones, and that is told which addresses are in use. Needs `zonePools: 'claims'`. */
export interface NetBoxProps {
  /** Its root, with `https://` and without `/api`. */
  readonly url: string;
  /** Secret with the token, mounted as a file; the default key is `token`. */
  readonly token: SecretKeyReference;
  /**
   * Secret with the CA certificates of the server in PEM; the default key is `ca.crt`.
   *
   * @default - those that Node.js trusts
   */
  readonly ca?: SecretKeyReference;
  /**
   * Name of a tag of NetBox that each prefix of ours gets, for permissions with constraints.
   *
   * @default - none
   */
  readonly tag?: string;
  /**
   * Custom fields that each prefix of ours gets beside `k8s_uuid`, `k8s_zone` and the `infra` of its container.
   *
   * @default - `domain`, `env` and `purpose`, each `na`
   */
  readonly fields?: Readonly<Record<string, string>>;
  /**
   * Seconds between two readings of the zones, and between two comparisons of NetBox with the record, 10 to 86400.
   *
   * @default 600
   */
  readonly refreshSeconds?: number;
  /**
   * Takes over prefixes that the original IPAM-API made, for addresses that are imported or asked for by number. Only meant for
   * the time in which its claims are imported.
   *
   * @default false
   */
  readonly adopt?: boolean;
}
