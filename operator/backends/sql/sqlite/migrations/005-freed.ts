/** Freed addresses that are kept on SQLite for clients that come back to an event stream; about 8 MB. */
export const FREED_KEPT = 100_000;

/**
 * Version 5: freed addresses, for the event streams, also after a restart. A trigger writes them in the transaction of the release,
 * whichever verb that is. `token` tells an entry from one that has its number in another life of the file, after a backup was
 * restored. The newest entry is never deleted, so no number comes twice.
 */
export const FREED_5 = `
CREATE TABLE freed (
  seq INTEGER PRIMARY KEY,
  token INTEGER NOT NULL,
  network TEXT NOT NULL,
  zone TEXT NOT NULL,
  address ANY NOT NULL,
  free_at INTEGER NOT NULL
) STRICT;

CREATE TRIGGER address_freed AFTER UPDATE OF ended_at, state ON address
WHEN OLD.ended_at IS NULL AND OLD.state = 'held' AND (NEW.ended_at IS NOT NULL OR NEW.state = 'quarantined')
BEGIN
  INSERT INTO freed (token, network, zone, address, free_at) VALUES
    (random() & 4294967295, NEW.network, NEW.zone, NEW.address, coalesce(NEW.quarantine_until, NEW.ended_at));
  DELETE FROM freed WHERE seq <= (SELECT max(seq) FROM freed) - ${FREED_KEPT};
END;
`;
