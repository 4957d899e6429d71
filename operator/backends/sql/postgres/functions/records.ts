/** PostgreSQL functions that read and change the rows of one address, for the verbs. */
export const RECORD_FUNCTIONS = `
CREATE OR REPLACE FUNCTION ipam.locked(p_kind text, p_name text, p_wait boolean) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_key bigint := hashtextextended(p_kind || ' ' || p_name, 1229996365);
BEGIN
  IF NOT p_wait THEN
    RETURN pg_try_advisory_xact_lock(v_key);
  END IF;
  PERFORM pg_advisory_xact_lock(v_key);
  RETURN true;
END $$;

CREATE OR REPLACE FUNCTION ipam.tell(p_place ipam.place, p_kind text, p_row ipam.address) RETURNS void LANGUAGE sql AS $$
  INSERT INTO ipam.change (writer, batch, request, kind, network, zone, address) VALUES
    (p_place.writer, p_place.batch, p_place.request, p_kind, p_row.network, p_row.zone, p_row.address)
$$;

-- one row for each live holder (the former one when quarantined), oldest first
CREATE OR REPLACE FUNCTION ipam.claim_rows(p_id bigint) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_agg(jsonb_build_array(a.id, a.network, a.address, a.family, a.zone, a.secret_hash, a.secret_scope, a.state,
    a.quarantine_until, a.version, a.taken_at, h.id, h.since, h.service_name, h.namespace_uid, h.cluster_uid, h.namespace,
    h.service_uid, h.state, h.key, h.retention_days, h.deny_external_cleanup, h.sharing, h.written_keys, h.expires_at,
    h.purpose, a.secret_sealed
  ) ORDER BY h.id)
  FROM ipam.address a JOIN ipam.holder h ON h.address_id = a.id AND (h.ended_at IS NULL OR h.former) WHERE a.id = p_id
$$;

-- who stands in the way: the oldest holder, or the former one
CREATE OR REPLACE FUNCTION ipam.refuse_by(p_reason text, p_row ipam.address) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('refused', p_reason, 'address', p_row.address, 'untilMs', p_row.quarantine_until, 'holder',
    jsonb_build_object('serviceName', service_name, 'namespace', namespace, 'namespaceUid', namespace_uid,
      'clusterUid', cluster_uid))
  FROM ipam.holder WHERE address_id = p_row.id AND (ended_at IS NULL OR former) ORDER BY id LIMIT 1
$$;

CREATE OR REPLACE FUNCTION ipam.add_holder(p_address_id bigint, p_id bigint, p_since bigint, p_holder jsonb) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO ipam.holder (id, address_id, since, service_name, namespace_uid, cluster_uid, namespace, service_uid, state,
    key, retention_days, deny_external_cleanup, sharing, written_keys, expires_at, purpose)
  VALUES (p_id, p_address_id, p_since, p_holder->>0, p_holder->>1, p_holder->>2, p_holder->>3, p_holder->>4, p_holder->>5,
    p_holder->>6, (p_holder->>7)::integer, p_holder->>8 = '1', p_holder->>9, p_holder->>10, (p_holder->>11)::bigint,
    p_holder->>12)
$$;

CREATE OR REPLACE FUNCTION ipam.end_quarantine(p_row ipam.address, p_at bigint) RETURNS void LANGUAGE sql AS $$
  UPDATE ipam.address SET ended_at = p_at WHERE id = p_row.id;
  UPDATE ipam.holder SET former = false WHERE address_id = p_row.id AND former
$$;

CREATE OR REPLACE FUNCTION ipam.expire(p_place ipam.place, p_network text, p_now bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_ids bigint[];
  v_row ipam.address;
BEGIN
  -- by itself and in the order of its own index: a joined or sorted query may be planned as a walk over all live addresses
  v_ids := ARRAY(SELECT id FROM ipam.address WHERE network = p_network AND ended_at IS NULL AND state = 'quarantined'
    AND quarantine_until <= p_now ORDER BY quarantine_until LIMIT 500);
  IF cardinality(v_ids) = 0 THEN
    RETURN;
  END IF;
  FOR v_row IN SELECT * FROM ipam.address WHERE id = ANY (v_ids) AND ended_at IS NULL
    ORDER BY address FOR UPDATE SKIP LOCKED
  LOOP
    PERFORM ipam.end_quarantine(v_row, v_row.quarantine_until);
    PERFORM ipam.give_back(v_row.network, v_row.address);
    PERFORM ipam.tell(p_place, 'freed', v_row);
  END LOOP;
END $$;
`;
