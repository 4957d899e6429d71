import { accept, refuse, type Outcome } from '../errors/outcome';
import { readApiUser, type ApiUser } from './api-user';
import { isMap, textOf } from './loose-json';

/** API version of the reviews that we read and write. */
const REVIEW_API_VERSION = 'admission.k8s.io/v1';

/** The request part of an AdmissionReview; objects stay unread, since each webhook reads what it needs. */
export interface AdmissionRequest {
  /** New on every call, so never an identity of anything. */
  readonly uid: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly dryRun: boolean;
  readonly namespace: string;
  readonly name: string;
  readonly kind: string;
  readonly subResource: string;
  /** Sender of the request. */
  readonly user: ApiUser;
  readonly object: unknown;
  readonly oldObject: unknown;
}

/** One operation of a JSON Patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** Answer of an AdmissionReview. */
export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: {
    readonly status: 'Failure';
    readonly code: number;
    readonly reason: string;
    readonly message: string;
  };
  readonly patchType?: 'JSONPatch';
  /** JSON Patch in base64; absent when nothing changes. */
  readonly patch?: string;
  readonly warnings?: readonly string[];
}

/** An AdmissionReview that goes back. */
export interface AdmissionReviewAnswer {
  readonly apiVersion: typeof REVIEW_API_VERSION;
  readonly kind: 'AdmissionReview';
  readonly response: AdmissionResponse;
}

const OPERATIONS: readonly string[] = [
  'CREATE',
  'UPDATE',
  'DELETE',
  'CONNECT',
] satisfies AdmissionRequest['operation'][];

/**
 * Reads the envelope of an AdmissionReview.
 *
 * @param body - parsed JSON
 * @returns the request, or refusal `api/malformed` that names the field at fault
 */
export function parseAdmissionReview(body: unknown): Outcome<AdmissionRequest> {
  if (!isMap(body) || body['kind'] !== 'AdmissionReview') return malformed('kind', 'kind "AdmissionReview" is due');
  if (body['apiVersion'] !== REVIEW_API_VERSION)
    return malformed('apiVersion', `apiVersion "${REVIEW_API_VERSION}" is due`);
  const request = body['request'];
  if (!isMap(request)) return malformed('request', 'an object is due');
  const uid = textOf(request['uid']);
  if (uid === '') return malformed('request.uid', 'a text that is not empty is due');
  const operation = textOf(request['operation']);
  if (!OPERATIONS.includes(operation)) return malformed('request.operation', `one of ${OPERATIONS.join(', ')} is due`);
  return accept({
    uid,
    operation: operation as AdmissionRequest['operation'],
    dryRun: request['dryRun'] === true,
    namespace: textOf(request['namespace']),
    name: textOf(request['name']),
    kind: isMap(request['kind']) ? textOf(request['kind']['kind']) : '',
    subResource: textOf(request['subResource']),
    user: readApiUser(request['userInfo']),
    object: request['object'],
    oldObject: request['oldObject'],
  });
}

function malformed(field: string, what: string): Outcome<never> {
  return refuse('api/malformed', `the body is not an AdmissionReview that can be answered: ${field}: ${what}`, {
    field,
  });
}

/**
 * Wraps a response.
 *
 * @param response - verdict with the UID of the request
 * @returns the body that goes back
 */
export function reviewAnswer(response: AdmissionResponse): AdmissionReviewAnswer {
  return { apiVersion: REVIEW_API_VERSION, kind: 'AdmissionReview', response };
}
