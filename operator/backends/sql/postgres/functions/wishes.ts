/** PostgreSQL functions that make a wished space free for a take: NULL, or why not. */
export const WISH_FUNCTIONS = `
-- Ends a locked quarantine that is over or that the caller returns to. Space of which the caller wants another part is given back.
CREATE OR REPLACE FUNCTION ipam.leave(p_place ipam.place, p_request jsonb, p_row ipam.address, p_now bigint) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
  v_over boolean := p_row.quarantine_until <= p_now;
  v_same boolean := p_row.address = (p_request->>'address')::inet
    AND p_row.length IS NOT DISTINCT FROM (p_request->>'length')::smallint;
BEGIN
  IF NOT v_over AND p_row.version IS DISTINCT FROM (p_request->>'returningOver')::bigint THEN
    RETURN ipam.refuse_by('quarantined', p_row);
  END IF;
  PERFORM ipam.end_quarantine(p_row, CASE WHEN v_over THEN p_row.quarantine_until ELSE p_now END);
  IF NOT v_same THEN
    PERFORM ipam.give_back(p_row.network, p_row.address, ipam.last_of(p_row.address, p_row.length));
  END IF;
  IF v_over OR NOT v_same THEN
    PERFORM ipam.tell(p_place, 'freed', p_row);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION ipam.clear_address(p_place ipam.place, p_request jsonb, p_now bigint, p_wait boolean) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
  v_network text := p_request->>'network';
  v_address inet := (p_request->>'address')::inet;
  v_row ipam.address;
  v_carved text;
  v_refusal jsonb;
BEGIN
  FOR v_try IN 1..10 LOOP
    SELECT * INTO v_row FROM ipam.address WHERE network = v_network AND address = v_address AND ended_at IS NULL;
    IF v_row.id IS NULL THEN
      v_carved := ipam.carve_named(v_network, v_address, p_wait);
      IF v_carved <> 'none' THEN
        RETURN CASE v_carved WHEN 'busy' THEN '{"busy": true}'::jsonb END;
      END IF;
      -- no range has it: it was taken meanwhile, a prefix covers it, or it is avoided
      SELECT * INTO v_row FROM ipam.overlaps(v_network, v_address, NULL) LIMIT 1;
      IF v_row.id IS NULL THEN
        v_carved := ipam.lock_avoided(v_network, v_address, p_wait);
        IF v_carved <> 'none' THEN
          RETURN CASE v_carved WHEN 'busy' THEN '{"busy": true}'::jsonb END;
        END IF;
      END IF;
    END IF;
    v_row := ipam.name_use(v_row, p_request->'holder');
    IF v_row.state = 'foreign' AND v_row.foreign_source IS NULL THEN
      -- the holder itself shows it
      v_row := ipam.lock_row(v_row.id, p_wait);
      IF v_row.id IS NOT NULL THEN
        UPDATE ipam.address SET ended_at = p_now WHERE id = v_row.id;
        RETURN NULL;
      ELSIF NOT p_wait THEN
        RETURN '{"busy": true}';
      END IF;
    ELSIF v_row.id IS NOT NULL AND v_row.state <> 'quarantined' THEN
      RETURN ipam.refuse_by('held', v_row);
    ELSIF v_row.id IS NOT NULL THEN
      v_row := ipam.lock_row(v_row.id, p_wait);
      IF v_row.id IS NOT NULL THEN
        v_refusal := ipam.leave(p_place, p_request, v_row, p_now);
        IF v_refusal IS NOT NULL OR (v_row.address = v_address AND v_row.length IS NULL) THEN
          RETURN v_refusal;
        END IF;
      ELSIF NOT p_wait THEN
        RETURN '{"busy": true}';
      END IF;
    END IF;
  END LOOP;
  -- neither live nor in a range: the ranges are not what they should be, and the unique index decides alone
  RETURN NULL;
END $$;

-- a free address that is avoided: 'done', 'busy', or 'none' where it is not
CREATE OR REPLACE FUNCTION ipam.lock_avoided(p_network text, p_address inet, p_wait boolean) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM ipam.occupied WHERE network = p_network AND address = p_address AND carved) THEN
    RETURN 'none';
  ELSIF p_wait THEN
    PERFORM FROM ipam.occupied WHERE network = p_network AND address = p_address AND carved FOR UPDATE;
  ELSE
    PERFORM FROM ipam.occupied WHERE network = p_network AND address = p_address AND carved FOR UPDATE SKIP LOCKED;
  END IF;
  RETURN CASE WHEN FOUND THEN 'done' WHEN p_wait THEN 'none' ELSE 'busy' END;
END $$;

-- a live row, locked; nothing where it ended meanwhile, or where another process has it and nothing shall wait
CREATE OR REPLACE FUNCTION ipam.lock_row(p_id bigint, p_wait boolean) RETURNS ipam.address LANGUAGE plpgsql AS $$
DECLARE
  v_row ipam.address;
BEGIN
  IF p_wait THEN
    SELECT * INTO v_row FROM ipam.address WHERE id = p_id AND ended_at IS NULL FOR UPDATE;
  ELSE
    SELECT * INTO v_row FROM ipam.address WHERE id = p_id AND ended_at IS NULL FOR UPDATE SKIP LOCKED;
  END IF;
  RETURN v_row;
END $$;

-- the lowest live row in the way of a wished space
CREATE OR REPLACE FUNCTION ipam.obstacle(p_request jsonb, p_now bigint) RETURNS ipam.address LANGUAGE sql STABLE AS $$
  SELECT o FROM ipam.overlaps(p_request->>'network', (p_request->>'address')::inet, (p_request->>'length')::integer) o
  WHERE state = 'held' OR (state = 'foreign' AND (ipam.name_use(o, p_request->'holder')).foreign_source IS NOT NULL)
    OR (quarantine_until > p_now AND version IS DISTINCT FROM (p_request->>'returningOver')::bigint)
  ORDER BY address LIMIT 1
$$;

-- puts what is avoided into ranges again, for a prefix that is taken around it
CREATE OR REPLACE FUNCTION ipam.give_avoided(p_network text, p_first inet, p_last inet) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_address inet;
BEGIN
  FOR v_address IN SELECT DISTINCT o.address FROM ipam.occupied o WHERE o.network = p_network AND o.carved
    AND o.address BETWEEN p_first AND p_last AND NOT EXISTS (SELECT FROM ipam.address a WHERE a.network = o.network
      AND a.address = o.address AND a.ended_at IS NULL)
  LOOP
    UPDATE ipam.occupied SET carved = false WHERE network = p_network AND address = v_address;
    PERFORM ipam.give_back_free(p_network, v_address, v_address);
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION ipam.clear_block(p_place ipam.place, p_request jsonb, p_now bigint, p_wait boolean) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
  v_network text := p_request->>'network';
  v_first inet := (p_request->>'address')::inet;
  v_length integer := (p_request->>'length')::integer;
  v_row ipam.address;
  v_carved text;
  v_same boolean;
BEGIN
  FOR v_try IN 1..10000 LOOP
    v_row := ipam.obstacle(p_request, p_now);
    IF v_row.id IS NOT NULL THEN
      RETURN ipam.refuse_by(CASE v_row.state WHEN 'quarantined' THEN 'quarantined' ELSE 'held' END, v_row);
    END IF;
    PERFORM ipam.give_avoided(v_network, v_first, ipam.last_of(v_first, v_length));
    SELECT * INTO v_row FROM ipam.overlaps(v_network, v_first, v_length) ORDER BY address LIMIT 1;
    IF v_row.id IS NULL THEN
      v_carved := ipam.carve_block(v_network, v_first, ipam.last_of(v_first, v_length), p_wait);
      IF v_carved <> 'none' THEN
        RETURN CASE v_carved WHEN 'busy' THEN '{"busy": true}'::jsonb END;
      END IF;
    ELSE
      v_row := ipam.lock_row(v_row.id, p_wait);
      IF v_row.id IS NULL AND NOT p_wait THEN
        RETURN '{"busy": true}';
      ELSIF v_row.state = 'foreign' THEN
        UPDATE ipam.address SET ended_at = p_now WHERE id = v_row.id;
        PERFORM ipam.give_back_free(v_network, v_row.address, v_row.address);
      ELSIF v_row.state = 'quarantined' THEN
        v_same := v_row.address = v_first AND v_row.length IS NOT DISTINCT FROM v_length;
        PERFORM ipam.leave(p_place, p_request, v_row, p_now);
        IF v_same THEN
          RETURN NULL;
        END IF;
      END IF;
    END IF;
  END LOOP;
  RAISE EXCEPTION 'the free ranges of network "%" do not fit its live rows', v_network;
END $$;
`;
