/** PostgreSQL functions that let holders change places. */
export const EXCHANGE_FUNCTIONS = `
-- Locks the record that each move leaves, in the order of their places, so that two exchanges never wait for each other: the rows in
-- the order of the moves, or why not. The first move in the request that does not fit is the one that is told.
CREATE OR REPLACE FUNCTION ipam.find_moves(p_moves jsonb, p_now bigint, p_wait boolean, OUT o_rows ipam.address[],
  OUT o_refusal jsonb) LANGUAGE plpgsql AS $$
DECLARE
  v_move record;
  v_found record;
  v_worst bigint;
BEGIN
  o_rows := array_fill(NULL::ipam.address, ARRAY[jsonb_array_length(p_moves)]);
  FOR v_move IN SELECT value, n FROM jsonb_array_elements(p_moves) WITH ORDINALITY AS m(value, n)
    ORDER BY (value->>'network') COLLATE "C", (value->>'address')::inet
  LOOP
    SELECT * INTO v_found FROM ipam.find_held(v_move.value, p_now, p_wait);
    IF v_found.o_refusal ? 'busy' THEN
      o_refusal := v_found.o_refusal;
      RETURN;
    ELSIF v_found.o_refusal IS NOT NULL AND coalesce(v_move.n < v_worst, true) THEN
      v_worst := v_move.n;
      o_refusal := v_found.o_refusal || jsonb_build_object('move', v_move.n - 1);
    END IF;
    o_rows[v_move.n::integer] := v_found.o_row;
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION ipam.exchange(p_place ipam.place, p_request jsonb, p_wait boolean) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
  v_moves jsonb := p_request->'moves';
  v_now bigint := ipam.now_ms();
  v_rows ipam.address[];
  v_refusal jsonb;
  v_target integer;
  v_from ipam.address;
  v_to ipam.address;
  v_holder ipam.holder;
  v_holders ipam.holder[];
  v_alone boolean[];
  v_records jsonb[] := '{}';
BEGIN
  SELECT m.o_rows, m.o_refusal INTO v_rows, v_refusal FROM ipam.find_moves(v_moves, v_now, p_wait) m;
  IF v_refusal IS NOT NULL THEN
    RETURN v_refusal;
  END IF;
  FOR i IN 1..cardinality(v_rows) LOOP
    v_from := v_rows[i];
    v_alone[i] := 1 = (SELECT count(*) FROM ipam.holder WHERE address_id = v_from.id AND ended_at IS NULL);
  END LOOP;
  -- keys are unique among live holders, so all of them end before any goes on
  FOR i IN 1..cardinality(v_rows) LOOP
    v_from := v_rows[i];
    UPDATE ipam.holder SET ended_at = v_now WHERE address_id = v_from.id AND id::text = v_moves->(i - 1)->>'holderId'
      AND ended_at IS NULL RETURNING * INTO v_holder;
    v_holders[i] := v_holder;
  END LOOP;
  FOR i IN 1..cardinality(v_rows) LOOP
    v_target := (v_moves->(i - 1)->>'to')::integer + 1;
    v_from := v_rows[i];
    v_to := v_rows[v_target];
    v_holder := v_holders[i];
    v_holder.address_id := v_to.id;
    v_holder.moved_at := v_now;
    PERFORM ipam.write_holder(v_holder);
    UPDATE ipam.address SET version = nextval('ipam.revision'), taken_at = v_now WHERE id = v_to.id;
    -- a secret proves that a holder owns its space, so it goes along where no other holder relies on it
    IF v_alone[i] AND v_alone[v_target] THEN
      UPDATE ipam.address SET secret_hash = v_from.secret_hash, secret_scope = v_from.secret_scope,
        secret_sealed = v_from.secret_sealed WHERE id = v_to.id;
    END IF;
    PERFORM ipam.tell(p_place, 'changed', v_to);
  END LOOP;
  FOR i IN 1..cardinality(v_rows) LOOP
    v_to := v_rows[(v_moves->(i - 1)->>'to')::integer + 1];
    v_records := array_append(v_records, ipam.record_rows(v_to.id));
  END LOOP;
  RETURN jsonb_build_object('records', to_jsonb(v_records));
END $$;
`;
