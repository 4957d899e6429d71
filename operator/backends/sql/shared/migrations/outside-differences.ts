/**
 * Since when an outside source has been known not to be as a row says (0 while it is), and whether it has the address for another
 * owner; for SQLite.
 */
export const OUTSIDE_DIFFERENCES = `
ALTER TABLE outside ADD COLUMN differs_since INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outside ADD COLUMN has_foreign INTEGER NOT NULL DEFAULT 0 CHECK (has_foreign IN (0, 1));
`;

/** The same for PostgreSQL. Replicas of the release before name their columns, so they go on beside it. */
export const POSTGRES_OUTSIDE_DIFFERENCES = `
ALTER TABLE ipam.outside ADD COLUMN differs_since bigint NOT NULL DEFAULT 0;
ALTER TABLE ipam.outside ADD COLUMN has_foreign integer NOT NULL DEFAULT 0 CHECK (has_foreign IN (0, 1));
`;
