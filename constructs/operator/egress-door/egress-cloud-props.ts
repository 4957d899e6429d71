import type { AzureEnvironment, EgressCloudName } from '../../../operator/contract/egress-clouds';

/** The cloud whose machines egress addresses are attached to, and the login there. */
export interface EgressCloudProps {
  /** Which cloud the nodes are machines of. */
  readonly provider: EgressCloudName;
  /**
   * Region of the machines, for example `eu-west-1`; AWS needs it.
   *
   * @default - none
   */
  readonly region?: string;
  /**
   * Environment of Azure whose servers are called.
   *
   * @default 'AzurePublicCloud'
   */
  readonly environment?: AzureEnvironment;
  /**
   * Secret in the namespace of the operator with the login, which only the operator reads. With `platform: 'openshift'` the platform makes it.
   *
   * @default - `ipam-cloud-credentials`; for Google Cloud outside of OpenShift none, and the metadata server gives tokens
   */
  readonly secret?: string;
  /**
   * Audience of a token of the ServiceAccount, which is mounted at `/var/run/secrets/ipam-cloud/token` for a login without stored keys:
   * `sts.amazonaws.com` for AWS, `api://AzureADTokenExchange` for Azure.
   *
   * @default - no token; with `platform: 'openshift'` one for `openshift`, where OpenShift expects it
   */
  readonly tokenAudience?: string;
}
