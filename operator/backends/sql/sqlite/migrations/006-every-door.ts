import { FREED_KEPT } from './005-freed';

/**
 * Version 6: claims of every kind of owner. SQLite changes no constraint in place, so both tables are written anew.
 *
 * `address.length`: bits of a prefix that begins at the address; NULL for one address. Without `secret_hash` no secret proves the
 * ownership. A `foreign` row has no holder: a cluster shows the address by `foreign_source`. `holder.moved_at`: when an exchange
 * brought the holder to its address.
 */
export const EVERY_DOOR_6 = `
CREATE TABLE address_6 (
  id INTEGER PRIMARY KEY,
  network TEXT NOT NULL,
  address ANY NOT NULL CHECK (
    (family = 4 AND typeof(address) = 'integer') OR (family = 6 AND typeof(address) = 'blob' AND length(address) = 16)
  ),
  length INTEGER CHECK (length BETWEEN 0 AND CASE family WHEN 4 THEN 31 ELSE 127 END),
  family INTEGER NOT NULL,
  zone TEXT NOT NULL,
  secret_hash TEXT CHECK ((secret_hash IS NULL) = (secret_scope IS NULL)),
  secret_scope TEXT CHECK (secret_scope IN ('shared', 'namespace')),
  secret_sealed TEXT,
  state TEXT NOT NULL CHECK (state IN ('held', 'quarantined', 'foreign')),
  quarantine_until INTEGER CHECK ((state = 'quarantined') = (quarantine_until IS NOT NULL)),
  foreign_cluster TEXT,
  foreign_source TEXT CHECK ((state = 'foreign') = (foreign_source IS NOT NULL)),
  version INTEGER NOT NULL,
  taken_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
INSERT INTO address_6 (id, network, address, family, zone, secret_hash, secret_scope, secret_sealed, state, quarantine_until,
    version, taken_at, ended_at)
  SELECT id, network, address, family, zone, secret_hash, secret_scope, secret_sealed, state, quarantine_until, version,
    taken_at, ended_at FROM address;

CREATE TABLE holder_6 (
  row_id INTEGER PRIMARY KEY,
  id INTEGER NOT NULL,
  address_id INTEGER NOT NULL REFERENCES address_6 (id),
  service_name TEXT NOT NULL,
  namespace_uid TEXT NOT NULL,
  cluster_uid TEXT NOT NULL,
  namespace TEXT NOT NULL,
  service_uid TEXT,
  state TEXT NOT NULL CHECK (state IN ('reserved', 'bound', 'retained', 'contested')),
  key TEXT,
  retention_days INTEGER,
  deny_external_cleanup INTEGER,
  sharing TEXT,
  written_keys TEXT,
  expires_at INTEGER,
  purpose TEXT,
  api_version TEXT NOT NULL DEFAULT 'v1',
  kind TEXT NOT NULL DEFAULT 'Service',
  since INTEGER NOT NULL,
  moved_at INTEGER,
  ended_at INTEGER,
  former INTEGER NOT NULL DEFAULT 0 CHECK (former = 0 OR ended_at IS NOT NULL)
) STRICT;
INSERT INTO holder_6 (row_id, id, address_id, service_name, namespace_uid, cluster_uid, namespace, service_uid, state, key,
    retention_days, deny_external_cleanup, sharing, written_keys, expires_at, purpose, api_version, kind, since, ended_at, former)
  SELECT row_id, id, address_id, service_name, namespace_uid, cluster_uid, namespace, service_uid, state, key,
    retention_days, deny_external_cleanup, sharing, written_keys, expires_at, purpose, 'v1', 'Service', since, ended_at, former
  FROM holder;

-- the one with the foreign key first
DROP TABLE holder;
DROP TABLE address;
ALTER TABLE address_6 RENAME TO address;
ALTER TABLE holder_6 RENAME TO holder;

CREATE UNIQUE INDEX address_live ON address (network, address) WHERE ended_at IS NULL;
CREATE INDEX address_zone ON address (network, zone, family, state) WHERE ended_at IS NULL;
CREATE INDEX address_quarantine ON address (network, quarantine_until) WHERE ended_at IS NULL AND state = 'quarantined';
CREATE INDEX address_prefix ON address (network, address) WHERE ended_at IS NULL AND length IS NOT NULL;
CREATE INDEX address_foreign ON address (network, address) WHERE ended_at IS NULL AND state = 'foreign';
CREATE INDEX address_page ON address (zone, network, address) WHERE ended_at IS NULL;
CREATE INDEX address_past ON address (network, address) WHERE ended_at IS NOT NULL;
CREATE INDEX address_ended ON address (ended_at) WHERE ended_at IS NOT NULL;

CREATE UNIQUE INDEX holder_key ON holder (key) WHERE ended_at IS NULL AND key IS NOT NULL;
CREATE INDEX holder_address ON holder (address_id) WHERE ended_at IS NULL OR former = 1;
CREATE INDEX holder_service ON holder (cluster_uid, namespace_uid, service_name) WHERE ended_at IS NULL OR former = 1;
CREATE INDEX holder_uid ON holder (service_uid) WHERE (ended_at IS NULL OR former = 1) AND service_uid IS NOT NULL;
CREATE INDEX holder_expiry ON holder (state, expires_at) WHERE ended_at IS NULL AND expires_at IS NOT NULL;
CREATE INDEX holder_reserved ON holder (namespace_uid) WHERE ended_at IS NULL AND state = 'reserved';
CREATE INDEX holder_of ON holder (address_id);
CREATE INDEX holder_name ON holder (namespace, service_name, cluster_uid) WHERE ended_at IS NULL OR former = 1;
CREATE INDEX holder_retained ON holder (address_id) WHERE ended_at IS NULL AND state = 'retained';
CREATE INDEX holder_contested ON holder (address_id) WHERE ended_at IS NULL AND state = 'contested';
CREATE INDEX holder_past ON holder (cluster_uid, service_name, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX holder_ended ON holder (ended_at) WHERE ended_at IS NOT NULL AND former = 0;

CREATE TRIGGER address_freed AFTER UPDATE OF ended_at, state ON address
WHEN OLD.ended_at IS NULL AND OLD.state = 'held' AND (NEW.ended_at IS NOT NULL OR NEW.state = 'quarantined')
BEGIN
  INSERT INTO freed (token, network, zone, address, free_at) VALUES
    (random() & 4294967295, NEW.network, NEW.zone, NEW.address, coalesce(NEW.quarantine_until, NEW.ended_at));
  DELETE FROM freed WHERE seq <= (SELECT max(seq) FROM freed) - ${FREED_KEPT};
END;
`;
