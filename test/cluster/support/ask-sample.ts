import type { VipKindSample } from '../../support/vip-kind-samples';
import type { ClusterClient, ServerAnswer } from './cluster-client';

interface Named {
  readonly metadata: { readonly name: string };
}

/** Asks the server for a sample; what an update starts from is stored and taken away again. */
export async function askSample<O extends Named>(
  client: ClusterClient,
  path: string,
  { object, before }: VipKindSample<O>,
): Promise<ServerAnswer> {
  if (before === undefined) return client.attempt('POST', `${path}?dryRun=All`, object);
  const { metadata } = await client.request('POST', path, before);
  const { resourceVersion } = metadata;
  const changed = { ...object, metadata: { ...object.metadata, resourceVersion } };
  const answer = await client.attempt('PUT', `${path}/${before.metadata.name}?dryRun=All`, changed);
  await client.request('DELETE', `${path}/${before.metadata.name}`);
  return answer;
}

/** Fields and messages of a refusal, one a line. */
export const causesOf = ({ body }: ServerAnswer): string =>
  (body.details?.causes ?? []).map(({ field = '', message = '' }) => `${field}: ${message}`).join('\n');

/** Samples that are to be accepted. */
export const acceptedOf = <O>(samples: readonly VipKindSample<O>[]): readonly VipKindSample<O>[] =>
  samples.filter(({ refusedAt }) => refusedAt === undefined);

/** Samples that are to be refused. */
export const refusedOf = <O>(samples: readonly VipKindSample<O>[]): readonly VipKindSample<O>[] =>
  samples.filter(({ refusedAt }) => refusedAt !== undefined);
