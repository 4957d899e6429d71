/** PostgreSQL functions that take space. */
export const TAKE_FUNCTIONS = `
-- why nothing could be chosen
CREATE OR REPLACE FUNCTION ipam.refuse_full(p_request jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('refused', 'exhausted', 'quarantined', count(*), 'firstMs', min(quarantine_until),
    'nowMs', ipam.now_ms())
  FROM ipam.address WHERE network = p_request->>'network' AND zone = p_request->>'zone'
    AND family = (p_request->>'family')::smallint AND state = 'quarantined' AND ended_at IS NULL
$$;

CREATE OR REPLACE FUNCTION ipam.find_space(p_place ipam.place, p_request jsonb, p_space jsonb, p_now bigint, p_wait boolean,
  OUT o_address inet, OUT o_refusal jsonb) LANGUAGE plpgsql AS $$
DECLARE
  v_busy boolean;
BEGIN
  IF p_request ? 'address' THEN
    o_address := (p_request->>'address')::inet;
    IF p_request ? 'length' THEN
      o_refusal := ipam.clear_block(p_place, p_request, p_now, p_wait);
    ELSE
      o_refusal := ipam.clear_address(p_place, p_request, p_now, p_wait);
    END IF;
    RETURN;
  END IF;
  IF p_request ? 'length' THEN
    SELECT c.o_address, c.o_busy INTO o_address, v_busy
      FROM ipam.choose_block(p_request->>'network', p_space, (p_request->>'length')::integer, p_wait) c;
  ELSE
    SELECT c.o_address, c.o_busy INTO o_address, v_busy FROM ipam.choose(p_request->>'network', p_space, p_wait) c;
  END IF;
  IF v_busy THEN
    o_refusal := '{"busy": true}';
  ELSIF o_address IS NULL AND NOT p_request ? 'length' THEN
    o_address := ipam.choose_avoided(p_request->>'network', p_space);
  END IF;
  IF o_address IS NULL AND o_refusal IS NULL THEN
    o_refusal := ipam.refuse_full(p_request);
  END IF;
END $$;

CREATE OR REPLACE FUNCTION ipam.take_one(p_place ipam.place, p_request jsonb, p_space jsonb, p_wait boolean) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
  v_holder jsonb := p_request->'holder';
  -- a replica of an older release sends its own time
  v_now bigint := coalesce((p_request->>'nowMs')::bigint, ipam.now_ms());
  v_same bigint;
  v_refusal jsonb;
  v_address inet;
  v_row ipam.address;
  v_new ipam.holder;
BEGIN
  IF v_holder->>6 IS NOT NULL THEN
    IF NOT ipam.locked('key', v_holder->>6, p_wait) THEN
      RETURN '{"busy": true}';
    END IF;
    SELECT address_id INTO v_same FROM ipam.holder WHERE key = v_holder->>6 AND ended_at IS NULL;
    IF FOUND THEN
      RETURN jsonb_build_object('rows', ipam.record_rows(v_same), 'created', false);
    END IF;
  END IF;
  v_refusal := ipam.limits(p_request, p_wait);
  IF v_refusal IS NOT NULL THEN
    RETURN v_refusal;
  END IF;
  IF NOT p_request ? 'address' OR p_request ? 'length' THEN
    PERFORM ipam.expire(p_place, p_request->>'network', v_now);
  END IF;
  LOOP
    SELECT t.o_address, t.o_refusal INTO v_address, v_refusal
      FROM ipam.find_space(p_place, p_request, p_space, v_now, p_wait) t;
    IF v_refusal IS NOT NULL THEN
      RETURN v_refusal;
    END IF;
    INSERT INTO ipam.address (network, address, length, family, zone, secret_hash, secret_scope, secret_sealed, state, version,
        taken_at)
      VALUES (p_request->>'network', v_address, (p_request->>'length')::smallint, family(v_address), p_request->>'zone',
        p_request->'secret'->>0, p_request->'secret'->>1, p_request->'secret'->>2, 'held', nextval('ipam.revision'), v_now)
      ON CONFLICT DO NOTHING RETURNING * INTO v_row;
    EXIT WHEN FOUND;
  END LOOP;
  v_new.id := v_row.version;
  v_new.since := v_now;
  PERFORM ipam.put_holder(v_row.id, v_new, v_holder, v_now);
  PERFORM ipam.tell(p_place, 'taken', v_row);
  RETURN jsonb_build_object('rows', ipam.record_rows(v_row.id), 'created', true);
END $$;

-- Takes the space of every want, or of none. The keys are locked before anything else, in one order, so that two such takes never
-- wait for each other there.
CREATE OR REPLACE FUNCTION ipam.take_all(p_place ipam.place, p_request jsonb, p_spaces jsonb, p_wait boolean) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
  v_key text;
  v_want jsonb;
  v_more bigint := 0;
  v_result jsonb;
  v_taken jsonb[] := '{}';
BEGIN
  FOR v_key IN SELECT (value->'holder'->>6) COLLATE "C" FROM jsonb_array_elements(p_request->'wants') ORDER BY 1 LOOP
    IF v_key IS NOT NULL AND NOT ipam.locked('key', v_key, p_wait) THEN
      RETURN '{"busy": true}';
    END IF;
    IF v_key IS NULL OR NOT EXISTS (SELECT FROM ipam.holder WHERE key = v_key AND ended_at IS NULL) THEN
      v_more := v_more + 1;
    END IF;
  END LOOP;
  IF v_more > 1 THEN
    v_result := ipam.limits(p_request->'wants'->0 || jsonb_build_object('ahead', v_more - 1), p_wait);
    IF v_result IS NOT NULL THEN
      RETURN v_result || '{"want": 0}';
    END IF;
  END IF;
  BEGIN
    FOR v_want IN SELECT value FROM jsonb_array_elements(p_request->'wants') LOOP
      v_result := ipam.take_one(p_place, v_want, p_spaces->(v_want->>'space')::integer, p_wait);
      IF NOT v_result ? 'rows' THEN
        RAISE EXCEPTION SQLSTATE 'IP001';
      END IF;
      v_taken := array_append(v_taken, v_result);
    END LOOP;
  EXCEPTION WHEN SQLSTATE 'IP001' THEN
    RETURN v_result || jsonb_build_object('want', cardinality(v_taken));
  END;
  RETURN jsonb_build_object('taken', to_jsonb(v_taken));
END $$;
`;
