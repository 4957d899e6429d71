import { followRenames, refuseRenamed } from '../../../contract/renamed-note';
import type { Outcome } from '../../../errors/outcome';
import type { HolderCells } from '../shared/claim-row';
import type { ClaimTables } from './claim-tables';
import type { WireRequest } from './wire';

/**
 * Reads a note.
 *
 * @param tables - the store
 * @param name - the name that it is kept under
 * @returns its text; empty where nothing was kept
 */
export function noteOf({ statements }: ClaimTables, name: string): string {
  return (statements.setting.get(`note:${name}`)?.['value'] ?? '') as string;
}

/**
 * Finds what the record calls a cluster that was renamed. Costs nothing where none ever was.
 *
 * @param tables - the store
 * @param cluster - its identity
 * @returns the identity that has its claims now; undefined where it was not renamed, or that one is gone as well
 */
export function newNameOf(tables: ClaimTables, cluster: string): string | undefined {
  if (!tables.hasRenames) return undefined;
  return followRenames(cluster, {
    note: (name) => noteOf(tables, name),
    isKnown: (name) => tables.statements.archive.isKnown.get({ cluster: name }) !== undefined,
  });
}

/**
 * Refuses a new or changed holder, or a look at one, under a name that its cluster had before.
 *
 * @param tables - the store
 * @param request - what is asked for
 * @returns refusal `cluster/renamed`; undefined where the cluster has its name, or the request names none
 */
export function renamedProblem(tables: ClaimTables, request: WireRequest): Outcome<never> | undefined {
  const holder = holderIn(request);
  if (holder === undefined) return undefined;
  const [, , cluster] = holder;
  const name = newNameOf(tables, cluster);
  return name === undefined ? undefined : refuseRenamed(cluster, name);
}

function holderIn(request: WireRequest): HolderCells | undefined {
  if (request.verb === 'bind') return request.holder;
  const isTake = request.verb === 'take' || request.verb === 'takeFirst' || request.verb === 'peek';
  return isTake ? request.wants[0].holder : undefined;
}
