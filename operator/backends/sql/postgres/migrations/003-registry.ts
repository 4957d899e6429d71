/** Version 3 on PostgreSQL: what people ask of the record; see `003-registry.ts`. */
export const POSTGRES_REGISTRY_3 = `
ALTER TABLE ipam.holder ADD COLUMN purpose text;
ALTER TABLE ipam.address ADD COLUMN secret_sealed text;

CREATE TABLE ipam.cluster (
  uid text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  reported_at bigint NOT NULL
);

CREATE INDEX address_page ON ipam.address (zone, network, address) WHERE ended_at IS NULL;
CREATE INDEX address_past ON ipam.address (network, address) WHERE ended_at IS NOT NULL;
CREATE INDEX address_ended ON ipam.address (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX holder_of ON ipam.holder (address_id);
CREATE INDEX holder_name ON ipam.holder (namespace, service_name, cluster_uid) WHERE ended_at IS NULL OR former;
CREATE INDEX holder_retained ON ipam.holder (address_id) WHERE ended_at IS NULL AND state = 'retained';
CREATE INDEX holder_past ON ipam.holder (cluster_uid, service_name, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX holder_ended ON ipam.holder (ended_at) WHERE ended_at IS NOT NULL AND NOT former;
`;
