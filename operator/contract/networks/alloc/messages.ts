import { Reader, Root, type Type } from 'protobufjs/light';

import { DESCRIPTOR } from './descriptor';

/** One condition of a label selector. */
export interface LabelExpression {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/** Labels by key. */
type Labels = Readonly<Record<string, string>>;

/** Content of a request. */
export interface AllocSpec {
  readonly prefixkind: string;
  readonly prefix: string;
  readonly prefixLength: number;
  readonly network: string;
  readonly addressFamily: string;
  readonly selector: Labels;
  readonly matchExpressions: readonly LabelExpression[];
}

/** Namespace and name of what is given to a client. */
export interface AllocName {
  readonly namespace: string;
  readonly name: string;
}

/** A request for an address or a prefix; the same for its release. */
export interface AllocRequest extends AllocName {
  readonly kind: string;
  readonly labels: Labels;
  /** Null where the message has none. */
  readonly spec: AllocSpec | null;
}

/** Answer to a request; all fields are empty in the answer to a release. */
export interface AllocResponse {
  readonly allocatedPrefix: string;
  readonly gateway: string;
  readonly parentPrefix: string;
}

/** State of what a name was given. */
type AllocStatus = 'Valid' | 'InValid' | 'Unknown';

/** Allocation of one name, as Get, List and Watch tell it. */
export interface AllocClaim extends AllocName, AllocResponse {
  readonly networkInstance: string;
  readonly prefixkind: string;
  readonly labels: Labels;
  readonly statusCode: AllocStatus;
}

/** Which claims are listed. */
export interface AllocListRequest {
  readonly namespace: string;
  readonly networkInstance: string;
  readonly pageSize: number;
  readonly pageToken: string;
}

/** One page of claims. */
export interface AllocListResponse {
  readonly claims: readonly AllocClaim[];
  readonly nextPageToken: string;
}

/** One message of a watch. */
export interface AllocWatchResponse {
  /** Null where `synced` is set. */
  readonly claim: AllocClaim | null;
  readonly synced: boolean;
}

/** A question about health; the service is empty for the whole server. */
export interface HealthRequest {
  readonly service: string;
}

/** An answer about health. */
export interface HealthResponse {
  readonly status: 'UNKNOWN' | 'SERVING' | 'NOT_SERVING' | 'SERVICE_UNKNOWN';
}

/** Writes and reads one message. Fields that a message leaves out are read as their empty values. */
interface MessageCodec<M> {
  encode(message: Partial<M>): Buffer;
  /**
   * Reads a message.
   *
   * @throws Error where the bytes are not such a message
   */
  decode(bytes: Uint8Array): M;
}

let root: Root | undefined;

/** Text of enums, plain objects, and every field that is left out. */
const PLAIN = { enums: String, longs: Number, defaults: true, arrays: true, objects: true };

function codec<M extends object>(name: string): MessageCodec<M> {
  let type: Type | undefined;
  const found = (): Type => {
    root ??= Root.fromJSON(DESCRIPTOR);
    return (type ??= root.lookupType(name));
  };
  return {
    encode: (message) => Buffer.from(found().encode(found().fromObject(message)).finish()),
    // the reader that is made for a Buffer cuts a text short at the end of the message; this one throws
    decode: (bytes) => found().toObject(found().decode(new Reader(bytes)), PLAIN) as M,
  };
}

/** A method of a service in the form that `@grpc/grpc-js` takes for servers and clients. */
export interface MethodOf<Q, S> {
  readonly path: string;
  readonly requestStream: false;
  readonly responseStream: boolean;
  readonly requestSerialize: (request: Partial<Q>) => Buffer;
  readonly requestDeserialize: (bytes: Buffer) => Q;
  readonly responseSerialize: (response: Partial<S>) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => S;
}

/** Names of a method and of its messages, as the `.proto` files have them. */
interface MethodNames {
  readonly path: string;
  readonly request: string;
  readonly response: string;
  readonly isStream?: boolean;
}

function method<Q extends object, S extends object>({
  path,
  request,
  response,
  isStream = false,
}: MethodNames): MethodOf<Q, S> {
  const [asked, told] = [codec<Q>(request), codec<S>(response)];
  return {
    path,
    requestStream: false,
    responseStream: isStream,
    requestSerialize: (message) => asked.encode(message),
    requestDeserialize: (bytes) => asked.decode(bytes),
    responseSerialize: (message) => told.encode(message),
    responseDeserialize: (bytes) => told.decode(bytes),
  };
}

/** The service of `alloc.proto`. */
export const ALLOCATION_SERVICE = {
  Allocation: method<AllocRequest, AllocResponse>({
    path: '/alloc.Allocation/Allocation',
    request: 'alloc.Request',
    response: 'alloc.Response',
  }),
  DeAllocation: method<AllocRequest, AllocResponse>({
    path: '/alloc.Allocation/DeAllocation',
    request: 'alloc.Request',
    response: 'alloc.Response',
  }),
  Get: method<AllocName, AllocClaim>({
    path: '/alloc.Allocation/Get',
    request: 'alloc.GetRequest',
    response: 'alloc.Claim',
  }),
  List: method<AllocListRequest, AllocListResponse>({
    path: '/alloc.Allocation/List',
    request: 'alloc.ListRequest',
    response: 'alloc.ListResponse',
  }),
  Watch: method<AllocName, AllocWatchResponse>({
    path: '/alloc.Allocation/Watch',
    request: 'alloc.WatchRequest',
    response: 'alloc.WatchResponse',
    isStream: true,
  }),
};

const HEALTH = { request: 'grpc.health.v1.HealthCheckRequest', response: 'grpc.health.v1.HealthCheckResponse' };

/** The service of `health.proto`. */
export const HEALTH_SERVICE = {
  Check: method<HealthRequest, HealthResponse>({ path: '/grpc.health.v1.Health/Check', ...HEALTH }),
  Watch: method<HealthRequest, HealthResponse>({ path: '/grpc.health.v1.Health/Watch', ...HEALTH, isStream: true }),
};

/** Key of the trailing metadata that has the code of a refusal, as the error catalogue names it. */
export const REFUSAL_CODE_KEY = 'ipam-refusal-code';
