/**
 * Version 1 on PostgreSQL: the holder of each address, now (`ended_at IS NULL`) and before, as in the SQLite store, plus what
 * several writers need. Rows of claims are ended, never deleted.
 *
 * - `free_range`: every address of a network that is not live, as disjoint ranges of any length. A writer locks the range
 *   that it takes from, and others go on to the next one (SKIP LOCKED). Long ranges are cut at the ends of blocks of 64, so
 *   each writer soon has a block of its own.
 * - `revision`: counter of changes, for versions and holder ids.
 * - `writer`: the newest batch of each process with its answer, so that a batch whose answer was lost is not run twice.
 * - `change`: what changed lately, for the watchers of other processes; pruned after some minutes.
 * - `place`: which request of which batch a function works for.
 */
export const POSTGRES_CLAIMS_1 = `
CREATE TABLE ipam.network (name text COLLATE "C" PRIMARY KEY);

CREATE TABLE ipam.address (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  network text COLLATE "C" NOT NULL,
  address inet NOT NULL CHECK (masklen(address) = CASE family(address) WHEN 4 THEN 32 ELSE 128 END),
  family smallint NOT NULL CHECK (family = family(address)),
  zone text COLLATE "C" NOT NULL,
  secret_hash text NOT NULL,
  secret_scope text NOT NULL CHECK (secret_scope IN ('shared', 'namespace')),
  state text NOT NULL CHECK (state IN ('held', 'quarantined')),
  quarantine_until bigint CHECK ((state = 'quarantined') = (quarantine_until IS NOT NULL)),
  version bigint NOT NULL,
  taken_at bigint NOT NULL,
  ended_at bigint
) WITH (fillfactor = 85);
CREATE UNIQUE INDEX address_live ON ipam.address (network, address) WHERE ended_at IS NULL;
CREATE INDEX address_zone ON ipam.address (network, zone, family, state) WHERE ended_at IS NULL;
CREATE INDEX address_quarantine ON ipam.address (network, quarantine_until)
  WHERE ended_at IS NULL AND state = 'quarantined';

CREATE TABLE ipam.holder (
  row_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id bigint NOT NULL,
  address_id bigint NOT NULL REFERENCES ipam.address (id),
  service_name text NOT NULL,
  namespace_uid text NOT NULL,
  cluster_uid text NOT NULL,
  namespace text NOT NULL,
  service_uid text,
  state text NOT NULL CHECK (state IN ('reserved', 'bound', 'retained')),
  key text,
  retention_days integer NOT NULL,
  deny_external_cleanup boolean NOT NULL,
  sharing text,
  written_keys text NOT NULL,
  expires_at bigint,
  since bigint NOT NULL,
  ended_at bigint,
  former boolean NOT NULL DEFAULT false CHECK (NOT former OR ended_at IS NOT NULL)
);
CREATE UNIQUE INDEX holder_key ON ipam.holder (key) WHERE ended_at IS NULL AND key IS NOT NULL;
CREATE INDEX holder_address ON ipam.holder (address_id) WHERE ended_at IS NULL OR former;
CREATE INDEX holder_service ON ipam.holder (cluster_uid, namespace_uid, service_name) WHERE ended_at IS NULL OR former;
CREATE INDEX holder_uid ON ipam.holder (service_uid) WHERE (ended_at IS NULL OR former) AND service_uid IS NOT NULL;
CREATE INDEX holder_expiry ON ipam.holder (state, expires_at) WHERE ended_at IS NULL AND expires_at IS NOT NULL;
CREATE INDEX holder_reserved ON ipam.holder (namespace_uid) WHERE ended_at IS NULL AND state = 'reserved';

-- "first" is not indexed, so taking from the front of a range leaves the index alone
CREATE TABLE ipam.free_range (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  network text COLLATE "C" NOT NULL,
  first inet NOT NULL,
  last inet NOT NULL,
  CHECK (family(first) = family(last) AND first <= last)
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX free_range_last ON ipam.free_range (network, last);

CREATE SEQUENCE ipam.revision;

CREATE TABLE ipam.writer (
  id uuid PRIMARY KEY,
  batch bigint NOT NULL,
  answer jsonb,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 20);

CREATE SEQUENCE ipam.change_seq;
CREATE TABLE ipam.change (
  seq bigint PRIMARY KEY DEFAULT nextval('ipam.change_seq'),
  writer uuid NOT NULL,
  batch bigint NOT NULL,
  request integer NOT NULL,
  kind text NOT NULL,
  network text NOT NULL,
  zone text NOT NULL,
  address inet NOT NULL
);

CREATE TYPE ipam.place AS (writer uuid, batch bigint, request integer);
`;
