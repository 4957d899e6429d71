import type { FastifyInstance } from 'fastify';
import type { Clock } from '../ports/clock';

/** Time for one check; below the 1 s after which the kubelet gives up. */
export const CHECK_DEADLINE_MS = 800;

/** One thing that must be well for the operator to serve. */
export interface HealthCheck {
  /** Short name, for example `store`. */
  readonly name: string;
  /** Returns what is wrong, one sentence without secrets, or undefined. A throw counts as wrong. */
  readonly run: () => Promise<string | undefined> | string | undefined;
  /** True: what is wrong is told, and does not keep the operator from serving. */
  readonly isAdvice?: true;
}

/** State of all checks at one moment. */
export interface HealthReport {
  readonly ready: boolean;
  readonly checks: readonly { readonly name: string; readonly problem?: string }[];
}

/** Readiness and liveness of the process: all checks, and whether it is ending. Safe to share; `startDraining` cannot be undone. */
export class Health {
  readonly #clock: Clock;
  readonly #checks: readonly HealthCheck[];
  readonly #vital: readonly HealthCheck[];
  #draining = false;

  /**
   * Collects the checks; none runs yet.
   *
   * @param clock - for the deadline of each check
   * @param checks - what must be well to serve
   * @param vital - what must be well to live on: only what a restart mends
   */
  constructor(clock: Clock, checks: readonly HealthCheck[], vital: readonly HealthCheck[] = []) {
    this.#clock = clock;
    this.#checks = checks;
    this.#vital = vital;
  }

  /** Makes the process not ready from now on, since it is about to end. */
  startDraining(): void {
    this.#draining = true;
  }

  /**
   * Runs all checks side by side.
   *
   * @returns their state; `ready` only when all are well that are no advice, and the process is not ending
   */
  async report(): Promise<HealthReport> {
    const advice = new Set(this.#checks.filter(({ isAdvice }) => isAdvice === true).map(({ name }) => name));
    const checks = await this.#run(this.#checks);
    if (this.#draining) checks.push({ name: 'shutdown', problem: 'the operator is ending' });
    return { ready: checks.every(({ name, problem }) => problem === undefined || advice.has(name)), checks };
  }

  /**
   * Runs the vital checks side by side.
   *
   * @returns their state; `ready` while the process should live on
   */
  async vitalReport(): Promise<HealthReport> {
    const checks = await this.#run(this.#vital);
    return { ready: checks.every(({ problem }) => problem === undefined), checks };
  }

  #run(checks: readonly HealthCheck[]): Promise<{ readonly name: string; readonly problem?: string }[]> {
    return Promise.all(
      checks.map(async ({ name, run }) => {
        const problem = await this.#withDeadline(run);
        return problem === undefined ? { name } : { name, problem };
      }),
    );
  }

  async #withDeadline(run: HealthCheck['run']): Promise<string | undefined> {
    let stop: (() => void) | undefined;
    const late = new Promise<string>((resolve) => {
      stop = this.#clock.after(CHECK_DEADLINE_MS, () => {
        resolve(`no answer within ${CHECK_DEADLINE_MS} ms`);
      });
    });
    // The text of a foreign error could hold a secret.
    const answer = Promise.resolve()
      .then(run)
      .catch(() => 'the check failed');
    try {
      return await Promise.race([answer, late]);
    } finally {
      stop?.();
    }
  }
}

/** Reports behind the health paths. */
export interface HealthPaths {
  readonly health: Health;
  readonly exposition: Exposition;
}

/** Returns the numbers in the text format of Prometheus. */
export type Exposition = () => Promise<{ readonly contentType: string; readonly text: string }>;

/**
 * Adds `/healthz` (the process answers and is not deaf), `/readyz` (it can serve: every check by name) and, where numbers are
 * given, `/metrics`.
 *
 * @param app - instance that does not listen yet
 * @param paths - readiness and numbers
 */
export function registerHealth(app: FastifyInstance, paths: Pick<HealthPaths, 'health'> & Partial<HealthPaths>): void {
  app.get('/healthz', async (_request, reply) => {
    const { ready, checks } = await paths.health.vitalReport();
    return reply.code(ready ? 200 : 503).send(ready ? { status: 'ok' } : { status: 'not ok', checks });
  });
  app.get('/readyz', async (_request, reply) => {
    const { ready, checks } = await paths.health.report();
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', checks });
  });
  if (paths.exposition !== undefined) registerMetrics(app, paths.exposition);
}

/**
 * Adds `/metrics`.
 *
 * @param app - instance that does not listen yet
 * @param exposition - the numbers
 */
export function registerMetrics(app: FastifyInstance, exposition: Exposition): void {
  app.get('/metrics', async (_request, reply) => {
    const { contentType, text } = await exposition();
    return reply.type(contentType).send(text);
  });
}
