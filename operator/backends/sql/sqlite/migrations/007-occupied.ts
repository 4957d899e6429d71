/**
 * Version 7: addresses that clusters show without a claim. Each cluster has rows of its own; where one of them is not `avoided` and
 * no claim is live, the table `address` has a row of state `foreign`.
 */
export const OCCUPIED_7 = `
CREATE TABLE occupied (
  network TEXT NOT NULL,
  address ANY NOT NULL,
  cluster TEXT NOT NULL,
  source TEXT NOT NULL,
  avoided INTEGER NOT NULL CHECK (avoided IN (0, 1)),
  PRIMARY KEY (network, address, cluster)
) STRICT, WITHOUT ROWID;
CREATE INDEX occupied_cluster ON occupied (cluster, address);
CREATE INDEX occupied_avoided ON occupied (network, address) WHERE avoided = 1;

CREATE TABLE occupied_complete (
  cluster TEXT NOT NULL,
  network TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (cluster, network)
) STRICT, WITHOUT ROWID;
`;
