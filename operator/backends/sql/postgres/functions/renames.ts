/** PostgreSQL functions that give what is on record of a cluster to another identity. */
export const RENAME_FUNCTIONS = `
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
