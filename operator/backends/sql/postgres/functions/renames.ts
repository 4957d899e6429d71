/** PostgreSQL functions that give what is on record of a cluster to another identity. */
export const RENAME_FUNCTIONS = `
-- the identity that has the claims of a cluster that was renamed; NULL where it was not, or that one is gone as well
CREATE OR REPLACE FUNCTION ipam.new_name_of(p_cluster text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_name text := p_cluster;
  v_seen text[] := ARRAY[p_cluster];
BEGIN
  LOOP
    v_name := (SELECT value FROM ipam.setting WHERE name = 'note:renamed:' || v_name);
    IF coalesce(v_name, '') = '' OR v_name = ANY (v_seen) THEN
      RETURN NULL;
    END IF;
    IF EXISTS (SELECT FROM ipam.cluster WHERE uid = v_name)
      OR EXISTS (SELECT FROM ipam.holder WHERE cluster_uid = v_name AND ended_at IS NULL) THEN
      RETURN v_name;
    END IF;
    v_seen := v_seen || v_name;
  END LOOP;
END $$;

-- Why nothing new may be put on record for a cluster: NULL where it has its name. No rename of it runs until the end of the transaction.
CREATE OR REPLACE FUNCTION ipam.refuse_renamed(p_request jsonb, p_wait boolean) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  v_cluster text := CASE p_request->>'verb'
    WHEN 'take' THEN p_request->'holder'->>2
    WHEN 'takeAll' THEN p_request->'wants'->0->'holder'->>2
    WHEN 'bind' THEN p_request->'holder'->>2
    -- without a source it ends what was on record
    WHEN 'use' THEN CASE WHEN p_request ? 'source' THEN p_request->>'cluster' END
  END;
  v_name text;
BEGIN
  IF v_cluster IS NULL THEN
    RETURN NULL;
  END IF;
  IF NOT ipam.locked_shared('cluster', v_cluster, p_wait) THEN
    RETURN '{"busy": true}';
  END IF;
  v_name := ipam.new_name_of(v_cluster);
  RETURN CASE WHEN v_name IS NOT NULL THEN
    jsonb_build_object('refused', 'renamed', 'cluster', v_cluster, 'name', v_name) END;
END $$;

-- What a cluster shows. No use is written and no avoided address is chosen until the end of the transaction.
CREATE OR REPLACE FUNCTION ipam.rename_uses(p_from text, p_to text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_place ipam.place := ROW(gen_random_uuid(), 0, 0);
  v_use ipam.occupied;
BEGIN
  LOCK TABLE ipam.occupied IN EXCLUSIVE MODE;
  -- where both identities show an address, what the new one shows stays
  FOR v_use IN SELECT o.* FROM ipam.occupied o WHERE o.cluster = p_from AND EXISTS (SELECT FROM ipam.occupied n
    WHERE n.network = o.network AND n.address = o.address AND n.cluster = p_to) ORDER BY o.network, o.address
  LOOP
    PERFORM ipam.write_use(v_place, jsonb_build_object('network', v_use.network, 'address', host(v_use.address),
      'cluster', p_from), true);
  END LOOP;
  UPDATE ipam.occupied SET cluster = p_to WHERE cluster = p_from;
  UPDATE ipam.address a SET foreign_cluster = u.cluster, foreign_source = u.source FROM (
      SELECT DISTINCT ON (o.network, o.address) o.* FROM ipam.occupied o JOIN ipam.occupied m
        ON m.network = o.network AND m.address = o.address AND m.cluster = p_to WHERE NOT o.avoided
        ORDER BY o.network, o.address, o.cluster) u
    WHERE a.network = u.network AND a.address = u.address AND a.ended_at IS NULL AND a.state = 'foreign'
      AND (a.foreign_cluster, a.foreign_source) IS DISTINCT FROM (u.cluster, u.source);
  UPDATE ipam.address SET foreign_cluster = p_to WHERE foreign_cluster = p_from;
  INSERT INTO ipam.occupied_complete (cluster, network, since)
    SELECT p_to, network, since FROM ipam.occupied_complete WHERE cluster = p_from ON CONFLICT DO NOTHING;
  DELETE FROM ipam.occupied_complete WHERE cluster = p_from;
END $$;

-- Everything, or nothing where the new identity has live holders. The addresses are locked in the order of their ids, and every
-- verb that runs on one of them finds another version afterwards.
CREATE OR REPLACE FUNCTION ipam.rename_cluster(p_from text, p_to text, p_before text[], p_after text[], OUT o_others bigint,
  OUT o_claims bigint) LANGUAGE plpgsql AS $$
DECLARE
  v_addresses bigint[];
BEGIN
  o_claims := 0;
  -- waits for what is written under either name at this moment, and keeps others from it until the end
  PERFORM ipam.locked('cluster', name, true) FROM (SELECT unnest(ARRAY[p_from, p_to]) COLLATE "C" AS name ORDER BY 1) names;
  SELECT count(*) INTO o_others FROM ipam.holder WHERE cluster_uid = p_to AND ended_at IS NULL;
  IF o_others > 0 THEN
    RETURN;
  END IF;
  PERFORM FROM ipam.address WHERE ended_at IS NULL AND id IN (
    SELECT address_id FROM ipam.holder WHERE cluster_uid = p_from AND (ended_at IS NULL OR former)
    UNION SELECT a.id FROM ipam.occupied o JOIN ipam.address a ON a.network = o.network AND a.address = o.address
      AND a.ended_at IS NULL WHERE o.cluster = p_from) ORDER BY id FOR UPDATE;
  WITH moved AS (UPDATE ipam.holder SET cluster_uid = p_to,
      key = coalesce((SELECT k.after || substr(key, length(k.before) + 1)
        FROM unnest(p_before, p_after) AS k (before, after) WHERE starts_with(key, k.before) LIMIT 1), key)
    WHERE cluster_uid = p_from RETURNING address_id, ended_at, former)
  SELECT count(*) FILTER (WHERE ended_at IS NULL), array_agg(DISTINCT address_id) FILTER (WHERE ended_at IS NULL OR former)
    INTO o_claims, v_addresses FROM moved;
  UPDATE ipam.address SET version = nextval('ipam.revision') WHERE ended_at IS NULL AND id = ANY (v_addresses);
  WITH gone AS (DELETE FROM ipam.cluster WHERE uid = p_from RETURNING name, reported_at)
  INSERT INTO ipam.cluster (uid, name, reported_at) SELECT p_to, name, reported_at FROM gone ON CONFLICT (uid) DO NOTHING;
  PERFORM ipam.rename_uses(p_from, p_to);
END $$;
`;
