/**
 * PostgreSQL functions that limit a take by what its pool, its cluster and its namespace hold: NULL, or why not. A take of several
 * spaces counts the others as `ahead`.
 */
export const LIMIT_FUNCTIONS = `
CREATE OR REPLACE FUNCTION ipam.zone_limits(p_request jsonb, p_wait boolean) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  v_holder jsonb := p_request->'holder';
  v_limit bigint := (p_request->>'maxReservedInNamespace')::bigint;
  v_quota bigint := (p_request->>'zoneQuota')::bigint;
  v_ahead bigint := coalesce((p_request->>'ahead')::bigint, 0);
BEGIN
  IF v_limit IS NOT NULL AND v_holder->>5 = 'reserved' THEN
    IF NOT ipam.locked('namespace', v_holder->>1, p_wait) THEN
      RETURN '{"busy": true}';
    END IF;
    IF v_limit - v_ahead <= (SELECT count(*) FROM ipam.holder
      WHERE namespace_uid = v_holder->>1 AND ended_at IS NULL AND state = 'reserved') THEN
      RETURN '{"refused": "reservation"}';
    END IF;
  END IF;
  IF v_quota IS NOT NULL THEN
    IF NOT ipam.locked('quota', jsonb_build_array(p_request->'network', p_request->'zone')::text, p_wait) THEN
      RETURN '{"busy": true}';
    END IF;
    -- stops at the quota, so a zone that is larger than its quota costs no more
    IF v_quota - v_ahead <= (SELECT count(*) FROM (SELECT FROM ipam.address WHERE network = p_request->>'network'
      AND zone = p_request->>'zone' AND ended_at IS NULL AND state = 'held' LIMIT v_quota) held) THEN
      RETURN '{"refused": "quota"}';
    END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION ipam.over_share(p_request jsonb, p_wait boolean) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  v_namespace text := p_request->'holder'->>1;
  v_cluster text := p_request->'holder'->>2;
  v_ahead bigint := coalesce((p_request->>'ahead')::bigint, 0);
  v_cluster_quota bigint := (p_request->>'clusterQuota')::bigint - v_ahead;
  v_namespace_quota bigint := (p_request->>'namespaceQuota')::bigint - v_ahead;
BEGIN
  IF v_cluster_quota IS NULL AND v_namespace_quota IS NULL THEN
    RETURN NULL;
  END IF;
  -- one lock for both, since a namespace belongs to its cluster
  IF NOT ipam.locked('share', v_cluster, p_wait) THEN
    RETURN '{"busy": true}';
  END IF;
  IF v_cluster_quota <= (SELECT count(DISTINCT address_id) FROM ipam.holder
    WHERE cluster_uid = v_cluster AND ended_at IS NULL) THEN
    RETURN '{"refused": "cluster"}';
  END IF;
  IF v_namespace_quota <= (SELECT count(DISTINCT address_id) FROM ipam.holder
    WHERE cluster_uid = v_cluster AND namespace_uid = v_namespace AND ended_at IS NULL) THEN
    RETURN '{"refused": "namespace"}';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION ipam.limits(p_request jsonb, p_wait boolean) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  RETURN COALESCE(ipam.zone_limits(p_request, p_wait), ipam.over_share(p_request, p_wait));
END $$;
`;
