/** PostgreSQL functions for the verbs of the port, which run in batches of one transaction each. */
export const VERB_FUNCTIONS = `
-- makes a named address free for the caller: NULL, or why not
CREATE OR REPLACE FUNCTION ipam.clear(p_place ipam.place, p_request jsonb, p_wait boolean) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  v_address inet := (p_request->>'address')::inet;
  v_row ipam.address;
  v_carved text;
BEGIN
  FOR v_try IN 1..10 LOOP
    SELECT * INTO v_row FROM ipam.address
      WHERE network = p_request->>'network' AND address = v_address AND ended_at IS NULL;
    IF v_row.state = 'held' THEN
      RETURN ipam.refuse_by('held', v_row);
    ELSIF v_row.id IS NULL THEN
      v_carved := ipam.carve_named(p_request->>'network', v_address, p_wait);
      IF v_carved <> 'none' THEN
        RETURN CASE v_carved WHEN 'busy' THEN '{"busy": true}'::jsonb END;
      END IF;
    ELSE
      IF p_wait THEN
        SELECT * INTO v_row FROM ipam.address WHERE id = v_row.id AND ended_at IS NULL FOR UPDATE;
      ELSE
        SELECT * INTO v_row FROM ipam.address WHERE id = v_row.id AND ended_at IS NULL FOR UPDATE SKIP LOCKED;
      END IF;
      IF v_row.id IS NOT NULL THEN
        RETURN ipam.leave_quarantine(p_place, p_request, v_row);
      ELSIF NOT p_wait THEN
        RETURN '{"busy": true}';
      END IF;
    END IF;
  END LOOP;
  -- neither live nor in a range: the ranges are not what they should be, and the unique index decides alone
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION ipam.leave_quarantine(p_place ipam.place, p_request jsonb, p_row ipam.address) RETURNS jsonb
LANGUAGE plpgsql AS $$
BEGIN
  IF p_row.quarantine_until <= (p_request->>'nowMs')::bigint THEN
    PERFORM ipam.end_quarantine(p_row, p_row.quarantine_until);
    PERFORM ipam.tell(p_place, 'freed', p_row);
  ELSIF p_row.version = (p_request->>'returningOver')::bigint THEN
    PERFORM ipam.end_quarantine(p_row, (p_request->>'nowMs')::bigint);
  ELSE
    RETURN ipam.refuse_by('quarantined', p_row);
  END IF;
  RETURN NULL;
END $$;

-- why nothing could be chosen
CREATE OR REPLACE FUNCTION ipam.refuse_full(p_request jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('refused', 'exhausted', 'quarantined', count(*), 'firstMs', min(quarantine_until))
  FROM ipam.address WHERE network = p_request->>'network' AND zone = p_request->>'zone'
    AND family = (p_request->>'family')::smallint AND state = 'quarantined' AND ended_at IS NULL
$$;

CREATE OR REPLACE FUNCTION ipam.find_target(p_place ipam.place, p_request jsonb, p_space jsonb, p_wait boolean,
  OUT o_address inet, OUT o_refusal jsonb) LANGUAGE plpgsql AS $$
DECLARE
  v_busy boolean;
BEGIN
  IF p_request ? 'address' THEN
    o_address := (p_request->>'address')::inet;
    o_refusal := ipam.clear(p_place, p_request, p_wait);
    RETURN;
  END IF;
  SELECT c.o_address, c.o_busy INTO o_address, v_busy FROM ipam.choose(p_request->>'network', p_space, p_wait) c;
  IF v_busy THEN
    o_refusal := '{"busy": true}';
  ELSIF o_address IS NULL THEN
    o_refusal := ipam.refuse_full(p_request);
  END IF;
END $$;

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

-- locks the record that a bind or a release is about, if it is the one that its caller decided on
CREATE OR REPLACE FUNCTION ipam.find_held(p_request jsonb, p_wait boolean, OUT o_row ipam.address, OUT o_refusal jsonb)
LANGUAGE plpgsql AS $$
DECLARE
  v_version bigint := (p_request->>'version')::bigint;
BEGIN
  SELECT * INTO o_row FROM ipam.address
    WHERE network = p_request->>'network' AND address = (p_request->>'address')::inet AND ended_at IS NULL;
  -- versions never come back, so an old one needs no lock
  IF o_row.version = v_version THEN
    IF p_wait THEN
      SELECT * INTO o_row FROM ipam.address WHERE id = o_row.id AND ended_at IS NULL FOR UPDATE;
    ELSE
      SELECT * INTO o_row FROM ipam.address WHERE id = o_row.id AND ended_at IS NULL FOR UPDATE SKIP LOCKED;
      IF o_row.id IS NULL THEN
        o_refusal := '{"busy": true}';
        RETURN;
      END IF;
    END IF;
  END IF;
  IF o_row.id IS NULL OR o_row.quarantine_until <= (p_request->>'nowMs')::bigint THEN
    o_refusal := '{"refused": "unclaimed"}';
  ELSIF o_row.version <> v_version THEN
    o_refusal := '{"refused": "outdated"}';
  ELSIF o_row.state = 'quarantined' OR (p_request ? 'holderId' AND NOT EXISTS (SELECT FROM ipam.holder
    WHERE address_id = o_row.id AND id::text = p_request->>'holderId' AND ended_at IS NULL)) THEN
    o_refusal := '{"refused": "unclaimed"}';
  END IF;
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

CREATE OR REPLACE FUNCTION ipam.release(p_place ipam.place, p_request jsonb, p_wait boolean) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  v_now bigint := (p_request->>'nowMs')::bigint;
  v_until bigint := (p_request->>'quarantineUntilMs')::bigint;
  v_found record;
  v_row ipam.address;
  v_version bigint;
  v_last boolean;
  v_paused boolean;
BEGIN
  SELECT * INTO v_found FROM ipam.find_held(p_request, p_wait);
  IF v_found.o_refusal IS NOT NULL THEN
    RETURN v_found.o_refusal;
  END IF;
  v_row := v_found.o_row;
  v_version := nextval('ipam.revision');
  v_last := 1 = (SELECT count(*) FROM ipam.holder WHERE address_id = v_row.id AND ended_at IS NULL);
  v_paused := v_last AND coalesce(v_until > v_now, false);
  UPDATE ipam.holder SET ended_at = v_now, former = v_paused
    WHERE address_id = v_row.id AND id::text = p_request->>'holderId' AND ended_at IS NULL;
  IF v_last AND NOT v_paused THEN
    UPDATE ipam.address SET ended_at = v_now WHERE id = v_row.id;
    PERFORM ipam.give_back(v_row.network, v_row.address);
    PERFORM ipam.tell(p_place, 'freed', v_row);
    RETURN '{"rows": []}';
  END IF;
  UPDATE ipam.address SET version = v_version, state = CASE WHEN v_paused THEN 'quarantined' ELSE state END,
    quarantine_until = CASE WHEN v_paused THEN v_until END WHERE id = v_row.id;
  PERFORM ipam.tell(p_place, 'changed', v_row);
  RETURN jsonb_build_object('rows', ipam.claim_rows(v_row.id));
END $$;
`;
