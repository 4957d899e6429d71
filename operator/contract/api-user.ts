import { listOf, mapOf, textOf } from './loose-json';

/** A user as the API server knows it. */
export interface ApiUser {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/**
 * Reads the UserInfo of a review.
 *
 * @param value - `authentication.k8s.io/v1`, raw
 * @returns the user, with empty texts for what is not there
 */
export function readApiUser(value: unknown): ApiUser {
  const user = mapOf(value);
  return {
    username: textOf(user['username']),
    uid: textOf(user['uid']),
    groups: textsOf(user['groups']),
    extra: Object.fromEntries(Object.entries(mapOf(user['extra'])).map(([key, values]) => [key, textsOf(values)])),
  };
}

const textsOf = (values: unknown): readonly string[] => listOf(values).filter((each) => typeof each === 'string');
