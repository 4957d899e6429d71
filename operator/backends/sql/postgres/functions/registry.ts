/** PostgreSQL functions for what people ask of the record, and for the hash key. */
export const REGISTRY_FUNCTIONS = `
-- what a take of one space would answer now: the space, or why not
CREATE OR REPLACE FUNCTION ipam.peek_one(p_request jsonb, p_space jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  v_now bigint := coalesce((p_request->>'nowMs')::bigint, ipam.now_ms());
  v_refusal jsonb;
  v_address inet;
  v_row ipam.address;
BEGIN
  SELECT a.* INTO v_row FROM ipam.holder h JOIN ipam.address a ON a.id = h.address_id
    WHERE h.key = p_request->'holder'->>6 AND h.ended_at IS NULL;
  IF FOUND THEN
    RETURN jsonb_build_object('network', v_row.network, 'address', v_row.address, 'length', v_row.length);
  END IF;
  v_refusal := ipam.limits(p_request, true);
  IF v_refusal IS NOT NULL THEN
    RETURN v_refusal;
  END IF;
  IF p_request ? 'address' THEN
    v_row := ipam.obstacle(p_request, v_now);
    IF v_row.id IS NOT NULL THEN
      RETURN ipam.refuse_by(CASE v_row.state WHEN 'quarantined' THEN 'quarantined' ELSE 'held' END,
        ipam.name_use(v_row, p_request->'holder'));
    END IF;
    v_address := (p_request->>'address')::inet;
  ELSIF NOT EXISTS (SELECT FROM ipam.network WHERE name = p_request->>'network') THEN
    v_address := ipam.peek_unused(p_space, (p_request->>'length')::integer);
  ELSIF p_request ? 'length' THEN
    v_address := ipam.find_in_space(p_request->>'network', p_space, (p_request->>'length')::integer, v_now);
  ELSE
    SELECT min(c.address) INTO v_address FROM (
      SELECT greatest(f.first, (s.part->>0)::inet) AS address FROM jsonb_array_elements(p_space) AS s(part), LATERAL (
        SELECT r.first FROM ipam.free_range r WHERE r.network = p_request->>'network'
          AND r.last >= (s.part->>0)::inet ORDER BY r.last LIMIT 1
      ) f WHERE f.first <= (s.part->>1)::inet
      UNION ALL
      SELECT a.address FROM ipam.address a JOIN jsonb_array_elements(p_space) AS s(part)
        ON a.address BETWEEN (s.part->>0)::inet AND (s.part->>1)::inet
        WHERE a.network = p_request->>'network' AND a.ended_at IS NULL AND a.state = 'quarantined'
          AND a.quarantine_until <= v_now
    ) c;
    v_address := coalesce(v_address, ipam.find_avoided(p_request->>'network', p_space));
  END IF;
  RETURN CASE WHEN v_address IS NULL THEN ipam.refuse_full(p_request)
    ELSE jsonb_build_object('network', p_request->'network', 'address', v_address, 'length', p_request->'length') END;
END $$;

-- the first space of a network in which nothing was taken yet
CREATE OR REPLACE FUNCTION ipam.peek_unused(p_space jsonb, p_length integer) RETURNS inet LANGUAGE sql IMMUTABLE AS $$
  SELECT min(CASE WHEN p_length IS NULL THEN first ELSE ipam.align_up(first, p_length) END) FROM (
    SELECT (part->>0)::inet AS first, (part->>1)::inet AS last FROM jsonb_array_elements(p_space) AS s(part)
  ) parts WHERE p_length IS NULL OR ipam.last_of(ipam.align_up(first, p_length), p_length) <= last
$$;

-- what a take would answer now: a space for each want, or why not
CREATE OR REPLACE FUNCTION ipam.peek_all(p_work jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  v_want jsonb;
  v_more bigint;
  v_found jsonb;
  v_all jsonb[] := '{}';
BEGIN
  SELECT count(*) INTO v_more FROM jsonb_array_elements(p_work->'requests') AS r(want)
    WHERE NOT EXISTS (SELECT FROM ipam.holder WHERE key = r.want->'holder'->>6 AND ended_at IS NULL);
  FOR v_want IN SELECT value FROM jsonb_array_elements(p_work->'requests') LOOP
    v_found := ipam.peek_one(v_want || jsonb_build_object('ahead', greatest(v_more - 1, 0)),
      p_work->'spaces'->(v_want->>'space')::integer);
    IF v_found ? 'refused' THEN
      RETURN v_found || jsonb_build_object('want', cardinality(v_all));
    END IF;
    v_all := array_append(v_all, v_found);
  END LOOP;
  RETURN jsonb_build_object('places', to_jsonb(v_all));
END $$;

-- deletes some of what ended long ago: how many holders went
CREATE OR REPLACE FUNCTION ipam.prune(p_before bigint, p_limit bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_gone bigint;
BEGIN
  DELETE FROM ipam.holder WHERE row_id IN (SELECT row_id FROM ipam.holder
    WHERE ended_at < p_before AND ended_at IS NOT NULL AND NOT former ORDER BY ended_at LIMIT p_limit
    FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS v_gone = ROW_COUNT;
  DELETE FROM ipam.address WHERE id IN (SELECT id FROM ipam.address a WHERE ended_at < p_before AND ended_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM ipam.holder h WHERE h.address_id = a.id) ORDER BY ended_at LIMIT p_limit
    FOR UPDATE SKIP LOCKED);
  RETURN v_gone;
END $$;

-- deletes some of the oldest rows of namespaces that have too many, as far as something ended there within a day: how many went
CREATE OR REPLACE FUNCTION ipam.prune_namespaces(p_rows bigint, p_limit bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_place record;
  v_addresses bigint[];
  v_gone bigint := 0;
BEGIN
  FOR v_place IN SELECT DISTINCT cluster_uid, namespace_uid FROM ipam.holder
    WHERE ended_at > ipam.now_ms() - 86400000 AND ended_at IS NOT NULL AND NOT former LOOP
    EXIT WHEN v_gone >= p_limit;
    WITH old AS (
      DELETE FROM ipam.holder WHERE row_id IN (SELECT row_id FROM ipam.holder
        WHERE cluster_uid = v_place.cluster_uid AND namespace_uid = v_place.namespace_uid AND ended_at IS NOT NULL AND NOT former
        ORDER BY ended_at DESC, row_id DESC OFFSET p_rows LIMIT p_limit - v_gone) RETURNING address_id
    ) SELECT coalesce(array_agg(address_id), '{}') INTO v_addresses FROM old;
    v_gone := v_gone + cardinality(v_addresses);
    DELETE FROM ipam.address a WHERE a.id = ANY (v_addresses) AND a.ended_at IS NOT NULL
      AND NOT EXISTS (SELECT FROM ipam.holder h WHERE h.address_id = a.id);
  END LOOP;
  RETURN v_gone;
END $$;

-- does what a claim and its end do to the tables and takes it back, then writes one row that stays
CREATE OR REPLACE FUNCTION ipam.probe() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_now bigint := ipam.now_ms();
  v_id bigint;
BEGIN
  BEGIN
    INSERT INTO ipam.address (network, address, family, zone, state, version, taken_at)
      VALUES (gen_random_uuid()::text, '0.0.0.0', 4, '', 'held', 0, v_now) RETURNING id INTO v_id;
    INSERT INTO ipam.holder (id, address_id, service_name, namespace_uid, cluster_uid, namespace, state, since)
      VALUES (0, v_id, '', '', '', '', 'reserved', v_now);
    UPDATE ipam.holder SET ended_at = v_now WHERE address_id = v_id;
    UPDATE ipam.address SET ended_at = v_now WHERE id = v_id;
    RAISE EXCEPTION USING ERRCODE = 'IPAM1';
  EXCEPTION WHEN SQLSTATE 'IPAM1' THEN
    NULL;
  END;
  INSERT INTO ipam.setting (name, value) VALUES ('probe', v_now::text) ON CONFLICT (name) DO UPDATE SET value = excluded.value;
END $$;

CREATE OR REPLACE FUNCTION ipam.key_fingerprint(p_candidate text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF p_candidate IS NOT NULL THEN
    -- waits for what writes at this moment and keeps other processes from writing until the end
    LOCK TABLE ipam.address IN SHARE MODE;
    -- no claim is held: no stored hash depends on the old key any more
    IF NOT EXISTS (SELECT FROM ipam.address WHERE ended_at IS NULL AND state = 'held') THEN
      INSERT INTO ipam.setting (name, value) VALUES ('keyFingerprint', p_candidate)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value;
    END IF;
  END IF;
  RETURN coalesce((SELECT value FROM ipam.setting WHERE name = 'keyFingerprint'), '');
END $$;

CREATE OR REPLACE FUNCTION ipam.replace_key_fingerprint(p_before text, p_after text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ipam.setting (name, value) VALUES ('keyFingerprint', '') ON CONFLICT DO NOTHING;
  UPDATE ipam.setting SET value = p_after WHERE name = 'keyFingerprint' AND value IN (p_before, p_after);
  RETURN FOUND;
END $$;
`;
