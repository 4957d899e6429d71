import type { SecretKeyReference } from '../../props-kit/secret-key';

/** A Splunk HTTP Event Collector that gets each log line too. */
export interface SplunkProps {
  /** Where it is, with `https://` and without the path of the collector. */
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
   * Index of the events.
   *
   * @default - the one of the token
   */
  readonly index?: string;
  /**
   * Field `source` of the events.
   *
   * @default 'vitistack:ipam-api'
   */
  readonly source?: string;
  /**
   * Field `sourcetype` of the events.
   *
   * @default 'ipam-api:app'
   */
  readonly sourcetype?: string;
}
