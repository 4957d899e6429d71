/** Version 2 on PostgreSQL: what people ask of the record; see `002-registry.ts`. The verbs keep two columns more. */
export const POSTGRES_REGISTRY_2 = `
ALTER TABLE ipam.holder ADD COLUMN purpose text;
ALTER TABLE ipam.address ADD COLUMN secret_sealed text;

CREATE TABLE ipam.cluster (
  uid text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  reported_at bigint NOT NULL
);

CREATE INDEX address_page ON ipam.address (zone, network, address) WHERE ended_at IS NULL;
CREATE INDEX address_past ON ipam.address (network, address) WHERE ended_at IS NOT NULL;
CREATE INDEX address_ended ON ipam.address (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX holder_of ON ipam.holder (address_id);
CREATE INDEX holder_name ON ipam.holder (namespace, service_name, cluster_uid) WHERE ended_at IS NULL OR former;
CREATE INDEX holder_retained ON ipam.holder (address_id) WHERE ended_at IS NULL AND state = 'retained';
CREATE INDEX holder_past ON ipam.holder (cluster_uid, service_name, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX holder_ended ON ipam.holder (ended_at) WHERE ended_at IS NOT NULL AND NOT former;

CREATE OR REPLACE FUNCTION ipam.claim_rows(p_id bigint) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_agg(jsonb_build_array(a.id, a.network, a.address, a.family, a.zone, a.secret_hash, a.secret_scope, a.state,
    a.quarantine_until, a.version, a.taken_at, h.id, h.since, h.service_name, h.namespace_uid, h.cluster_uid, h.namespace,
    h.service_uid, h.state, h.key, h.retention_days, h.deny_external_cleanup, h.sharing, h.written_keys, h.expires_at,
    h.purpose, a.secret_sealed
  ) ORDER BY h.id)
  FROM ipam.address a JOIN ipam.holder h ON h.address_id = a.id AND (h.ended_at IS NULL OR h.former) WHERE a.id = p_id
$$;

CREATE OR REPLACE FUNCTION ipam.add_holder(p_address_id bigint, p_id bigint, p_since bigint, p_holder jsonb) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO ipam.holder (id, address_id, since, service_name, namespace_uid, cluster_uid, namespace, service_uid, state,
    key, retention_days, deny_external_cleanup, sharing, written_keys, expires_at, purpose)
  VALUES (p_id, p_address_id, p_since, p_holder->>0, p_holder->>1, p_holder->>2, p_holder->>3, p_holder->>4, p_holder->>5,
    p_holder->>6, (p_holder->>7)::integer, p_holder->>8 = '1', p_holder->>9, p_holder->>10, (p_holder->>11)::bigint,
    p_holder->>12)
$$;

CREATE OR REPLACE FUNCTION ipam.take(p_place ipam.place, p_request jsonb, p_space jsonb, p_wait boolean) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
  v_holder jsonb := p_request->'holder';
  v_now bigint := (p_request->>'nowMs')::bigint;
  v_same bigint;
  v_refusal jsonb;
  v_address inet;
  v_row ipam.address;
BEGIN
  IF v_holder->>6 IS NOT NULL THEN
    IF NOT ipam.locked('key', v_holder->>6, p_wait) THEN
      RETURN '{"busy": true}';
    END IF;
    SELECT address_id INTO v_same FROM ipam.holder WHERE key = v_holder->>6 AND ended_at IS NULL;
    IF FOUND THEN
      RETURN jsonb_build_object('rows', ipam.claim_rows(v_same), 'created', false);
    END IF;
  END IF;
  v_refusal := ipam.limits(p_request, p_wait);
  IF v_refusal IS NOT NULL THEN
    RETURN v_refusal;
  END IF;
  IF NOT p_request ? 'address' THEN
    PERFORM ipam.expire(p_place, p_request->>'network', v_now);
  END IF;
  LOOP
    SELECT t.o_address, t.o_refusal INTO v_address, v_refusal
      FROM ipam.find_target(p_place, p_request, p_space, p_wait) t;
    IF v_refusal IS NOT NULL THEN
      RETURN v_refusal;
    END IF;
    INSERT INTO ipam.address (network, address, family, zone, secret_hash, secret_scope, secret_sealed, state, version, taken_at)
      VALUES (p_request->>'network', v_address, family(v_address), p_request->>'zone', p_request->'secret'->>0,
        p_request->'secret'->>1, p_request->'secret'->>2, 'held', nextval('ipam.revision'), v_now)
      ON CONFLICT DO NOTHING RETURNING * INTO v_row;
    EXIT WHEN FOUND;
  END LOOP;
  PERFORM ipam.add_holder(v_row.id, v_row.version, v_now, v_holder);
  PERFORM ipam.tell(p_place, 'taken', v_row);
  RETURN jsonb_build_object('rows', ipam.claim_rows(v_row.id), 'created', true);
END $$;

CREATE OR REPLACE FUNCTION ipam.bind(p_place ipam.place, p_request jsonb, p_wait boolean) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  v_holder jsonb := p_request->'holder';
  v_found record;
  v_row ipam.address;
  v_version bigint;
  v_id bigint;
  v_since bigint;
BEGIN
  IF v_holder->>6 IS NOT NULL AND NOT ipam.locked('key', v_holder->>6, p_wait) THEN
    RETURN '{"busy": true}';
  END IF;
  SELECT * INTO v_found FROM ipam.find_held(p_request, p_wait);
  IF v_found.o_refusal IS NOT NULL THEN
    RETURN v_found.o_refusal;
  END IF;
  v_row := v_found.o_row;
  IF EXISTS (SELECT FROM ipam.holder WHERE key = v_holder->>6 AND ended_at IS NULL
    AND id::text IS DISTINCT FROM p_request->>'holderId') THEN
    RETURN '{"refused": "key"}';
  END IF;
  v_version := nextval('ipam.revision');
  UPDATE ipam.holder SET ended_at = (p_request->>'nowMs')::bigint WHERE address_id = v_row.id
    AND id::text = p_request->>'holderId' AND ended_at IS NULL RETURNING id, since INTO v_id, v_since;
  PERFORM ipam.add_holder(v_row.id, coalesce(v_id, v_version), coalesce(v_since, (p_request->>'nowMs')::bigint), v_holder);
  UPDATE ipam.address SET version = v_version, secret_hash = coalesce(p_request->'secret'->>0, secret_hash),
    secret_scope = coalesce(p_request->'secret'->>1, secret_scope),
    secret_sealed = CASE WHEN p_request ? 'secret' THEN p_request->'secret'->>2 ELSE secret_sealed END WHERE id = v_row.id;
  PERFORM ipam.tell(p_place, 'changed', v_row);
  RETURN jsonb_build_object('rows', ipam.claim_rows(v_row.id));
END $$;

-- what a take would answer now: an address, or why not
CREATE FUNCTION ipam.peek(p_work jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
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
CREATE FUNCTION ipam.prune(p_before bigint, p_limit bigint) RETURNS bigint LANGUAGE plpgsql AS $$
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

CREATE FUNCTION ipam.replace_key_fingerprint(p_before text, p_after text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ipam.setting (name, value) VALUES ('keyFingerprint', '') ON CONFLICT DO NOTHING;
  UPDATE ipam.setting SET value = p_after WHERE name = 'keyFingerprint' AND value IN (p_before, p_after);
  RETURN FOUND;
END $$;
`;
