/** PostgreSQL functions for a take of an owner that may have something already. */
export const FIRST_TAKE_FUNCTIONS = `
-- whether the owner of a take has something in a family that it asks for, by one of its queries, or gave it up once it was stored
CREATE OR REPLACE FUNCTION ipam.is_known(p_unless jsonb, p_wants jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_now bigint := ipam.now_ms();
  v_holder jsonb := p_wants->0->'holder';
  v_families smallint[] := ARRAY(SELECT (value->>'family')::smallint FROM jsonb_array_elements(p_wants));
  v_query jsonb;
  v_ids bigint[];
BEGIN
  FOR v_query IN SELECT value FROM jsonb_array_elements(p_unless) LOOP
    IF v_query->>'by' = 'owner' THEN
      v_ids := ARRAY(SELECT address_id FROM ipam.holder WHERE (ended_at IS NULL OR former) AND cluster_uid = v_query->>'cluster'
        AND namespace_uid = v_query->>'namespaceUid' AND service_name = v_query->>'name');
    ELSIF v_query->>'by' = 'name' THEN
      v_ids := ARRAY(SELECT address_id FROM ipam.holder WHERE (ended_at IS NULL OR former) AND cluster_uid = v_query->>'cluster'
        AND namespace = v_query->>'namespace' AND service_name = v_query->>'name');
    ELSE
      v_ids := ARRAY(SELECT address_id FROM ipam.holder WHERE (ended_at IS NULL OR former) AND service_uid = v_query->>'uid');
    END IF;
    IF EXISTS (SELECT FROM ipam.address WHERE id = ANY (v_ids) AND family = ANY (v_families) AND ended_at IS NULL
      AND (state <> 'quarantined' OR quarantine_until > v_now)) THEN
      RETURN true;
    END IF;
  END LOOP;
  RETURN v_holder->>0 <> '' AND EXISTS (SELECT FROM ipam.holder h JOIN ipam.address a ON a.id = h.address_id
    WHERE h.ended_at IS NOT NULL AND h.cluster_uid = v_holder->>2 AND h.service_name = v_holder->>0
    AND (h.namespace_uid = v_holder->>1 OR (h.namespace = v_holder->>3 AND h.namespace <> ''))
    AND h.api_version = v_holder->>13 AND h.kind = v_holder->>14 AND (h.state <> 'reserved' OR h.service_uid IS NOT NULL)
    AND a.network = p_wants->0->>'network' AND a.family = ANY (v_families) AND a.length IS NULL);
END $$;

-- Its names are locked before the look, and before its keys: of two processes that ask at once the later one sees what the other took.
CREATE OR REPLACE FUNCTION ipam.take_first(p_place ipam.place, p_request jsonb, p_spaces jsonb, p_wait boolean) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
  v_wants jsonb := coalesce(p_request->'wants', jsonb_build_array(p_request));
  v_holder jsonb := v_wants->0->'holder';
BEGIN
  IF v_holder->>0 <> '' AND NOT ipam.locked('owner', jsonb_build_array(v_holder->2, v_holder->1, v_holder->0)::text, p_wait) THEN
    RETURN '{"busy": true}';
  END IF;
  IF ipam.is_known(p_request->'unless', v_wants) THEN
    RETURN '{"known": true}';
  END IF;
  IF p_request ? 'wants' THEN
    RETURN ipam.take_all(p_place, p_request, p_spaces, p_wait);
  END IF;
  RETURN ipam.take_one(p_place, p_request, p_spaces->(p_request->>'space')::integer, p_wait);
END $$;
`;
