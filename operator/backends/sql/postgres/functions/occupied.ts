/**
 * PostgreSQL functions for addresses that clusters show without a claim. A writer of a use locks the live row at its address
 * before; the end of a claim has it locked and looks for uses behind that. So no address is free while a use counts.
 */
export const OCCUPIED_FUNCTIONS = `
-- whether clusters show an address by something that counts
CREATE OR REPLACE FUNCTION ipam.is_used(p_network text, p_address inet) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM ipam.occupied WHERE network = p_network AND address = p_address AND NOT avoided)
$$;

-- a row in use with the use that stands against a holder; without source where the only one is its own
CREATE OR REPLACE FUNCTION ipam.name_use(p_row ipam.address, p_holder jsonb) RETURNS ipam.address LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_cluster text := coalesce(p_holder->>2, '');
  v_source text := coalesce(p_holder->>14, 'Service') || '/' || coalesce(nullif(p_holder->>3, '') || '/', '')
    || coalesce(p_holder->>0, '');
BEGIN
  IF p_row.state <> 'foreign' OR p_row.foreign_cluster <> v_cluster OR p_row.foreign_source <> v_source THEN
    RETURN p_row;
  END IF;
  p_row.foreign_cluster := NULL;
  p_row.foreign_source := NULL;
  SELECT cluster, source INTO p_row.foreign_cluster, p_row.foreign_source FROM ipam.occupied
    WHERE network = p_row.network AND address = p_row.address AND NOT avoided AND NOT (cluster = v_cluster AND source = v_source)
    ORDER BY cluster LIMIT 1;
  RETURN p_row;
END $$;

-- the row of a free address that stands in no range, if a use counts there; else it is one that is chosen last
CREATE OR REPLACE FUNCTION ipam.occupy(p_network text, p_address inet) RETURNS void LANGUAGE sql AS $$
  INSERT INTO ipam.address (network, address, family, zone, state, foreign_cluster, foreign_source, version, taken_at)
    SELECT p_network, p_address, family(p_address), '', 'foreign', u.cluster, u.source, nextval('ipam.revision'), ipam.now_ms()
    FROM (SELECT * FROM ipam.occupied WHERE network = p_network AND address = p_address AND NOT avoided ORDER BY cluster LIMIT 1) u
    ON CONFLICT DO NOTHING;
  UPDATE ipam.occupied SET carved = avoided WHERE network = p_network AND address = p_address AND carved IS DISTINCT FROM avoided
$$;

-- gives space back, but for what clusters show in it
CREATE OR REPLACE FUNCTION ipam.give_back(p_network text, p_first inet, p_last inet) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_from inet := p_first;
  v_used inet;
BEGIN
  FOR v_used IN SELECT DISTINCT address FROM ipam.occupied WHERE network = p_network AND address BETWEEN p_first AND p_last
    ORDER BY address
  LOOP
    IF v_from < v_used THEN
      PERFORM ipam.give_back_free(p_network, v_from, v_used - 1);
    END IF;
    PERFORM ipam.occupy(p_network, v_used);
    IF v_used = p_last THEN
      RETURN;
    END IF;
    v_from := v_used + 1;
  END LOOP;
  PERFORM ipam.give_back_free(p_network, v_from, p_last);
END $$;

-- The lowest address of a space that is free and avoided; locked, so that no other take has it and no use of it ends.
CREATE OR REPLACE FUNCTION ipam.choose_avoided(p_network text, p_space jsonb) RETURNS inet LANGUAGE plpgsql AS $$
DECLARE
  v_part jsonb;
  v_address inet;
BEGIN
  FOR v_part IN SELECT value FROM jsonb_array_elements(p_space) LOOP
    SELECT o.address INTO v_address FROM ipam.occupied o WHERE o.network = p_network AND o.avoided AND o.carved
      AND o.address BETWEEN (v_part->>0)::inet AND (v_part->>1)::inet
      AND NOT EXISTS (SELECT FROM ipam.address a WHERE a.network = o.network AND a.address = o.address AND a.ended_at IS NULL)
      ORDER BY o.address LIMIT 1 FOR UPDATE OF o SKIP LOCKED;
    IF FOUND THEN
      RETURN v_address;
    END IF;
  END LOOP;
  RETURN NULL;
END $$;

-- the same for a look that takes nothing
CREATE OR REPLACE FUNCTION ipam.find_avoided(p_network text, p_space jsonb) RETURNS inet LANGUAGE sql STABLE AS $$
  SELECT min(o.address) FROM ipam.occupied o JOIN jsonb_array_elements(p_space) AS s(part)
    ON o.address BETWEEN (s.part->>0)::inet AND (s.part->>1)::inet
  WHERE o.network = p_network AND o.avoided AND o.carved AND NOT EXISTS (
    SELECT FROM ipam.address a WHERE a.network = o.network AND a.address = o.address AND a.ended_at IS NULL)
$$;

-- Brings rows and ranges in line with the uses of one address, whose live row is locked: false where that would have to wait.
CREATE OR REPLACE FUNCTION ipam.settle_use(p_place ipam.place, p_before ipam.occupied, p_row ipam.address, p_network text,
  p_address inet, p_wait boolean) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_used boolean := ipam.is_used(p_network, p_address);
  v_listed boolean := EXISTS (SELECT FROM ipam.occupied WHERE network = p_network AND address = p_address);
  v_now bigint := ipam.now_ms();
  v_carved text;
BEGIN
  IF p_row.id IS NULL THEN
    -- the uses are locked by now: a take that had one of them locked is seen
    IF EXISTS (SELECT FROM ipam.overlaps(p_network, p_address, NULL)) THEN
      RETURN false;
    END IF;
    IF NOT v_listed THEN
      IF p_before.carved THEN
        PERFORM ipam.give_back_free(p_network, p_address, p_address);
      END IF;
      RETURN true;
    END IF;
    v_carved := 'done';
    IF NOT EXISTS (SELECT FROM ipam.occupied WHERE network = p_network AND address = p_address AND carved)
      AND NOT coalesce(p_before.carved, false) THEN
      v_carved := ipam.carve_named(p_network, p_address, p_wait);
    END IF;
    IF v_carved = 'done' THEN
      PERFORM ipam.occupy(p_network, p_address);
    END IF;
    -- no range has it: somebody takes it at this moment
    RETURN v_carved = 'done';
  END IF;
  IF p_row.length IS NOT NULL OR p_row.state = 'held' THEN
    RETURN true;
  END IF;
  IF p_row.state = 'quarantined' THEN
    -- what is in use now is not kept for a former holder
    IF v_used THEN
      PERFORM ipam.end_quarantine(p_row, least(p_row.quarantine_until, v_now));
      PERFORM ipam.occupy(p_network, p_address);
      PERFORM ipam.tell(p_place, 'freed', p_row);
    END IF;
  ELSIF v_used THEN
    UPDATE ipam.address a SET foreign_cluster = u.cluster, foreign_source = u.source FROM (
      SELECT cluster, source FROM ipam.occupied WHERE network = p_network AND address = p_address AND NOT avoided
        ORDER BY cluster LIMIT 1) u
      WHERE a.id = p_row.id AND (a.foreign_cluster, a.foreign_source) IS DISTINCT FROM (u.cluster, u.source);
  ELSE
    UPDATE ipam.address SET ended_at = v_now WHERE id = p_row.id;
    PERFORM ipam.give_back(p_network, p_address, p_address);
    PERFORM ipam.tell(p_place, 'freed', p_row);
  END IF;
  RETURN true;
END $$;

CREATE OR REPLACE FUNCTION ipam.write_use(p_place ipam.place, p_request jsonb, p_wait boolean) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
  v_network text := p_request->>'network';
  v_address inet := (p_request->>'address')::inet;
  v_source text := p_request->>'source';
  v_avoided boolean := coalesce((p_request->>'avoided')::boolean, false);
  v_before ipam.occupied;
  v_row ipam.address;
  v_id bigint;
BEGIN
  -- the uses of one address are written one after the other
  IF NOT ipam.locked('use', jsonb_build_array(v_network, host(v_address))::text, p_wait) THEN
    RETURN '{"busy": true}';
  END IF;
  SELECT * INTO v_before FROM ipam.occupied
    WHERE network = v_network AND address = v_address AND cluster = p_request->>'cluster';
  IF v_before.source IS NOT DISTINCT FROM v_source AND (v_source IS NULL OR v_before.avoided = v_avoided) THEN
    RETURN '{"done": true}';
  END IF;
  FOR v_try IN 1..10 LOOP
    v_id := (SELECT o.id FROM ipam.overlaps(v_network, v_address, NULL) o LIMIT 1);
    v_row := NULL;
    IF v_id IS NOT NULL THEN
      v_row := ipam.lock_row(v_id, p_wait);
    END IF;
    BEGIN
      IF v_id IS NOT NULL AND v_row.id IS NULL THEN
        RAISE EXCEPTION SQLSTATE 'IP001';
      END IF;
      IF v_source IS NULL THEN
        DELETE FROM ipam.occupied WHERE network = v_network AND address = v_address AND cluster = p_request->>'cluster';
      ELSE
        INSERT INTO ipam.occupied AS o (network, address, cluster, source, avoided)
          VALUES (v_network, v_address, p_request->>'cluster', v_source, v_avoided)
          ON CONFLICT (network, address, cluster) DO UPDATE SET source = excluded.source, avoided = excluded.avoided;
      END IF;
      IF NOT ipam.settle_use(p_place, v_before, v_row, v_network, v_address, p_wait) THEN
        RAISE EXCEPTION SQLSTATE 'IP001';
      END IF;
      RETURN '{"done": true}';
    EXCEPTION WHEN SQLSTATE 'IP001' THEN
      IF NOT p_wait THEN
        RETURN '{"busy": true}';
      END IF;
    END;
  END LOOP;
  RAISE EXCEPTION 'the free ranges of network "%" do not fit its live rows', v_network;
END $$;
`;
