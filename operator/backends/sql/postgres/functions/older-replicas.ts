/**
 * PostgreSQL functions as a replica of a release before version 7 calls them, for the time of a rolling update: their requests are
 * still understood, their answers have the cells of then.
 */
export const OLDER_REPLICA_FUNCTIONS = `
-- with other parameters, or no longer called
DROP FUNCTION IF EXISTS ipam.claim_rows(bigint);
DROP FUNCTION IF EXISTS ipam.add_holder(bigint, bigint, bigint, jsonb);
DROP FUNCTION IF EXISTS ipam.give_back(text, inet);
DROP FUNCTION IF EXISTS ipam.clear(ipam.place, jsonb, boolean);
DROP FUNCTION IF EXISTS ipam.leave_quarantine(ipam.place, jsonb, ipam.address);
DROP FUNCTION IF EXISTS ipam.find_target(ipam.place, jsonb, jsonb, boolean);
DROP FUNCTION IF EXISTS ipam.find_held(jsonb, boolean);

-- rows of 32 cells become those of 27; a batch that ran before the update has those of then
CREATE OR REPLACE FUNCTION ipam.older_answer(p_result jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN NOT p_result ? 'rows' THEN p_result ELSE p_result || jsonb_build_object('rows', (
    SELECT coalesce(jsonb_agg(CASE WHEN jsonb_array_length(r) < 32 THEN r ELSE jsonb_build_array(
      r->0, r->1, r->2, r->4, r->5, r->6, r->7, r->9, r->10, r->13, r->14, r->15, r->16, r->17, r->18, r->19, r->20, r->21,
      r->22, r->23, coalesce(nullif(r->24, 'null'), '0'), coalesce(nullif(r->25, 'null'), 'false'), r->26,
      coalesce(nullif(r->27, 'null'), '"[]"'), r->28, r->29, r->8) END ORDER BY n), '[]')
    FROM jsonb_array_elements(p_result->'rows') WITH ORDINALITY AS t(r, n))) END
$$;

CREATE OR REPLACE FUNCTION ipam.take(p_place ipam.place, p_request jsonb, p_space jsonb, p_wait boolean) RETURNS jsonb
LANGUAGE sql AS $$ SELECT ipam.older_answer(ipam.take_one(p_place, p_request, p_space, p_wait)) $$;

CREATE OR REPLACE FUNCTION ipam.bind(p_place ipam.place, p_request jsonb, p_wait boolean) RETURNS jsonb
LANGUAGE sql AS $$ SELECT ipam.older_answer(ipam.bind_holder(p_place, p_request, p_wait)) $$;

CREATE OR REPLACE FUNCTION ipam.release(p_place ipam.place, p_request jsonb, p_wait boolean) RETURNS jsonb
LANGUAGE sql AS $$ SELECT ipam.older_answer(ipam.release_holder(p_place, p_request, p_wait)) $$;

CREATE OR REPLACE FUNCTION ipam.run_batch(p_writer uuid, p_batch bigint, p_work jsonb) RETURNS jsonb LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE
  v_answer jsonb := ipam.run_writes(p_writer, p_batch, p_work);
BEGIN
  RETURN v_answer || jsonb_build_object('results', (SELECT coalesce(jsonb_agg(ipam.older_answer(r) ORDER BY n), '[]')
    FROM jsonb_array_elements(v_answer->'results') WITH ORDINALITY AS t(r, n)));
END $$;

CREATE OR REPLACE FUNCTION ipam.peek(p_work jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT ipam.peek_one(p_work->'requests'->0, p_work->'spaces'->(p_work->'requests'->0->>'space')::integer)
$$;
`;
