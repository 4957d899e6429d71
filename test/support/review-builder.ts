import { randomUUID } from 'node:crypto';

import type { PatchOperation } from '../../operator/contract/admission-review';

/** A Service as JSON, as loose as the API server sends it. */
export interface ServiceJson {
  apiVersion?: string;
  kind?: string;
  metadata: {
    name?: string;
    generateName?: string;
    namespace?: string;
    uid?: string;
    annotations?: Record<string, string> | null;
    [field: string]: unknown;
  };
  spec: { type?: string; [field: string]: unknown };
  [field: string]: unknown;
}

/** Content of one review. */
export interface ReviewProps {
  readonly operation?: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly object?: unknown;
  readonly oldObject?: unknown;
  readonly dryRun?: boolean;
  readonly uid?: string;
}

/** An AdmissionReview answer as a client reads it. */
export interface AnswerJson {
  readonly apiVersion: string;
  readonly kind: string;
  readonly response: {
    readonly uid: string;
    readonly allowed: boolean;
    readonly patch?: string;
    readonly patchType?: string;
    readonly warnings?: readonly string[];
    readonly status?: { readonly code: number; readonly reason: string; readonly message: string };
  };
}

/**
 * Builds a LoadBalancer Service `web` in namespace `a`.
 *
 * @param annotations - of the Service
 * @param spec - fields beside or instead of the usual ones
 * @param metadata - fields beside or instead of the usual ones
 */
export function service(
  annotations?: Record<string, string> | null,
  spec: Record<string, unknown> = {},
  metadata: Record<string, unknown> = {},
): ServiceJson {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'web',
      namespace: 'a',
      ...(annotations === undefined ? {} : { annotations }),
      ...metadata,
    },
    spec: { type: 'LoadBalancer', ports: [{ port: 80, protocol: 'TCP' }], selector: { app: 'web' }, ...spec },
    status: { loadBalancer: {} },
  };
}

/** Builds an AdmissionReview with the fields that Kubernetes 1.36 sends. */
export function review(props: ReviewProps): Record<string, unknown> {
  const { operation = 'CREATE', object = null, oldObject = null, dryRun = false, uid = randomUUID() } = props;
  const kind = { group: '', version: 'v1', kind: 'Service' };
  const resource = { group: '', version: 'v1', resource: 'services' };
  const { name, namespace = 'a' } = metadataOf(object ?? oldObject);
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid,
      kind,
      resource,
      requestKind: kind,
      requestResource: resource,
      name, // JSON leaves it out where generateName is used
      namespace,
      operation,
      userInfo: { username: 'developer', groups: ['system:authenticated'] },
      object,
      oldObject,
      dryRun,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', ...(dryRun ? { dryRun: ['All'] } : {}) },
    },
  };
}

function metadataOf(object: unknown): ServiceJson['metadata'] {
  return (object as Partial<ServiceJson> | null)?.metadata ?? {};
}

/** Decodes the patch of an answer; empty when it has none. */
export function patchOf(answer: AnswerJson): PatchOperation[] {
  const { patch } = answer.response;
  if (patch === undefined) return [];
  return JSON.parse(Buffer.from(patch, 'base64').toString('utf8')) as PatchOperation[];
}
