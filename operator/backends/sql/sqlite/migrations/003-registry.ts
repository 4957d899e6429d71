/**
 * Version 3: what people ask of the record. `cluster` has the last complete report of each cluster. History is found by its
 * address (`address_past`), by its Service (`holder_past`) and by its age (`holder_ended`, `address_ended`), which bounds it;
 * `holder_of` also keeps the check of the foreign key, when an old address goes, from reading the whole table.
 */
export const REGISTRY_3 = `
ALTER TABLE holder ADD COLUMN purpose TEXT;
ALTER TABLE address ADD COLUMN secret_sealed TEXT;

CREATE TABLE cluster (
  uid TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  reported_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX address_page ON address (zone, network, address) WHERE ended_at IS NULL;
CREATE INDEX address_past ON address (network, address) WHERE ended_at IS NOT NULL;
CREATE INDEX address_ended ON address (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX holder_of ON holder (address_id);
CREATE INDEX holder_name ON holder (namespace, service_name, cluster_uid) WHERE ended_at IS NULL OR former = 1;
CREATE INDEX holder_retained ON holder (address_id) WHERE ended_at IS NULL AND state = 'retained';
CREATE INDEX holder_past ON holder (cluster_uid, service_name, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX holder_ended ON holder (ended_at) WHERE ended_at IS NOT NULL AND former = 0;
`;
