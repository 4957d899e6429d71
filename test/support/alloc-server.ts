import { Server, ServerCredentials, status, type sendUnaryData, type ServerUnaryCall } from '@grpc/grpc-js';
import {
  ALLOCATION_SERVICE,
  type AllocRequest,
  type AllocResponse,
} from '../../operator/contract/networks/alloc/messages';

type Call = ServerUnaryCall<AllocRequest, Partial<AllocResponse>>;
type Done = sendUnaryData<Partial<AllocResponse>>;

/** A server of the wire of `alloc.Allocation` that is not ours: its refusals have a status and no code, its answers no parent. */
export class AllocServer {
  readonly #server = new Server();
  readonly #given = new Map<string, string>();
  readonly requests: AllocRequest[] = [];
  /** What calls carried to log in. */
  readonly logins: unknown[] = [];
  address = '';
  /** Answers without a prefix from now on. */
  isEmpty = false;

  async start(credentials = ServerCredentials.createInsecure()): Promise<void> {
    const { Allocation, DeAllocation } = ALLOCATION_SERVICE;
    this.#server.addService(
      { Allocation, DeAllocation },
      {
        Allocation: (call: Call, done: Done) => {
          this.#allocate(call, done);
        },
        DeAllocation: ({ request }: Call, done: Done) => {
          this.#given.delete(keyOf(request));
          done(null, {});
        },
      },
    );
    const port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync('127.0.0.1:0', credentials, (error, bound) => {
        if (error === null) resolve(bound);
        else reject(error);
      });
    });
    this.address = `localhost:${String(port)}`;
  }

  stop(): void {
    this.#server.forceShutdown();
  }

  #allocate({ request, metadata }: Call, done: Done): void {
    this.requests.push(request);
    this.logins.push(metadata.get('authorization')[0]);
    if (this.isEmpty) {
      done(null, {});
      return;
    }
    const { selector = {}, prefix = '' } = request.spec ?? {};
    if (selector['nephio.org/network-name'] !== 'net1') {
      done({ code: status.UNKNOWN, details: 'no prefix matches the selector' });
      return;
    }
    const address = this.#given.get(keyOf(request)) ?? this.#free(prefix);
    if (address === undefined) {
      done({ code: status.ALREADY_EXISTS, details: `${prefix} is in use` });
      return;
    }
    this.#given.set(keyOf(request), address);
    done(null, { allocatedPrefix: `${address}/32`, gateway: '10.0.1.1' });
  }

  #free(prefix: string): string | undefined {
    const held = [...this.#given.values()];
    const all = Array.from({ length: 253 }, (_, index) => `10.0.1.${String(index + 2)}`);
    return all.find((each) => !held.includes(each) && (prefix === '' || prefix.startsWith(`${each}/`)));
  }
}

const keyOf = ({ namespace, name }: AllocRequest): string => `${namespace}/${name}`;
