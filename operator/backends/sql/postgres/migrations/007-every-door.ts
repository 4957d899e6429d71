/** Version 7 on PostgreSQL: claims of every kind of owner; see `006-every-door.ts` of the SQLite store. No row is written anew. */
export const POSTGRES_EVERY_DOOR_7 = `
ALTER TABLE ipam.address
  ADD COLUMN length smallint CHECK (length BETWEEN 0 AND CASE family WHEN 4 THEN 31 ELSE 127 END),
  ADD COLUMN foreign_cluster text,
  ADD COLUMN foreign_source text,
  ALTER COLUMN secret_hash DROP NOT NULL,
  ALTER COLUMN secret_scope DROP NOT NULL,
  DROP CONSTRAINT address_state_check,
  ADD CONSTRAINT address_state_check CHECK (state IN ('held', 'quarantined', 'foreign')),
  ADD CONSTRAINT address_secret_check CHECK ((secret_hash IS NULL) = (secret_scope IS NULL)),
  ADD CONSTRAINT address_foreign_check CHECK ((state = 'foreign') = (foreign_source IS NOT NULL));
CREATE INDEX address_prefix ON ipam.address (network, address) WHERE ended_at IS NULL AND length IS NOT NULL;
CREATE INDEX address_foreign ON ipam.address (network, address) WHERE ended_at IS NULL AND state = 'foreign';

ALTER TABLE ipam.holder
  ADD COLUMN api_version text NOT NULL DEFAULT 'v1',
  ADD COLUMN kind text NOT NULL DEFAULT 'Service',
  ADD COLUMN moved_at bigint,
  ALTER COLUMN retention_days DROP NOT NULL,
  ALTER COLUMN deny_external_cleanup DROP NOT NULL,
  ALTER COLUMN written_keys DROP NOT NULL,
  DROP CONSTRAINT holder_state_check,
  ADD CONSTRAINT holder_state_check CHECK (state IN ('reserved', 'bound', 'retained', 'contested'));
CREATE INDEX holder_contested ON ipam.holder (address_id) WHERE ended_at IS NULL AND state = 'contested';

ALTER TABLE ipam.change ADD COLUMN length smallint;
`;
