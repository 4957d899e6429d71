/**
 * Tables that go from one store to the other with every row and column; both have them under the same names. `setting` goes row by
 * row, and `freed` stays, since places in that log mean nothing in another store.
 */
export const MOVED_TABLES = [
  'address',
  'holder',
  'cluster',
  'occupied',
  'occupied_complete',
  'outside',
  'outside_note',
] as const;

/** One of {@link MOVED_TABLES}. */
export type MovedTable = (typeof MOVED_TABLES)[number];

/** Rows of each table. */
export type MovedRows = Readonly<Record<MovedTable, number>>;
