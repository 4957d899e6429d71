/**
 * PostgreSQL functions that keep the log of freed addresses. A trigger writes it, in the transaction of the release, whichever
 * verb or release of this program that is.
 */
export const FREED_FUNCTIONS = `
CREATE OR REPLACE FUNCTION ipam.note_freed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ipam.freed (network, zone, address, free_at)
    VALUES (NEW.network, NEW.zone, NEW.address, coalesce(NEW.quarantine_until, NEW.ended_at));
  RETURN NULL;
END $$;

-- asked for first, since making it waits for everybody who writes; PostgreSQL 13 knows no OR REPLACE for it
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = 'ipam.address'::regclass AND tgname = 'address_freed') THEN
    CREATE TRIGGER address_freed AFTER UPDATE ON ipam.address FOR EACH ROW
      WHEN (OLD.ended_at IS NULL AND OLD.state = 'held' AND (NEW.ended_at IS NOT NULL OR NEW.state = 'quarantined'))
      EXECUTE FUNCTION ipam.note_freed();
  END IF;
END $$;

-- what a client may still ask for is kept for an hour; the newest place that went is kept, so that nobody takes a gap for silence
CREATE OR REPLACE FUNCTION ipam.prune_freed() RETURNS void LANGUAGE sql AS $$
  WITH gone AS (DELETE FROM ipam.freed WHERE at < now() - interval '1 hour' RETURNING xid)
  INSERT INTO ipam.setting AS s (name, value) SELECT 'freedPruned', max(xid::text::numeric)::text FROM gone HAVING count(*) > 0
    ON CONFLICT (name) DO UPDATE SET value = greatest(s.value::numeric, excluded.value::numeric)::text
$$;
`;
