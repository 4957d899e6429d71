/**
 * PostgreSQL functions that choose, take and give back free addresses.
 *
 * Only the first request of a batch may wait for a lock of another process (`p_wait`); it then has no other request's locks.
 * Every later one that would have to wait answers "busy" and is sent again. So two batches never wait for each other.
 */
export const FREE_RANGE_FUNCTIONS = `
-- last address of the block of 64 that an address lies in
CREATE OR REPLACE FUNCTION ipam.block_end(p_address inet) RETURNS inet LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE family(p_address)
    WHEN 4 THEN set_masklen(broadcast(set_masklen(p_address, 26)), 32)
    ELSE set_masklen(broadcast(set_masklen(p_address, 122)), 128)
  END
$$;

CREATE OR REPLACE FUNCTION ipam.block_start(p_address inet) RETURNS inet LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE family(p_address)
    WHEN 4 THEN set_masklen(network(set_masklen(p_address, 26))::inet, 32)
    ELSE set_masklen(network(set_masklen(p_address, 122))::inet, 128)
  END
$$;

-- takes one address out of a range that the caller has locked
CREATE OR REPLACE FUNCTION ipam.carve(p_range ipam.free_range, p_address inet) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_end inet := ipam.block_end(p_address);
BEGIN
  IF p_address = p_range.last THEN
    IF p_address = p_range.first THEN
      DELETE FROM ipam.free_range WHERE id = p_range.id;
    ELSE
      UPDATE ipam.free_range SET last = p_address - 1 WHERE id = p_range.id;
    END IF;
    RETURN;
  END IF;
  IF p_address < v_end AND v_end < p_range.last THEN
    UPDATE ipam.free_range SET first = v_end + 1 WHERE id = p_range.id;
    INSERT INTO ipam.free_range (network, first, last) VALUES (p_range.network, p_address + 1, v_end);
  ELSE
    UPDATE ipam.free_range SET first = p_address + 1 WHERE id = p_range.id;
  END IF;
  IF p_range.first < p_address THEN
    INSERT INTO ipam.free_range (network, first, last) VALUES (p_range.network, p_range.first, p_address - 1);
  END IF;
END $$;

-- Gives space back; neighbours that another process has locked stay ranges of their own. One address joins those of its block of
-- 64 alone, so that each writer has a block of its own; a prefix joins whatever is beside it.
CREATE OR REPLACE FUNCTION ipam.give_back_free(p_network text, p_first inet, p_last inet) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_next ipam.free_range;
  v_before ipam.free_range;
BEGIN
  IF (CASE WHEN p_first = p_last THEN p_last < ipam.block_end(p_last)
    ELSE p_last NOT IN ('255.255.255.255', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff') END) THEN
    SELECT * INTO v_next FROM ipam.free_range f WHERE f.id = (
      SELECT id FROM ipam.free_range WHERE network = p_network AND last > p_last ORDER BY last LIMIT 1
    ) AND f.first = p_last + 1 FOR UPDATE SKIP LOCKED;
  END IF;
  IF (CASE WHEN p_first = p_last THEN p_first > ipam.block_start(p_first)
    ELSE p_first NOT IN ('0.0.0.0', '::') END) THEN
    SELECT * INTO v_before FROM ipam.free_range WHERE network = p_network AND last = p_first - 1
      FOR UPDATE SKIP LOCKED;
  END IF;
  IF v_next.id IS NOT NULL THEN
    IF v_before.id IS NOT NULL THEN
      DELETE FROM ipam.free_range WHERE id = v_before.id;
    END IF;
    UPDATE ipam.free_range SET first = coalesce(v_before.first, p_first) WHERE id = v_next.id;
  ELSIF v_before.id IS NOT NULL THEN
    UPDATE ipam.free_range SET last = p_last WHERE id = v_before.id;
  ELSE
    INSERT INTO ipam.free_range (network, first, last) VALUES (p_network, p_first, p_last);
  END IF;
END $$;

-- some free address of a space that no other process has locked, the lowest first; none and not busy: there is no free one
CREATE OR REPLACE FUNCTION ipam.unlocked_range(p_network text, p_first inet, p_last inet) RETURNS ipam.free_range
LANGUAGE plpgsql AS $$
DECLARE
  v_range ipam.free_range;
BEGIN
  SELECT * INTO v_range FROM ipam.free_range
    WHERE network = p_network AND last BETWEEN p_first AND p_last ORDER BY last LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF FOUND THEN
    RETURN v_range;
  END IF;
  -- at most one range begins inside and ends outside
  SELECT * INTO v_range FROM ipam.free_range f WHERE f.id = (
    SELECT id FROM ipam.free_range WHERE network = p_network AND last > p_last ORDER BY last LIMIT 1
  ) AND f.first <= p_last FOR UPDATE SKIP LOCKED;
  RETURN v_range;
END $$;

CREATE OR REPLACE FUNCTION ipam.any_range(p_network text, p_space jsonb) RETURNS bigint LANGUAGE sql AS $$
  SELECT f.id FROM jsonb_array_elements(p_space) AS s(part), LATERAL (
    SELECT r.id, r.first FROM ipam.free_range r
      WHERE r.network = p_network AND r.last >= (s.part->>0)::inet ORDER BY r.last LIMIT 1
  ) f WHERE f.first <= (s.part->>1)::inet LIMIT 1
$$;

CREATE OR REPLACE FUNCTION ipam.choose(p_network text, p_space jsonb, p_wait boolean, OUT o_address inet, OUT o_busy boolean)
LANGUAGE plpgsql AS $$
DECLARE
  v_part jsonb;
  v_range ipam.free_range;
  v_taken bigint;
BEGIN
  o_busy := false;
  LOOP
    FOR v_part IN SELECT value FROM jsonb_array_elements(p_space) LOOP
      v_range := ipam.unlocked_range(p_network, (v_part->>0)::inet, (v_part->>1)::inet);
      o_address := greatest(v_range.first, (v_part->>0)::inet);
      -- the range may have shrunk between the look and the lock
      IF v_range.id IS NOT NULL AND o_address <= least(v_range.last, (v_part->>1)::inet) THEN
        PERFORM ipam.carve(v_range, o_address);
        RETURN;
      END IF;
    END LOOP;
    o_address := NULL;
    v_taken := ipam.any_range(p_network, p_space);
    o_busy := v_taken IS NOT NULL AND NOT p_wait;
    IF v_taken IS NULL OR o_busy THEN
      RETURN;
    END IF;
    PERFORM FROM ipam.free_range WHERE id = v_taken FOR UPDATE;
  END LOOP;
END $$;

-- takes a named address out of its range: 'done', 'busy', or 'none' where no range has it
CREATE OR REPLACE FUNCTION ipam.carve_named(p_network text, p_address inet, p_wait boolean) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_id bigint;
  v_range ipam.free_range;
BEGIN
  SELECT f.id INTO v_id FROM ipam.free_range f WHERE f.id = (
    SELECT id FROM ipam.free_range WHERE network = p_network AND last >= p_address ORDER BY last LIMIT 1
  ) AND f.first <= p_address;
  IF v_id IS NULL THEN
    RETURN 'none';
  END IF;
  IF p_wait THEN
    SELECT * INTO v_range FROM ipam.free_range WHERE id = v_id FOR UPDATE;
  ELSE
    SELECT * INTO v_range FROM ipam.free_range WHERE id = v_id FOR UPDATE SKIP LOCKED;
  END IF;
  IF v_range.id IS NULL OR NOT p_address BETWEEN v_range.first AND v_range.last THEN
    RETURN CASE WHEN p_wait THEN 'none' ELSE 'busy' END;
  END IF;
  PERFORM ipam.carve(v_range, p_address);
  RETURN 'done';
END $$;
`;
