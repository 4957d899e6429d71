import type { SecretKeyReference } from '../../props-kit/secret-key';

/** An issuer of cert-manager. */
export interface CertificateIssuer {
  /** Name of the issuer. */
  readonly name: string;
  /**
   * Kind of the issuer.
   *
   * @default 'ClusterIssuer'
   */
  readonly kind?: 'Issuer' | 'ClusterIssuer';
  /**
   * API group of the issuer.
   *
   * @default 'cert-manager.io'
   */
  readonly group?: string;
}

/** One key of a ConfigMap in the operator's namespace. */
export interface ConfigMapKeyReference {
  /** Name of the ConfigMap. */
  readonly name: string;
  /**
   * Key in its data.
   *
   * @default - the key that the prop names
   */
  readonly key?: string;
}

/** The clients of version 3: one file with hashes of tokens or certificates, roles and quotas. Exactly one member is given. */
export interface IpamApiClientsProps {
  /**
   * Secret with the file; the default key is `clients.yaml`.
   *
   * @default - the ConfigMap
   */
  readonly secret?: SecretKeyReference;
  /**
   * ConfigMap with the file; the default key is `clients.yaml`. It holds hashes only, which are no secret where tokens are long.
   *
   * @default - the Secret
   */
  readonly configMap?: ConfigMapKeyReference;
}

/** How other clusters reach the IPAM-API. It is served over TLS only. */
export interface IpamApiExposeProps {
  /**
   * Port of the Service, 1 to 65535.
   *
   * @default 443
   */
  readonly port?: number;
  /**
   * Type of the Service `ipam-api`. The webhooks leave our namespace alone, so a LoadBalancer gets its address from
   * another controller, for example from a `MetalLbPool`.
   *
   * @default 'ClusterIP'
   */
  readonly serviceType?: 'ClusterIP' | 'NodePort' | 'LoadBalancer';
  /**
   * Annotations of the Service, for example those by which MetalLB chooses an address.
   *
   * @default - none
   */
  readonly serviceAnnotations?: Readonly<Record<string, string>>;
  /**
   * Names that callers use, for the certificate.
   *
   * @default - only those of the Service inside of the cluster
   */
  readonly dnsNames?: readonly string[];
  /**
   * Issuer of the certificate.
   *
   * @default - the CA of the webhooks
   */
  readonly issuer?: CertificateIssuer;
  /**
   * Secret of type kubernetes.io/tls with a certificate of your own, in the operator's namespace; no certificate is asked
   * for then.
   *
   * @default - cert-manager fills in `ipam-api-server-cert`
   */
  readonly certificateSecret?: string;
  /**
   * Clients of version 3, read again when the file changes. The Pods wait for it.
   *
   * @default - no client may call version 3
   */
  readonly clients?: IpamApiClientsProps;
  /**
   * Secret with the CA certificates, in PEM, that client certificates are trusted by; the default key is `ca.crt`.
   *
   * @default - clients show tokens only
   */
  readonly clientCa?: SecretKeyReference;
  /**
   * Answers version 2, which has no login: every client that reaches the port can take and give back addresses.
   *
   * @default false
   */
  readonly allowAnonymousV2?: boolean;
  /**
   * Seconds after which the IPAM-API answers 503 instead of waiting for the store, 1 to 60.
   *
   * @default 10
   */
  readonly deadlineSeconds?: number;
}

/** Settings of the IPAM-API. */
export interface IpamApiProps {
  /**
   * Opens the IPAM-API for other clusters; `{}` takes every default.
   *
   * @default - it runs inside of the process and does not listen
   */
  readonly expose?: IpamApiExposeProps;
}
