/**
 * Version 1: the holder of each address, now (`ended_at IS NULL`) and before. Rows are ended, never deleted.
 *
 * `address.address`: IPv4 as INTEGER, IPv6 as 16-byte BLOB. `holder.id` stays when a holder is replaced, so one id has one
 * row per state it went through; `former` marks the last holder of an address that is in quarantine. Times are
 * milliseconds since 1970. `setting` holds the counter of changes (`revision`) and the fingerprint of the hash key.
 */
export const CLAIMS_1 = `
CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  value ANY NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO setting (name, value) VALUES ('revision', 0);

CREATE TABLE address (
  id INTEGER PRIMARY KEY,
  network TEXT NOT NULL,
  address ANY NOT NULL CHECK (
    (family = 4 AND typeof(address) = 'integer') OR (family = 6 AND typeof(address) = 'blob' AND length(address) = 16)
  ),
  family INTEGER NOT NULL,
  zone TEXT NOT NULL,
  secret_hash TEXT NOT NULL,
  secret_scope TEXT NOT NULL CHECK (secret_scope IN ('shared', 'namespace')),
  state TEXT NOT NULL CHECK (state IN ('held', 'quarantined')),
  quarantine_until INTEGER CHECK ((state = 'quarantined') = (quarantine_until IS NOT NULL)),
  version INTEGER NOT NULL,
  taken_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE UNIQUE INDEX address_live ON address (network, address) WHERE ended_at IS NULL;
CREATE INDEX address_zone ON address (network, zone, family, state) WHERE ended_at IS NULL;
CREATE INDEX address_quarantine ON address (network, quarantine_until) WHERE ended_at IS NULL AND state = 'quarantined';

CREATE TABLE holder (
  row_id INTEGER PRIMARY KEY,
  id INTEGER NOT NULL,
  address_id INTEGER NOT NULL REFERENCES address (id),
  service_name TEXT NOT NULL,
  namespace_uid TEXT NOT NULL,
  cluster_uid TEXT NOT NULL,
  namespace TEXT NOT NULL,
  service_uid TEXT,
  state TEXT NOT NULL CHECK (state IN ('reserved', 'bound', 'retained')),
  key TEXT,
  retention_days INTEGER NOT NULL,
  deny_external_cleanup INTEGER NOT NULL,
  sharing TEXT,
  written_keys TEXT NOT NULL,
  expires_at INTEGER,
  since INTEGER NOT NULL,
  ended_at INTEGER,
  former INTEGER NOT NULL DEFAULT 0 CHECK (former = 0 OR ended_at IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX holder_key ON holder (key) WHERE ended_at IS NULL AND key IS NOT NULL;
CREATE INDEX holder_address ON holder (address_id) WHERE ended_at IS NULL OR former = 1;
CREATE INDEX holder_service ON holder (cluster_uid, namespace_uid, service_name) WHERE ended_at IS NULL OR former = 1;
CREATE INDEX holder_uid ON holder (service_uid) WHERE (ended_at IS NULL OR former = 1) AND service_uid IS NOT NULL;
CREATE INDEX holder_expiry ON holder (state, expires_at) WHERE ended_at IS NULL AND expires_at IS NOT NULL;
CREATE INDEX holder_reserved ON holder (namespace_uid) WHERE ended_at IS NULL AND state = 'reserved';
`;
