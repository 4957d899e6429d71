import { HEALTH_SERVICE, type HealthRequest, type HealthResponse } from '../../contract/networks/alloc/messages';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { streaming, unary, type GrpcCall, type GrpcMethod, type GrpcStream } from './grpc-methods';

const SERVICES = ['', 'alloc.Allocation', 'grpc.health.v1.Health'];

/** The standard health service of gRPC. Its calls need no login. */
export class HealthReports {
  readonly #listeners = new Set<(status: HealthResponse['status']) => void>();
  #status: HealthResponse['status'] = 'NOT_SERVING';

  /**
   * Sets what is answered from now on.
   *
   * @param isServing - true while calls are decided
   */
  tell(isServing: boolean): void {
    const status = isServing ? 'SERVING' : 'NOT_SERVING';
    if (status === this.#status) return;
    this.#status = status;
    for (const listener of this.#listeners) listener(status);
  }

  /**
   * Makes the methods of the service.
   *
   * @returns Check and Watch
   */
  methods(): readonly GrpcMethod[] {
    const beside = { isApart: true };
    return [
      unary(HEALTH_SERVICE.Check, (call) => Promise.resolve(this.#check(call.request)), beside),
      streaming(HEALTH_SERVICE.Watch, (call, stream) => this.#watch(call, stream), beside),
    ];
  }

  #check({ service }: HealthRequest): Outcome<HealthResponse> {
    if (SERVICES.includes(service)) return accept({ status: this.#status });
    return refuse('api/not-found', `no service "${service}"`);
  }

  async #watch(
    { request, signal }: GrpcCall<HealthRequest>,
    stream: GrpcStream<HealthResponse>,
  ): Promise<Outcome<void>> {
    const isKnown = SERVICES.includes(request.service);
    const listener = (status: HealthResponse['status']): void => {
      stream.send({ status });
    };
    listener(isKnown ? this.#status : 'SERVICE_UNKNOWN');
    if (isKnown) this.#listeners.add(listener);
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => {
        resolve();
      });
    });
    this.#listeners.delete(listener);
    return accept(undefined);
  }
}
