import type { ApiAnswer, ApiClient, ApiRequest } from '../../operator/cluster/api/api-client';
import { isDeepStrictEqual } from 'node:util';
import { mapOf, metadataOf } from '../../operator/contract/loose-json';
import type { MemoryApiClient } from './memory-api-client';

/** An API server in memory that counts generations of objects that are created and replaced through it, as the real one does. */
export function countingGenerations(server: MemoryApiClient): ApiClient {
  const counted = (request: ApiRequest): ApiRequest => {
    if (request.method !== 'POST' && request.method !== 'PUT') return request;
    const body = mapOf(request.body);
    const before = request.method === 'PUT' ? server.get(request.path) : undefined;
    const was = Number(metadataOf(before)['generation'] ?? 0);
    const generation = isDeepStrictEqual(before?.['spec'], body['spec']) ? was : was + 1;
    return { ...request, body: { ...body, metadata: { ...metadataOf(body), generation } } };
  };
  return {
    request: (request): Promise<ApiAnswer> => server.request(counted(request)),
    stream: (request) => server.stream(request),
    close: () => Promise.resolve(),
  };
}
