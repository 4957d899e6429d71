import { issueServingPair, makeAuthority } from '../../operator/server/self-signed';

/** A serving certificate for 127.0.0.1 and the CA that signed it, in PEM, valid now. */
export async function servingPair(): Promise<{
  readonly key: string;
  readonly cert: string;
  readonly authority: string;
}> {
  const nowMs = Date.now();
  const authority = await makeAuthority(nowMs);
  const pair = await issueServingPair(authority, { names: [], nowMs });
  return { key: pair.key, cert: pair.certificate, authority: authority.certificate };
}
