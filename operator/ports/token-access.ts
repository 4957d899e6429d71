import type { Outcome } from '../errors/outcome';

/** A caller as the API server knows it by its token. */
export interface TokenUser {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Verb and kind of objects for which a caller asks. */
export interface WantedAccess {
  readonly verb: string;
  readonly group: string;
  /** Plural name in lower case. */
  readonly resource: string;
  readonly namespace: string;
}

/** The API server's word about tokens and rights. Each call asks it. */
export interface TokenAccess {
  /**
   * Finds the owner of a token.
   *
   * @returns the user; or `api/unauthenticated`
   * @throws IpamError where the cluster does not answer
   */
  userOf(token: string): Promise<Outcome<TokenUser>>;
  /**
   * Asks whether a user may do something.
   *
   * @returns nothing; or `api/forbidden`
   * @throws IpamError where the cluster does not answer
   */
  allows(user: TokenUser, wanted: WantedAccess): Promise<Outcome<void>>;
}
