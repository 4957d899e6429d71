/** PostgreSQL functions of the verbs that change held space. */
export const VERB_FUNCTIONS = `
-- locks the record that a decision is about, if it is the one that its caller decided on
CREATE OR REPLACE FUNCTION ipam.find_held(p_request jsonb, p_now bigint, p_wait boolean, OUT o_row ipam.address,
  OUT o_refusal jsonb) LANGUAGE plpgsql AS $$
DECLARE
  v_version bigint := (p_request->>'version')::bigint;
BEGIN
  SELECT * INTO o_row FROM ipam.address
    WHERE network = p_request->>'network' AND address = (p_request->>'address')::inet AND ended_at IS NULL;
  -- versions never come back, so an old one needs no lock
  IF o_row.version = v_version THEN
    o_row := ipam.lock_row(o_row.id, p_wait);
    IF o_row.id IS NULL AND NOT p_wait THEN
      o_refusal := '{"busy": true}';
      RETURN;
    END IF;
  END IF;
  IF o_row.id IS NULL OR o_row.quarantine_until <= p_now
    OR o_row.length IS DISTINCT FROM (p_request->>'length')::smallint THEN
    o_refusal := '{"refused": "unclaimed"}';
  ELSIF o_row.version <> v_version THEN
    o_refusal := '{"refused": "outdated"}';
  ELSIF o_row.state <> 'held' OR (p_request ? 'holderId' AND NOT EXISTS (SELECT FROM ipam.holder
    WHERE address_id = o_row.id AND id::text = p_request->>'holderId' AND ended_at IS NULL)) THEN
    o_refusal := '{"refused": "unclaimed"}';
  END IF;
END $$;

CREATE OR REPLACE FUNCTION ipam.bind_holder(p_place ipam.place, p_request jsonb, p_wait boolean) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
  v_holder jsonb := p_request->'holder';
  v_now bigint := coalesce((p_request->>'nowMs')::bigint, ipam.now_ms());
  v_found record;
  v_row ipam.address;
  v_before ipam.holder;
  v_version bigint;
BEGIN
  IF v_holder->>6 IS NOT NULL AND NOT ipam.locked('key', v_holder->>6, p_wait) THEN
    RETURN '{"busy": true}';
  END IF;
  SELECT * INTO v_found FROM ipam.find_held(p_request, v_now, p_wait);
  IF v_found.o_refusal IS NOT NULL THEN
    RETURN v_found.o_refusal;
  END IF;
  v_row := v_found.o_row;
  IF EXISTS (SELECT FROM ipam.holder WHERE key = v_holder->>6 AND ended_at IS NULL
    AND id::text IS DISTINCT FROM p_request->>'holderId') THEN
    RETURN '{"refused": "key"}';
  END IF;
  v_version := nextval('ipam.revision');
  UPDATE ipam.holder SET ended_at = v_now WHERE address_id = v_row.id
    AND id::text = p_request->>'holderId' AND ended_at IS NULL RETURNING * INTO v_before;
  v_before.id := coalesce(v_before.id, v_version);
  v_before.since := coalesce(v_before.since, v_now);
  PERFORM ipam.put_holder(v_row.id, v_before, v_holder, v_now);
  UPDATE ipam.address SET version = v_version, secret_hash = coalesce(p_request->'secret'->>0, secret_hash),
    secret_scope = coalesce(p_request->'secret'->>1, secret_scope),
    secret_sealed = CASE WHEN p_request ? 'secret' THEN p_request->'secret'->>2 ELSE secret_sealed END WHERE id = v_row.id;
  PERFORM ipam.tell(p_place, 'changed', v_row);
  RETURN jsonb_build_object('rows', ipam.record_rows(v_row.id));
END $$;

-- The newest holder that left before the last one and may return; before the space was taken it was another claim.
CREATE OR REPLACE FUNCTION ipam.left_before(p_row ipam.address) RETURNS SETOF ipam.holder LANGUAGE sql STABLE AS $$
  SELECT h.* FROM ipam.holder h WHERE h.address_id = p_row.id AND h.ended_at > p_row.taken_at AND h.state <> 'contested'
    AND (h.state <> 'reserved' OR h.service_uid IS NOT NULL) AND NOT EXISTS (SELECT FROM ipam.holder l
      WHERE l.address_id = h.address_id AND l.id = h.id AND l.row_id > h.row_id)
    ORDER BY h.ended_at DESC, h.id DESC LIMIT 1
$$;

CREATE OR REPLACE FUNCTION ipam.release_holder(p_place ipam.place, p_request jsonb, p_wait boolean) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
  v_now bigint := coalesce((p_request->>'nowMs')::bigint, ipam.now_ms());
  v_until bigint := coalesce((p_request->>'quarantineUntilMs')::bigint, v_now + (p_request->>'quarantineMs')::bigint);
  v_found record;
  v_row ipam.address;
  v_version bigint;
  v_last boolean;
  v_paused boolean;
  v_left ipam.holder;
BEGIN
  SELECT * INTO v_found FROM ipam.find_held(p_request, v_now, p_wait);
  IF v_found.o_refusal IS NOT NULL THEN
    RETURN v_found.o_refusal;
  END IF;
  v_row := v_found.o_row;
  v_version := nextval('ipam.revision');
  v_last := 1 = (SELECT count(*) FROM ipam.holder WHERE address_id = v_row.id AND ended_at IS NULL);
  IF v_last AND EXISTS (SELECT FROM ipam.holder WHERE address_id = v_row.id AND ended_at IS NULL AND state = 'contested') THEN
    SELECT * INTO v_left FROM ipam.left_before(v_row);
    v_until := v_left.ended_at + v_until - v_now;
  END IF;
  -- what a cluster shows all the same is in use, not paused
  v_paused := v_last AND coalesce(v_until > v_now, false) AND NOT ipam.is_used(v_row.network, v_row.address);
  UPDATE ipam.holder SET ended_at = v_now, former = v_paused AND v_left.id IS NULL
    WHERE address_id = v_row.id AND id::text = p_request->>'holderId' AND ended_at IS NULL;
  UPDATE ipam.holder SET former = true WHERE v_paused AND row_id = v_left.row_id;
  IF v_last AND NOT v_paused THEN
    UPDATE ipam.address SET ended_at = v_now WHERE id = v_row.id;
    PERFORM ipam.give_back(v_row.network, v_row.address, ipam.last_of(v_row.address, v_row.length));
    PERFORM ipam.tell(p_place, 'freed', v_row);
    RETURN '{"rows": []}';
  END IF;
  UPDATE ipam.address SET version = v_version, state = CASE WHEN v_paused THEN 'quarantined' ELSE state END,
    quarantine_until = CASE WHEN v_paused THEN v_until END WHERE id = v_row.id;
  PERFORM ipam.tell(p_place, 'changed', v_row);
  RETURN jsonb_build_object('rows', ipam.record_rows(v_row.id));
END $$;
`;
