import type { FastifyRequest } from 'fastify';
import type { ClientProps } from '../../../contract/ipam-api/v3/clients';
import type { Role } from '../../../contract/ipam-api/v3/operation';
import type { AnswerBody, CallOf, OperationId } from '../../../contract/ipam-api/v3/operations';
import { accept, type Outcome } from '../../../errors/outcome';
import type { SharedUses } from '../../../ledger/occupied/shared-uses';
import type { AddressBook, Expectation, FreedAddress } from '../../../ports/address-book';
import type { FreedLog } from '../../../ports/freed-log';
import type { OutsideSource } from '../../../ports/outside-source';
import type { Registry } from '../../../ports/registry';
import type { ZoneSource } from '../../../ports/zone-source';
import type { Tools } from '../../../ports/tools';

/** Parts of version 3 of the IPAM-API. */
export interface IpamApiV3Parts extends Tools {
  readonly book: AddressBook;
  readonly registry: Registry;
  readonly zones: ZoneSource;
  /** Absent where no outside source is set. */
  readonly outside?: OutsideSource;
  /** Addresses that clusters show without a claim; absent where the record keeps none of them. */
  readonly shown?: SharedUses;
  /** Clients of the clients file; absent where calls need no login. */
  readonly clients?: { current(): readonly ClientProps[] };
  /** Tells what a cluster is called since it was renamed; absent where clusters cannot be renamed. */
  readonly newNames?: (cluster: string) => Promise<string | undefined>;
  /** Tells each address that was in use without a claim and is so no more; absent where the record cannot tell. */
  readonly onUnused?: (listener: (freed: FreedAddress) => void) => () => void;
  /** Addresses that every process over the record freed; absent where this one is the only one. */
  readonly freedLog?: FreedLog;
  /** Seconds after which a request is answered by 503. */
  readonly deadlineSeconds: number;
}

/** The caller. */
export interface V3Client {
  readonly name: string;
  readonly role: Role;
  /** Clusters that a client of role `cluster` speaks for. */
  readonly clusterUids: readonly string[];
  /** True: an operator of ours runs behind it; see `ReserveRequest.assertedBy`. */
  readonly operator?: boolean;
  /** Most addresses of each cluster, and of each namespace. */
  readonly clusterQuota?: number;
  readonly namespaceQuota?: number;
  /** Most addresses of a zone and family that each cluster may have on record as in use without a claim or contested. */
  readonly occupiedQuota?: number;
}

/** Tells the caller, by what the request or its connection shows. */
export interface Login {
  /** Counts a call; a refusal is answered. */
  authenticate(request: FastifyRequest): Outcome<V3Client>;
  /** Begins to follow a caller whose answer goes on: the function tells its present rights, and counts no call. */
  follow(request: FastifyRequest): () => Outcome<V3Client>;
}

/** A checked call and its caller. */
export interface V3Call<Id extends OperationId> extends CallOf<Id> {
  readonly client: V3Client;
  /** Tells that the call was answered by its deadline already. */
  readonly isLate: () => boolean;
  /** Condition on the claim, from `If-Match` and `If-None-Match`; absent without them. */
  readonly expects?: Expectation;
}

/** A success. */
export interface V3Answer<Body> {
  readonly body: Body;
  /** 200 unless told otherwise. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Handler of an operation. */
type Handler<Id extends OperationId> = (
  parts: IpamApiV3Parts,
  call: V3Call<Id>,
) => Promise<Outcome<V3Answer<AnswerBody<Id>>>>;
/** Handlers of some operations, by their ids. */
export type Handlers<Ids extends OperationId> = { readonly [Id in Ids]: Handler<Id> };

const ADMIN = accept<V3Client>({ name: 'admin socket', role: 'admin', clusterUids: [] });
/** Login where there are no logins: a program that may open the admin socket may do everything. */
export const ADMIN_LOGIN: Login = { authenticate: () => ADMIN, follow: () => () => ADMIN };
