/**
 * Freed addresses on PostgreSQL, for the event streams of every replica. A trigger writes them, in the transaction of the
 * release, whichever verb or release of this program that is. `xid` orders them: numbers of a sequence may become visible in
 * another order, while everything below the oldest transaction that runs is final.
 */
export const POSTGRES_FREED = `
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

CREATE FUNCTION ipam.note_freed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ipam.freed (network, zone, address, free_at)
    VALUES (NEW.network, NEW.zone, NEW.address, coalesce(NEW.quarantine_until, NEW.ended_at));
  RETURN NULL;
END $$;

CREATE TRIGGER address_freed AFTER UPDATE ON ipam.address FOR EACH ROW
  WHEN (OLD.ended_at IS NULL AND OLD.state = 'held' AND (NEW.ended_at IS NOT NULL OR NEW.state = 'quarantined'))
  EXECUTE FUNCTION ipam.note_freed();

-- what a client may still ask for is kept for an hour; the newest place that went is kept, so that nobody takes a gap for silence
CREATE FUNCTION ipam.prune_freed() RETURNS void LANGUAGE sql AS $$
  WITH gone AS (DELETE FROM ipam.freed WHERE at < now() - interval '1 hour' RETURNING xid)
  INSERT INTO ipam.setting AS s (name, value) SELECT 'freedPruned', max(xid::text::numeric)::text FROM gone HAVING count(*) > 0
    ON CONFLICT (name) DO UPDATE SET value = greatest(s.value::numeric, excluded.value::numeric)::text
$$;
`;
