/**
 * Version 8 on PostgreSQL: addresses that clusters show without a claim; see `007-occupied.ts` of the SQLite store. `carved`: an
 * avoided address that is free and stands in no free range, so that it is chosen last.
 */
export const POSTGRES_OCCUPIED_8 = `
CREATE TABLE ipam.occupied (
  network text COLLATE "C" NOT NULL,
  address inet NOT NULL CHECK (masklen(address) = CASE family(address) WHEN 4 THEN 32 ELSE 128 END),
  cluster text COLLATE "C" NOT NULL,
  source text NOT NULL,
  avoided boolean NOT NULL,
  carved boolean NOT NULL DEFAULT false,
  PRIMARY KEY (network, address, cluster)
);
CREATE INDEX occupied_cluster ON ipam.occupied (cluster, address);
CREATE INDEX occupied_avoided ON ipam.occupied (network, address) WHERE avoided;

CREATE TABLE ipam.occupied_complete (
  cluster text COLLATE "C" NOT NULL,
  network text COLLATE "C" NOT NULL,
  since bigint NOT NULL,
  PRIMARY KEY (cluster, network)
);
`;
