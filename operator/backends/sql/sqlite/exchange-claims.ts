import { accept, type Outcome } from '../../../errors/outcome';
import { findHeld, textOf, type FoundHeld } from './change-claim';
import type { ClaimTables } from './claim-tables';
import { refuseUnclaimed } from '../../../errors/store-refusals';
import type { WireExchange, WireResults } from './wire';

/** A move whose record was found as its caller knows it. */
interface FoundMove extends FoundHeld {
  /** Row of the holder's present state. */
  readonly rowId: number;
  /** Position of the move that leaves the space to which this one goes. */
  readonly to: number;
}

function findMoves(tables: ClaimTables, { moves, nowMs }: WireExchange): Outcome<readonly FoundMove[]> {
  const found: FoundMove[] = [];
  for (const { to, ...from } of moves) {
    const held = findHeld(tables, { ...from, nowMs });
    if (!held.ok) return held;
    const { row, holder } = held.value;
    if (holder === undefined) return refuseUnclaimed(textOf(from));
    const rowId = tables.statements.holderRow.get(row.id, holder.id)?.['rowId'] as number;
    found.push({ ...held.value, rowId, to });
  }
  return accept(found);
}

// A secret proves that a holder owns its space, so it goes along where no other holder relies on it.
function moveSecrets({ statements }: ClaimTables, moves: readonly FoundMove[]): void {
  const secrets = moves.map(({ row }) => statements.secretOf.get(row.id) as Record<string, string | null> | undefined);
  for (const [index, { holders, to }] of moves.entries()) {
    const target = moves[to];
    const secret = secrets[index];
    if (target === undefined || secret === undefined || holders.length > 1 || target.holders.length > 1) continue;
    const { hash = null, scope = null, sealed = null } = secret;
    statements.setSecret.run(hash, scope, sealed, target.row.id);
  }
}

/**
 * `exchange` of the port.
 *
 * @param tables - the store
 * @param request - moves that form circles
 * @returns rows of each record that a holder came to, in the order of the moves; or the refusal
 */
export function exchangeClaims(tables: ClaimTables, request: WireExchange): WireResults['exchange'] {
  const found = findMoves(tables, request);
  if (!found.ok) return found;
  const moves = found.value;
  const { statements } = tables;
  const { nowMs } = request;
  for (const { row, holder } of moves) statements.endHolder.run(nowMs, row.id, holder?.id ?? null);
  moveSecrets(tables, moves);
  const targets = moves.map(({ rowId, to }) => {
    const row = moves[to]?.row;
    if (row === undefined) return undefined;
    statements.moveHolder.run(row.id, nowMs, rowId);
    statements.retake.run(++tables.revision, nowMs, row.id);
    tables.tell('changed', row);
    return row;
  });
  return accept(targets.map((row) => (row === undefined ? [] : tables.rows(row.id))));
}
