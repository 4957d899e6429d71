/** PostgreSQL functions for what people ask of the record, and for the hash key. */
export const REGISTRY_FUNCTIONS = `
-- what a take would answer now: an address, or why not
CREATE OR REPLACE FUNCTION ipam.peek(p_work jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  v_request jsonb := p_work->'requests'->0;
  v_space jsonb := p_work->'spaces'->(v_request->>'space')::integer;
  v_now bigint := (v_request->>'nowMs')::bigint;
  v_refusal jsonb;
  v_address inet;
  v_row ipam.address;
BEGIN
  SELECT a.address INTO v_address FROM ipam.holder h JOIN ipam.address a ON a.id = h.address_id
    WHERE h.key = v_request->'holder'->>6 AND h.ended_at IS NULL;
  IF FOUND THEN
    RETURN jsonb_build_object('address', v_address);
  END IF;
  v_refusal := ipam.limits(v_request, true);
  IF v_refusal IS NOT NULL THEN
    RETURN v_refusal;
  END IF;
  IF v_request ? 'address' THEN
    SELECT * INTO v_row FROM ipam.address WHERE network = v_request->>'network'
      AND address = (v_request->>'address')::inet AND ended_at IS NULL;
    IF v_row.state = 'held' THEN
      RETURN ipam.refuse_by('held', v_row);
    ELSIF v_row.quarantine_until > v_now
      AND v_row.version IS DISTINCT FROM (v_request->>'returningOver')::bigint THEN
      RETURN ipam.refuse_by('quarantined', v_row);
    END IF;
    RETURN jsonb_build_object('address', v_request->'address');
  END IF;
  IF NOT EXISTS (SELECT FROM ipam.network WHERE name = v_request->>'network') THEN
    v_address := (v_space->0->>0)::inet;
  ELSE
    SELECT min(c.address) INTO v_address FROM (
      SELECT greatest(f.first, (s.part->>0)::inet) AS address FROM jsonb_array_elements(v_space) AS s(part), LATERAL (
        SELECT r.first FROM ipam.free_range r WHERE r.network = v_request->>'network'
          AND r.last >= (s.part->>0)::inet ORDER BY r.last LIMIT 1
      ) f WHERE f.first <= (s.part->>1)::inet
      UNION ALL
      SELECT a.address FROM ipam.address a JOIN jsonb_array_elements(v_space) AS s(part)
        ON a.address BETWEEN (s.part->>0)::inet AND (s.part->>1)::inet
        WHERE a.network = v_request->>'network' AND a.ended_at IS NULL AND a.state = 'quarantined'
          AND a.quarantine_until <= v_now
    ) c;
  END IF;
  RETURN CASE WHEN v_address IS NULL THEN ipam.refuse_full(v_request) ELSE jsonb_build_object('address', v_address) END;
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

CREATE OR REPLACE FUNCTION ipam.key_fingerprint(p_candidate text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF p_candidate IS NOT NULL THEN
    -- waits for what writes at this moment and keeps others from writing until the end
    LOCK TABLE ipam.address IN SHARE MODE;
    -- nobody holds anything: no stored hash depends on the old key any more
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
