// What the program makes of a text: itself, or its digest where it is long or looks like one.
const bounded = (text: string): string => `CASE WHEN ${text} ~ '^sha256:[0-9a-f]{64}$'
      OR (length(${text}) <= 200 AND ${text} NOT LIKE 'sha256:%') THEN ${text}
      ELSE 'sha256:' || encode(sha256(convert_to(${text}, 'UTF8')), 'hex') END`;

/** Version 9: terms of sharing of bounded length, and history of a namespace that can be counted. */
export const POSTGRES_BOUNDED_9 = `
UPDATE ipam.holder SET sharing = NULL WHERE ended_at IS NOT NULL AND NOT former AND length(sharing) > 200;
UPDATE ipam.holder h SET sharing = CASE
    WHEN b.terms->>'key' = '' OR jsonb_array_length(b.terms->'ports') > 500
      THEN '{"key":"","ports":[],"trafficPolicy":"Cluster","selector":""}'
    ELSE (b.terms || jsonb_build_object(
      'key', ${bounded("b.terms->>'key'")},
      'selector', ${bounded("b.terms->>'selector'")}))::text END
  FROM (SELECT row_id, sharing::jsonb AS terms FROM ipam.holder WHERE length(sharing) > 200) b WHERE b.row_id = h.row_id;
CREATE INDEX holder_history ON ipam.holder (cluster_uid, namespace_uid, ended_at) WHERE ended_at IS NOT NULL AND NOT former;
`;
