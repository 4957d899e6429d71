import type { Static, TObject, TSchema } from '@sinclair/typebox';

/** Roles that may call an operation; `cluster` only for its own cluster where the path names one. */
export type Role = 'cluster' | 'reader' | 'admin';

/** Roles of clusters for their own claims, and of administrators. */
export const CLUSTER_ROLES = ['cluster', 'admin'] as const satisfies readonly Role[];
/** Every role. */
export const ALL_ROLES = ['cluster', 'reader', 'admin'] as const satisfies readonly Role[];

/** An object without members. */
type Nothing = Readonly<Record<string, never>>;

/** One operation of version 3: the routes, the client, the document and the checks are all made of it. */
export interface Operation {
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Path with members in braces. */
  readonly path: `/v3/${string}`;
  /** One sentence without a full stop. */
  readonly summary: string;
  /** More sentences for the document, where the summary does not say everything. */
  readonly description?: string;
  /** Group in the document. */
  readonly tag: 'claims' | 'clusters' | 'zones' | 'addresses' | 'standing claims' | 'administration' | 'document';
  /** Absent: no login is needed. */
  readonly roles?: readonly Role[];
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** Largest body in bytes, where it is not the usual one. */
  readonly bodyLimit?: number;
  /** Schema of each success by status; null: no body. */
  readonly answers: Readonly<Record<number, TSchema | null>>;
  /** True: a read answers with `ETag`, and a change takes `If-Match` and `If-None-Match`. */
  readonly tagged?: true;
  /** True: sending it twice changes nothing more, so that a client may repeat it by itself. */
  readonly repeatable: boolean;
  /** True: each call is logged with its client, since it goes past the owners of claims or ends many of them. */
  readonly audited?: true;
  /** True: the answer holds a secret, so no server on the way may keep it. */
  readonly secret?: true;
  /** Answer is a stream of server-sent events. */
  readonly stream?: true;
}

type Part<T> = T extends TSchema ? Static<T> : Nothing;
type Given<O, Name extends string> = Name extends keyof O ? Part<O[Name]> : Nothing;

/** Checked members of the path. */
export type ParamsOf<O extends Operation> = Given<O, 'params'>;
/** Checked members of the query. */
export type QueryOf<O extends Operation> = Given<O, 'query'>;
/** Checked body. */
export type BodyOf<O extends Operation> = O extends { readonly body: infer B extends TSchema } ? Static<B> : undefined;
type StaticOrNothing<S> = S extends TSchema ? Static<S> : undefined;
/** Body of a success. */
export type AnswerOf<O extends Operation> = StaticOrNothing<O['answers'][keyof O['answers']]>;
