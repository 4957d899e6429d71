/**
 * Rows that an outside source (NetBox) is to know, for SQLite: one row for each address of its zones, `next_at` where the row needs a
 * look, and texts that belong to the source. `revision` guards each change.
 */
export const OUTSIDE_ROWS = `
CREATE TABLE outside (
  network TEXT NOT NULL,
  address ANY NOT NULL,
  zone TEXT NOT NULL,
  mark TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'confirmed', 'leaving')),
  external_id INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER,
  fault TEXT NOT NULL DEFAULT '',
  revision INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (network, address)
) STRICT, WITHOUT ROWID;
CREATE INDEX outside_next ON outside (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX outside_zone ON outside (zone);
CREATE TABLE outside_note (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

/** The same for PostgreSQL. */
export const POSTGRES_OUTSIDE_ROWS = `
CREATE TABLE ipam.outside (
  network text COLLATE "C" NOT NULL,
  address inet NOT NULL,
  zone text COLLATE "C" NOT NULL,
  mark text NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'confirmed', 'leaving')),
  external_id bigint,
  attempts integer NOT NULL DEFAULT 0,
  next_at bigint,
  fault text NOT NULL DEFAULT '',
  revision bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (network, address)
);
CREATE INDEX outside_next ON ipam.outside (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX outside_zone ON ipam.outside (zone);
CREATE TABLE ipam.outside_note (name text PRIMARY KEY, text text NOT NULL);
`;
