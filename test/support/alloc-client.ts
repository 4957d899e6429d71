import {
  ChannelCredentials,
  makeClientConstructor,
  Metadata,
  status as STATUS,
  type ClientReadableStream,
  type ServiceError,
} from '@grpc/grpc-js';
import {
  ALLOCATION_SERVICE,
  HEALTH_SERVICE,
  REFUSAL_CODE_KEY,
  type AllocClaim,
  type AllocListRequest,
  type AllocListResponse,
  type AllocName,
  type AllocRequest,
  type AllocResponse,
  type AllocSpec,
  type AllocWatchResponse,
  type HealthResponse,
} from '../../operator/contract/networks/alloc/messages';
import { NEPHIO } from '../../operator/contract/nephio';

/** How a call failed: name of its status and code of the refusal. */
export interface CallFailure {
  readonly status: string;
  readonly refusal: string;
  readonly message: string;
}

/** Where a client connects to. */
export interface AllocTarget {
  readonly port: number;
  readonly host?: string;
  readonly token?: string | undefined;
  /** CA of the server, in PEM; plain text without one. */
  readonly ca?: string;
  /** Name in the certificate. */
  readonly serverName?: string;
}

type Sent = Partial<Omit<AllocRequest, 'spec'>> & { readonly spec?: Partial<AllocSpec> | undefined };

/** A request for one address of a network of instance `vpc-1`. */
export const addressOf = (name: string, network = 'net1', namespace = 'default'): Sent => ({
  namespace,
  name,
  spec: { prefixkind: 'network', selector: { [NEPHIO.networkInstance]: 'vpc-1', [NEPHIO.networkName]: network } },
});

/** A client of the gRPC API of networks; failures are values. */
export class AllocClient {
  readonly #client;
  readonly #metadata = new Metadata();

  constructor({ port, host = '127.0.0.1', token, ca, serverName = 'localhost' }: AllocTarget) {
    const Client = makeClientConstructor(
      { ...ALLOCATION_SERVICE, HealthCheck: HEALTH_SERVICE.Check, HealthWatch: HEALTH_SERVICE.Watch },
      'alloc',
    );
    const credentials =
      ca === undefined ? ChannelCredentials.createInsecure() : ChannelCredentials.createSsl(Buffer.from(ca));
    const named = ca === undefined ? {} : { 'grpc.ssl_target_name_override': serverName };
    this.#client = new Client(`${host}:${String(port)}`, credentials, {
      ...named,
      'grpc.enable_retries': 0,
      'grpc.use_local_subchannel_pool': 1,
    });
    if (token !== undefined) this.#metadata.set('authorization', `Bearer ${token}`);
  }

  allocate(request: Sent): Promise<AllocResponse | CallFailure> {
    return this.#unary('Allocation', request);
  }

  deallocate(request: Partial<AllocName>): Promise<AllocResponse | CallFailure> {
    return this.#unary('DeAllocation', request);
  }

  get(request: AllocName): Promise<AllocClaim | CallFailure> {
    return this.#unary('Get', request);
  }

  list(request: Partial<AllocListRequest>): Promise<AllocListResponse | CallFailure> {
    return this.#unary('List', request);
  }

  health(service = ''): Promise<HealthResponse | CallFailure> {
    return this.#unary('HealthCheck', { service });
  }

  /** Opens a watch. Messages are kept; `until` waits for one. */
  watch(request: Partial<AllocName>): AllocWatch {
    return this.#watch('Watch', request);
  }

  /** Opens a watch of health, whose messages count alone. */
  watchHealth(): AllocWatch {
    return this.#watch('HealthWatch', { service: '' });
  }

  close(): void {
    this.#client.close();
  }

  #watch(name: string, request: object): AllocWatch {
    const call = this.#client[name] as (
      request: object,
      metadata: Metadata,
    ) => ClientReadableStream<AllocWatchResponse>;
    return new AllocWatch(call.call(this.#client, request, this.#metadata));
  }

  #unary<S>(name: string, request: object): Promise<S | CallFailure> {
    type Sent = readonly [request: object, metadata: Metadata, options: object];
    type Answer = (error: ServiceError | null, response?: S) => void;
    const call = this.#client[name] as (...sent: [...Sent, Answer]) => void;
    return new Promise((resolve) => {
      call.call(this.#client, request, this.#metadata, { deadline: Date.now() + 60_000 }, (error, response) => {
        if (error === null) resolve(response as S);
        else resolve(failureOf(error));
      });
    });
  }
}

/** Messages of a watch, and how it ended. */
export class AllocWatch {
  readonly messages: AllocWatchResponse[] = [];
  ended: CallFailure | 'OK' | undefined;
  readonly #stream: ClientReadableStream<AllocWatchResponse>;
  #waiting: (() => void)[] = [];

  constructor(stream: ClientReadableStream<AllocWatchResponse>) {
    this.#stream = stream;
    stream.on('data', (message: AllocWatchResponse) => {
      this.messages.push(message);
      this.#tell();
    });
    stream.on('error', (error: ServiceError) => {
      this.ended = failureOf(error);
      this.#tell();
    });
    stream.on('end', () => {
      this.ended ??= 'OK';
      this.#tell();
    });
  }

  /** Waits until something is so. */
  async until(isSo: (watch: AllocWatch) => boolean): Promise<void> {
    while (!isSo(this)) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  /** Name, prefix and state of each claim that was told. */
  told(): readonly string[] {
    return this.messages.map(({ claim, synced }) =>
      synced || claim === null ? 'synced' : `${claim.name} ${claim.allocatedPrefix} ${claim.statusCode}`,
    );
  }

  cancel(): void {
    this.#stream.cancel();
  }

  #tell(): void {
    for (const waiting of this.#waiting.splice(0)) waiting();
  }
}

function failureOf({ code, details, metadata }: ServiceError): CallFailure {
  const [refusal = ''] = metadata.get(REFUSAL_CODE_KEY);
  return { status: STATUS[code], refusal: String(refusal), message: details };
}

/** Status and refusal of a call that failed, or the prefix that it was given. */
export function briefly(answer: AllocResponse | CallFailure): string {
  return 'status' in answer ? `${answer.status} ${answer.refusal}` : answer.allocatedPrefix;
}
