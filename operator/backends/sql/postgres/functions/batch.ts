/** PostgreSQL functions for one batch of one process. */
export const BATCH_FUNCTIONS = `
-- a network that was never seen is free from end to end; sorted, so that two batches wait in the same order
CREATE OR REPLACE FUNCTION ipam.add_networks(p_names jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_name text;
BEGIN
  FOR v_name IN SELECT DISTINCT name COLLATE "C" FROM jsonb_array_elements_text(p_names) AS n(name)
    WHERE NOT EXISTS (SELECT FROM ipam.network k WHERE k.name = n.name) ORDER BY 1
  LOOP
    INSERT INTO ipam.network (name) VALUES (v_name) ON CONFLICT DO NOTHING;
    IF FOUND THEN
      INSERT INTO ipam.free_range (network, first, last) VALUES (v_name, '0.0.0.0', '255.255.255.255'),
        (v_name, '::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff');
    END IF;
  END LOOP;
END $$;

-- Runs requests in order until one would have to wait for another process. A batch that ran before is answered again, one
-- that its own process gave up is not run any more (NULL).
-- Plans are kept by each session; one that was made while a table was small must not walk over it when it has grown.
CREATE OR REPLACE FUNCTION ipam.run_writes(p_writer uuid, p_batch bigint, p_work jsonb) RETURNS jsonb LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE
  v_before ipam.writer;
  v_start bigint;
  v_request jsonb;
  v_place ipam.place;
  v_first boolean;
  v_result jsonb;
  v_results jsonb[] := '{}';
  v_answer jsonb;
BEGIN
  INSERT INTO ipam.writer (id, batch) VALUES (p_writer, 0) ON CONFLICT DO NOTHING;
  SELECT * INTO v_before FROM ipam.writer WHERE id = p_writer FOR UPDATE;
  IF v_before.batch >= p_batch THEN
    RETURN CASE WHEN v_before.batch = p_batch THEN v_before.answer END;
  END IF;
  PERFORM ipam.add_networks(p_work->'networks');
  SELECT last_value INTO v_start FROM ipam.change_seq;
  FOR v_request IN SELECT value FROM jsonb_array_elements(p_work->'requests') LOOP
    v_place := (p_writer, p_batch, cardinality(v_results));
    v_first := cardinality(v_results) = 0;
    v_result := coalesce(ipam.refuse_renamed(v_request, v_first), CASE CASE WHEN v_request ? 'unless' THEN 'takeFirst' ELSE v_request->>'verb' END
      WHEN 'takeFirst' THEN ipam.take_first(v_place, v_request, p_work->'spaces', v_first)
      WHEN 'take' THEN ipam.take_one(v_place, v_request, p_work->'spaces'->(v_request->>'space')::integer, v_first)
      WHEN 'bind' THEN ipam.bind_holder(v_place, v_request, v_first)
      WHEN 'release' THEN ipam.release_holder(v_place, v_request, v_first)
      WHEN 'use' THEN ipam.write_use(v_place, v_request, v_first)
      WHEN 'takeAll' THEN ipam.take_all(v_place, v_request, p_work->'spaces', v_first)
      ELSE ipam.exchange(v_place, v_request, v_first)
    END);
    EXIT WHEN v_result ? 'busy';
    v_results := array_append(v_results, v_result);
  END LOOP;
  v_answer := jsonb_build_object('results', to_jsonb(v_results), 'changes', (
    SELECT coalesce(jsonb_agg(jsonb_build_array(request, kind, network, zone, address, length) ORDER BY seq), '[]')
    FROM ipam.change WHERE seq >= v_start AND writer = p_writer AND batch = p_batch));
  UPDATE ipam.writer SET batch = p_batch, answer = v_answer, at = clock_timestamp() WHERE id = p_writer;
  RETURN v_answer;
END $$;
`;
