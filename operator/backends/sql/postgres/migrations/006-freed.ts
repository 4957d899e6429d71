/**
 * Version 6 on PostgreSQL: freed addresses, for the event streams of every replica. `xid` orders them: numbers of a sequence may
 * become visible in another order, while everything below the oldest transaction that runs is final.
 */
export const POSTGRES_FREED_6 = `
CREATE TABLE ipam.freed (
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  seq bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz NOT NULL DEFAULT now(),
  network text COLLATE "C" NOT NULL,
  zone text COLLATE "C" NOT NULL,
  address inet NOT NULL,
  free_at bigint NOT NULL,
  PRIMARY KEY (xid, seq)
);
`;
