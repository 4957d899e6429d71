import { ADMIN_PATHS } from '../../contract/ipam-api/admin-paths';
import { InvalidArgumentError } from 'commander';
import type { Family } from '../../addressing/address';
import { isMap, textOf } from '../../contract/loose-json';
import type { ApiCaller } from '../calls/api-caller';

/** The cluster that Services are planned for. */
export interface PlannedCluster {
  readonly clusterUid: string;
  /** True: nothing of it is on record, so it stands for whichever cluster asks. */
  readonly isNew: boolean;
}

const WORDS: Readonly<Record<string, Family>> = { ipv4: 4, ipv6: 6 };

/**
 * Reads `--cluster-families`.
 *
 * @param text - as it was given
 * @returns the families, the primary one first
 * @throws InvalidArgumentError, which the parser turns into a message
 */
export function familyList(text: string): readonly Family[] {
  const families = text.split(',').map((word) => WORDS[word.trim()]);
  const known = families.filter((family) => family !== undefined);
  if (known.length < families.length || new Set(known).size < known.length)
    throw new InvalidArgumentError('Give ipv4, ipv6, or both with a comma between, the primary one first.');
  return known;
}

/**
 * Asks the admin socket which families the Services of a cluster have. Only the operator of that cluster knows; a server elsewhere
 * does not tell.
 *
 * @param api - the server
 * @param cluster - that the Services are planned for
 * @returns the families, the primary one first; undefined where it is not known
 */
export async function familiesOfCluster(
  api: ApiCaller,
  { clusterUid, isNew }: PlannedCluster,
): Promise<readonly Family[] | undefined> {
  const page = await api.page(ADMIN_PATHS.ownCluster);
  if (!page.ok || page.value.status !== 200) return undefined;
  const body: unknown = JSON.parse(page.value.text);
  if (!isMap(body) || !(isNew || textOf(body['clusterUid']) === clusterUid)) return undefined;
  const { families: words } = body;
  const families = Array.isArray(words) ? words.map((word) => WORDS[textOf(word)]) : [];
  const known = families.filter((family) => family !== undefined);
  return known.length === 0 ? undefined : known;
}
