/** PostgreSQL functions that choose and take free prefixes; see `free-ranges.ts`. */
export const FREE_BLOCK_FUNCTIONS = `
-- first address, at or above another one, at which a prefix can begin; NULL behind the last one
CREATE OR REPLACE FUNCTION ipam.align_up(p_address inet, p_length integer) RETURNS inet LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN host(network(set_masklen(p_address, p_length)))::inet = p_address THEN p_address
    WHEN ipam.last_of(p_address, p_length) IN ('255.255.255.255', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff') THEN NULL
    ELSE ipam.last_of(p_address, p_length) + 1
  END
$$;

-- Takes a prefix out of the ranges that have it, all of which it locks in one order: 'done', 'busy', or 'none' where they do not
-- have all of it. Whatever else takes space of it meets it at one of these rows.
CREATE OR REPLACE FUNCTION ipam.carve_block(p_network text, p_first inet, p_last inet, p_wait boolean) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  v_ids bigint[];
  v_locked ipam.free_range[] := '{}';
  v_range ipam.free_range;
  v_next inet := p_first;
BEGIN
  v_ids := ARRAY(SELECT id FROM ipam.free_range WHERE network = p_network AND last BETWEEN p_first AND p_last) || ARRAY(
    SELECT id FROM (SELECT id, first FROM ipam.free_range WHERE network = p_network AND last > p_last ORDER BY last LIMIT 1) f
    WHERE f.first <= p_last);
  IF p_wait THEN
    FOR v_range IN SELECT * FROM ipam.free_range WHERE id = ANY (v_ids) ORDER BY last FOR UPDATE LOOP
      v_locked := array_append(v_locked, v_range);
    END LOOP;
  ELSE
    FOR v_range IN SELECT * FROM ipam.free_range WHERE id = ANY (v_ids) ORDER BY last FOR UPDATE SKIP LOCKED LOOP
      v_locked := array_append(v_locked, v_range);
    END LOOP;
    IF cardinality(v_locked) < cardinality(v_ids) THEN
      RETURN 'busy';
    END IF;
  END IF;
  -- a range may have shrunk between the look and the lock
  FOREACH v_range IN ARRAY v_locked LOOP
    IF v_next IS NULL OR v_range.first > v_next OR v_range.last < v_next THEN
      RETURN 'none';
    END IF;
    v_next := CASE WHEN v_range.last < p_last THEN v_range.last + 1 END;
  END LOOP;
  IF v_next IS NOT NULL THEN
    RETURN 'none';
  END IF;
  -- the last one stays where it goes on behind the prefix, since others may wait for it
  DELETE FROM ipam.free_range WHERE id = ANY (v_ids) AND last <= p_last;
  IF v_range.last > p_last THEN
    UPDATE ipam.free_range SET first = p_last + 1 WHERE id = v_range.id;
  END IF;
  IF v_locked[1].first < p_first THEN
    INSERT INTO ipam.free_range (network, first, last) VALUES (p_network, v_locked[1].first, p_first - 1);
  END IF;
  RETURN 'done';
END $$;

-- Lowest prefix of a length that is free as a whole between two addresses; ranges side by side count as one. With a time,
-- quarantines that ended by then count as free.
CREATE OR REPLACE FUNCTION ipam.find_block(p_network text, p_part jsonb, p_length integer, p_now bigint) RETURNS inet
LANGUAGE plpgsql AS $$
DECLARE
  v_from inet := (p_part->>0)::inet;
  v_to inet := (p_part->>1)::inet;
  v_range record;
  v_start inet;
  v_end inet;
  v_at inet;
BEGIN
  FOR v_range IN
    SELECT f.first, f.last FROM ipam.free_range f WHERE f.network = p_network AND f.last >= v_from
    UNION ALL
    SELECT a.address, ipam.last_of(a.address, a.length) FROM ipam.address a WHERE a.network = p_network AND a.ended_at IS NULL
      AND a.state = 'quarantined' AND a.quarantine_until <= p_now AND ipam.last_of(a.address, a.length) >= v_from
    ORDER BY 2
  LOOP
    EXIT WHEN v_range.first > v_to;
    IF (CASE WHEN v_end IS NULL THEN true ELSE v_end <> v_range.first - 1 END) THEN
      v_start := greatest(v_range.first, v_from);
    END IF;
    v_end := least(v_range.last, v_to);
    v_at := ipam.align_up(v_start, p_length);
    IF ipam.last_of(v_at, p_length) <= v_end THEN
      RETURN v_at;
    END IF;
  END LOOP;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION ipam.find_in_space(p_network text, p_space jsonb, p_length integer, p_now bigint) RETURNS inet
LANGUAGE plpgsql AS $$
DECLARE
  v_part jsonb;
  v_at inet;
BEGIN
  FOR v_part IN SELECT value FROM jsonb_array_elements(p_space) LOOP
    v_at := ipam.find_block(p_network, v_part, p_length, p_now);
    EXIT WHEN v_at IS NOT NULL;
  END LOOP;
  RETURN v_at;
END $$;

CREATE OR REPLACE FUNCTION ipam.choose_block(p_network text, p_space jsonb, p_length integer, p_wait boolean,
  OUT o_address inet, OUT o_busy boolean) LANGUAGE plpgsql AS $$
DECLARE
  v_carved text;
BEGIN
  o_busy := false;
  LOOP
    o_address := ipam.find_in_space(p_network, p_space, p_length, NULL);
    IF o_address IS NULL THEN
      RETURN;
    END IF;
    v_carved := ipam.carve_block(p_network, o_address, ipam.last_of(o_address, p_length), p_wait);
    o_busy := v_carved = 'busy';
    IF v_carved <> 'none' THEN
      RETURN;
    END IF;
  END LOOP;
END $$;
`;
