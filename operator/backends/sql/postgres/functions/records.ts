/** PostgreSQL functions that read and change the rows of one space, for the verbs. */
export const RECORD_FUNCTIONS = `
-- the store's clock: milliseconds since 1970
CREATE OR REPLACE FUNCTION ipam.now_ms() RETURNS bigint LANGUAGE sql AS $$
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
$$;

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

CREATE OR REPLACE FUNCTION ipam.locked_shared(p_kind text, p_name text, p_wait boolean) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_key bigint := hashtextextended(p_kind || ' ' || p_name, 1229996365);
BEGIN
  IF NOT p_wait THEN
    RETURN pg_try_advisory_xact_lock_shared(v_key);
  END IF;
  PERFORM pg_advisory_xact_lock_shared(v_key);
  RETURN true;
END $$;

CREATE OR REPLACE FUNCTION ipam.tell(p_place ipam.place, p_kind text, p_row ipam.address) RETURNS void LANGUAGE sql AS $$
  INSERT INTO ipam.change (writer, batch, request, kind, network, zone, address, length) VALUES
    (p_place.writer, p_place.batch, p_place.request, p_kind, p_row.network, p_row.zone, p_row.address, p_row.length)
$$;

-- last address of a prefix; without length: of one address
CREATE OR REPLACE FUNCTION ipam.last_of(p_address inet, p_length integer) RETURNS inet LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_length IS NULL THEN p_address
    ELSE set_masklen(broadcast(set_masklen(p_address, p_length)), CASE family(p_address) WHEN 4 THEN 32 ELSE 128 END) END
$$;

-- live rows that share an address with a space
CREATE OR REPLACE FUNCTION ipam.overlaps(p_network text, p_first inet, p_length integer) RETURNS SETOF ipam.address
LANGUAGE sql STABLE AS $$
  SELECT * FROM (SELECT * FROM ipam.address WHERE network = p_network AND ended_at IS NULL AND length IS NOT NULL
    AND address < p_first ORDER BY address DESC LIMIT 1) below WHERE ipam.last_of(address, length) >= p_first
  UNION ALL
  SELECT * FROM ipam.address WHERE network = p_network AND ended_at IS NULL
    AND address BETWEEN p_first AND ipam.last_of(p_first, p_length)
$$;

-- one row for each live holder (the former one when quarantined), oldest first
CREATE OR REPLACE FUNCTION ipam.record_rows(p_id bigint) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_agg(jsonb_build_array(a.id, a.network, a.address, a.length, a.family, a.zone, a.secret_hash, a.secret_scope,
    a.secret_sealed, a.state, a.quarantine_until, a.foreign_cluster, a.foreign_source, a.version, a.taken_at, h.id, h.since,
    h.service_name, h.namespace_uid, h.cluster_uid, h.namespace, h.service_uid, h.state, h.key, h.retention_days,
    h.deny_external_cleanup, h.sharing, h.written_keys, h.expires_at, h.purpose, h.api_version, h.kind
  ) ORDER BY h.id)
  FROM ipam.address a JOIN ipam.holder h ON h.address_id = a.id AND (h.ended_at IS NULL OR h.former) WHERE a.id = p_id
$$;

-- what stands in the way: the oldest holder, the former one, or a cluster that uses the space without a claim
CREATE OR REPLACE FUNCTION ipam.refuse_by(p_reason text, p_row ipam.address) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('refused', p_reason, 'address', p_row.address, 'length', p_row.length, 'nowMs', ipam.now_ms(),
    'untilMs', p_row.quarantine_until, 'cluster', p_row.foreign_cluster, 'source', p_row.foreign_source, 'holder', (
      SELECT jsonb_build_object('kind', kind, 'name', service_name, 'serviceName', service_name, 'namespace', namespace,
        'namespaceUid', namespace_uid, 'cluster', cluster_uid, 'clusterUid', cluster_uid)
      FROM ipam.holder WHERE address_id = p_row.id AND (ended_at IS NULL OR former) ORDER BY id LIMIT 1))
$$;

-- a state of a holder that the caller has put together, but for its row id
CREATE OR REPLACE FUNCTION ipam.write_holder(p_row ipam.holder) RETURNS void LANGUAGE sql AS $$
  INSERT INTO ipam.holder (id, address_id, since, moved_at, service_name, namespace_uid, cluster_uid, namespace, service_uid,
    state, key, retention_days, deny_external_cleanup, sharing, written_keys, expires_at, purpose, api_version, kind)
  VALUES (p_row.id, p_row.address_id, p_row.since, p_row.moved_at, p_row.service_name, p_row.namespace_uid, p_row.cluster_uid,
    p_row.namespace, p_row.service_uid, p_row.state, p_row.key, p_row.retention_days, p_row.deny_external_cleanup,
    p_row.sharing, p_row.written_keys, p_row.expires_at, p_row.purpose, p_row.api_version, p_row.kind)
$$;

-- Writes a holder as a request has it; p_before: the state that it replaces, with its id and times. The end comes as time of the
-- store (cell 11, a replica of an older release), as milliseconds from now, or stays (cell 15).
CREATE OR REPLACE FUNCTION ipam.put_holder(p_address_id bigint, p_before ipam.holder, p_holder jsonb, p_now bigint)
RETURNS void LANGUAGE sql AS $$
  INSERT INTO ipam.holder (id, address_id, since, moved_at, service_name, namespace_uid, cluster_uid, namespace, service_uid,
    state, key, retention_days, deny_external_cleanup, sharing, written_keys, expires_at, purpose, api_version, kind)
  VALUES (p_before.id, p_address_id, p_before.since, p_before.moved_at, p_holder->>0, p_holder->>1, p_holder->>2, p_holder->>3,
    p_holder->>4, p_holder->>5, p_holder->>6, (p_holder->>7)::integer, p_holder->>8 = '1', p_holder->>9, p_holder->>10,
    CASE WHEN p_holder->>15 = 'unchanged' THEN p_before.expires_at
      ELSE coalesce((p_holder->>11)::bigint, p_now + (p_holder->>15)::bigint) END,
    p_holder->>12, coalesce(p_holder->>13, 'v1'), coalesce(p_holder->>14, 'Service'))
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
    PERFORM ipam.give_back(v_row.network, v_row.address, ipam.last_of(v_row.address, v_row.length));
    PERFORM ipam.tell(p_place, 'freed', v_row);
  END LOOP;
END $$;
`;
