/** Version 4 on PostgreSQL: a take is limited by what its cluster and its namespace hold, too. */
export const POSTGRES_QUOTAS_3 = `
CREATE FUNCTION ipam.over_share(p_request jsonb, p_wait boolean) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  v_namespace text := p_request->'holder'->>1;
  v_cluster text := p_request->'holder'->>2;
  v_cluster_quota bigint := (p_request->>'clusterQuota')::bigint;
  v_namespace_quota bigint := (p_request->>'namespaceQuota')::bigint;
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

ALTER FUNCTION ipam.limits(jsonb, boolean) RENAME TO zone_limits;
CREATE FUNCTION ipam.limits(p_request jsonb, p_wait boolean) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  RETURN COALESCE(ipam.zone_limits(p_request, p_wait), ipam.over_share(p_request, p_wait));
END $$;
`;
