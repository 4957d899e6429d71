import type { SecretKeyReference } from '../../props-kit/secret-key';

/** A stream of server-sent events that name clusters which are gone, so that their claims end. */
export interface CleanupEventsProps {
  /** Where the stream is, with `https://`. */
  readonly url: string;
  /**
   * Secret with the bearer token, mounted as a file; the default key is `token`.
   *
   * @default - no login
   */
  readonly token?: SecretKeyReference;
  /**
   * Secret with the CA certificates of the server in PEM; the default key is `ca.crt`.
   *
   * @default - those that Node.js trusts
   */
  readonly ca?: SecretKeyReference;
}

/** Props that the door of clean-up events reads. */
export interface CleanupEventsOwner {
  readonly cleanupEvents?: CleanupEventsProps;
}
