import type { ApiUser } from '../contract/api-user';
import type { Outcome } from '../errors/outcome';

/** A caller as the API server knows it by its token. */
export type TokenUser = ApiUser;

/** Verb and kind of objects for which a caller asks. */
export interface WantedAccess {
  readonly verb: string;
  readonly group: string;
  /** Plural name in lower case. */
  readonly resource: string;
  /** Absent for objects of the whole cluster. */
  readonly namespace?: string;
  /** Absent: any object. */
  readonly name?: string;
}

/** The API server's word about rights. Each call asks it. */
export interface UserAccess {
  /**
   * Asks whether a user may do something.
   *
   * @returns nothing; or `api/forbidden`
   * @throws IpamError where the cluster does not answer
   */
  allows(user: ApiUser, wanted: WantedAccess): Promise<Outcome<void>>;
}

/** Verb and path, outside of all objects, for which a caller asks. */
export interface WantedPath {
  readonly verb: string;
  readonly path: string;
}

/** The API server's word about tokens, and about rights on paths. Each call asks it. */
export interface PathAccess extends Pick<TokenAccess, 'userOf'> {
  /**
   * Asks whether a user may call a path.
   *
   * @returns nothing; or `api/forbidden`
   * @throws IpamError where the cluster does not answer
   */
  allowsPath(user: ApiUser, wanted: WantedPath): Promise<Outcome<void>>;
}

/** The API server's word about tokens and rights. Each call asks it. */
export interface TokenAccess extends UserAccess {
  /**
   * Finds the owner of a token.
   *
   * @returns the user; or `api/unauthenticated`
   * @throws IpamError where the cluster does not answer
   */
  userOf(token: string): Promise<Outcome<TokenUser>>;
}
