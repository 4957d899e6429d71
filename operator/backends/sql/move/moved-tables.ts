/** Tables that go from one store to the other with every row and column; both have them under the same names. */
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

/** Tables that stay behind: `setting` goes row by row, and places in the log of freed addresses mean nothing in another store. */
export const LEFT_TABLES = ['setting', 'freed'] as const;

/** Rows of each table. */
export type MovedRows = Readonly<Record<MovedTable, number>>;
