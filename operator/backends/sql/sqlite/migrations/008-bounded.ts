/**
 * Version 8: terms of sharing of bounded length, and history of a namespace that can be counted. `bounded_terms` is a function of
 * the program, see `migrate`.
 */
export const BOUNDED_8 = `
UPDATE holder SET sharing = NULL WHERE ended_at IS NOT NULL AND former = 0 AND length(sharing) > 200;
UPDATE holder SET sharing = bounded_terms(sharing) WHERE length(sharing) > 200;
CREATE INDEX holder_history ON holder (cluster_uid, namespace_uid, ended_at) WHERE ended_at IS NOT NULL AND former = 0;
`;
