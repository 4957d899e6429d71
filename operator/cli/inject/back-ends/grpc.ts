import type { CallOptions, Client, Metadata, ServiceError } from '@grpc/grpc-js';
import { mapOf, textOf } from '../../../contract/loose-json';
import {
  ALLOCATION_SERVICE,
  REFUSAL_CODE_KEY,
  type AllocName,
  type LabelExpression,
} from '../../../contract/networks/alloc/messages';
import { NEPHIO } from '../../../contract/nephio';
import { isErrorCode, type ErrorCode } from '../../../errors/catalogue';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import type { AllocationName, Granted, InjectionBackEnd, InjectionRequest, PackageOwner } from './back-end';

/** Where a server of `alloc.Allocation` is. */
export interface GrpcOptions {
  /** Host and port. */
  readonly server: string;
  /** Without TLS and without a login; for a server that has neither. */
  readonly isPlaintext: boolean;
  /** CA certificates in PEM; by default those of the machine. */
  readonly ca?: string;
  readonly token?: string;
  /** Longest wait for one answer, in milliseconds. */
  readonly waitMs: number;
}

/**
 * Gives by gRPC: of the Networks door, or of another server of the same wire. The name on the wire ends with the id of the package, so that
 * packages, and IPAllocations of the cluster, never reach each other's.
 *
 * @param options - the server, and how to log in
 * @returns the back end; closing it closes the connection
 */
export async function openGrpcBackEnd(options: GrpcOptions): Promise<InjectionBackEnd> {
  // here, since no other command needs it
  const grpc = await import('@grpc/grpc-js');
  const { server, isPlaintext, ca, token, waitMs } = options;
  const tls = grpc.credentials.createSsl(ca === undefined ? null : Buffer.from(ca));
  const login = (_: unknown, done: (error: Error | null, metadata: Metadata) => void): void => {
    const metadata = new grpc.Metadata();
    metadata.set('authorization', `Bearer ${token ?? ''}`);
    done(null, metadata);
  };
  const secured =
    token === undefined
      ? tls
      : grpc.credentials.combineChannelCredentials(tls, grpc.credentials.createFromMetadataGenerator(login));
  const client = new grpc.Client(server, isPlaintext ? grpc.credentials.createInsecure() : secured);
  return new GrpcBackEnd(client, waitMs);
}

type Methods = typeof ALLOCATION_SERVICE;
type Method = 'Allocation' | 'DeAllocation' | 'Get';
type Answer<M extends Method> = ReturnType<Methods[M]['responseDeserialize']>;

/** Status of a method that the server does not have. */
const UNIMPLEMENTED = 12;

interface Sent<M extends Method> {
  readonly error: ServiceError | null;
  readonly answer: Answer<M> | undefined;
}

class GrpcBackEnd implements InjectionBackEnd {
  readonly #client: Client;
  readonly #waitMs: number;

  constructor(client: Client, waitMs: number) {
    this.#client = client;
    this.#waitMs = waitMs;
  }

  async take(request: InjectionRequest): Promise<Outcome<Granted>> {
    const message = messageOf(request);
    if (message.spec.matchExpressions.length > 0) {
      const reading = await this.#readsExpressions(message);
      if (!reading.ok) return reading;
    }
    const answer = await this.#call('Allocation', message);
    if (!answer.ok) return answer;
    const { allocatedPrefix: prefix, gateway, parentPrefix } = answer.value;
    // nothing is released here: the name may have been given something by an earlier run, which the package shows
    if (prefix === '') return refuse('cluster/refused', 'the server gave no prefix');
    return accept({
      prefix,
      ...(gateway === '' ? {} : { gateway }),
      ...(parentPrefix === '' ? {} : { parentPrefix }),
    });
  }

  async release(of: AllocationName & { readonly owner: PackageOwner }): Promise<Outcome<boolean>> {
    const { namespace } = of;
    const answer = await this.#call('DeAllocation', { namespace, name: wireName(of), kind: KIND });
    return answer.ok ? accept(true) : answer;
  }

  close(): Promise<void> {
    this.#client.close();
    return Promise.resolve();
  }

  // A server that does not know a field of a request leaves it out, and would give from another place. The method Get came with the field.
  async #readsExpressions({ namespace, name }: AllocName): Promise<Outcome<void>> {
    const { error } = await this.#sent('Get', { namespace, name });
    if (error === null || codeIn(error) !== undefined) return accept(undefined);
    const status: number = error.code;
    if (status !== UNIMPLEMENTED) return refusalIn(error);
    const message = 'the server knows no matchExpressions, so it was not asked; select by matchLabels alone';
    return refuse('request/invalid', message, { field: 'spec.selector.matchExpressions' });
  }

  async #call<M extends Method>(name: M, message: object): Promise<Outcome<Answer<M>>> {
    const { error, answer } = await this.#sent(name, message);
    return error === null && answer !== undefined ? accept(answer) : refusalIn(error);
  }

  #sent<M extends Method>(name: M, message: object): Promise<Sent<M>> {
    const { path, requestSerialize, responseDeserialize } = ALLOCATION_SERVICE[name];
    const options: CallOptions = { deadline: Date.now() + this.#waitMs };
    return new Promise((resolve) => {
      const done = (error: ServiceError | null, answer?: Answer<M>): void => {
        resolve({ error, answer });
      };
      this.#client.makeUnaryRequest(
        path,
        requestSerialize as never,
        responseDeserialize as never,
        message,
        options,
        done,
      );
    });
  }
}

/** Value that the original's clients send; no server reads it. */
const KIND = 'ipam';

const wireName = ({ name, owner }: Pick<InjectionRequest, 'name' | 'owner'>): string => `${name}.${owner.id}`;

function messageOf(request: InjectionRequest) {
  const { namespace, labels, spec } = request;
  const selector = mapOf(spec['selector']);
  const matchLabels = mapOf(selector['matchLabels']) as Readonly<Record<string, string>>;
  return {
    namespace,
    name: wireName(request),
    kind: KIND,
    labels,
    spec: {
      prefixkind: textOf(spec['kind']),
      prefix: textOf(spec['prefix']),
      prefixLength: Number(spec['prefixLength'] ?? 0),
      network: matchLabels[NEPHIO.networkName] ?? '',
      addressFamily: textOf(spec['addressFamily']),
      selector: matchLabels,
      matchExpressions: (selector['matchExpressions'] ?? []) as readonly LabelExpression[],
    },
  };
}

/** Codes of refusals of a server that names none, by the number of their gRPC status. */
const OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  3: 'request/invalid',
  4: 'store/deadline',
  5: 'instance/not-found',
  7: 'api/forbidden',
  8: 'pool/exhausted',
  14: 'store/unavailable',
  16: 'api/unauthenticated',
};

function refusalIn(error: ServiceError | null): Outcome<never> {
  if (error === null) return refuse('internal', 'the server gave an empty answer');
  return refuse(codeIn(error) ?? OF_STATUS[error.code] ?? 'cluster/refused', error.details);
}

// Only servers of this package tell one.
function codeIn({ metadata }: ServiceError): ErrorCode | undefined {
  const named = String(metadata.get(REFUSAL_CODE_KEY)[0] ?? '');
  return isErrorCode(named) ? named : undefined;
}
