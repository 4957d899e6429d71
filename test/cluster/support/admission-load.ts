import { setTimeout as pause } from 'node:timers/promises';
import { IPAM } from '../../../operator/contract/group';
import type { ControlPlane } from './control-plane';
import { eventually, PATIENCE_MS } from './eventually';
import type { ServiceScene } from './service-scene';
import { isReady } from './services';

/** 20 admissions a second. */
const EVERY_MS = 50;
/** Calls under way, two seconds' worth: a machine that cannot keep the pace gets fewer, and is asked for answers all the same. */
const MOST_CALLS = 40;
/** Services that live at once; above, the oldest is deleted. */
const MOST = 120;
/** Of ten admissions, so many change a Service that is there. */
const CHANGES = 4;

/** Result of the load. */
export interface LoadResult {
  readonly creates: number;
  readonly changes: number;
  readonly moves: number;
  /** Verb, name and answer of each call that was not served. */
  readonly failed: readonly string[];
  readonly slowestMs: number;
}

/** Options of a load. */
export interface LoadOptions {
  /** Begins the names of its Services. */
  readonly prefix?: string;
  /** False: nobody moves, which takes a leader where it publishes the pools. */
  readonly moves?: boolean;
}

/** Creates, changes and deletes Services at a steady rate, whatever becomes of the calls before as long as they are not too many. */
export class AdmissionLoad {
  readonly #plane: () => ControlPlane;
  readonly #scene: ServiceScene;
  readonly #zone: string;
  readonly #prefix: string;
  readonly #moves: boolean;
  /** Names of those that nobody works on at this moment, oldest first. */
  readonly #idle: string[] = [];
  readonly #calls: Promise<void>[] = [];
  readonly #failed: string[] = [];
  readonly #counts = { creates: 0, changes: 0, moves: 0 };
  /** Last wish of each Service, by name. */
  readonly wished = new Map<string, string>();
  #slowestMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #turn = 0;
  #underWay = 0;

  // eslint-disable-next-line max-params -- where it runs, and what is special about it
  constructor(plane: () => ControlPlane, scene: ServiceScene, zone: string, options: LoadOptions = {}) {
    this.#plane = plane;
    this.#scene = scene;
    this.#zone = zone;
    this.#prefix = options.prefix ?? 'load';
    this.#moves = options.moves ?? true;
  }

  /** Calls that were not served until now. */
  get failures(): number {
    return this.#failed.length;
  }

  begin(): void {
    this.#timer = setInterval(() => {
      if (this.#underWay < MOST_CALLS) this.#calls.push(this.#next());
    }, EVERY_MS);
  }

  /** Waits until so many were sent. */
  async reaches(admissions: number): Promise<void> {
    await eventually(() => this.#turn >= admissions, PATIENCE_MS + 4 * EVERY_MS * admissions);
  }

  /** Ends it, and waits for what is under way. */
  async end(): Promise<LoadResult> {
    clearInterval(this.#timer);
    await Promise.all(this.#calls);
    return { ...this.#counts, failed: this.#failed, slowestMs: this.#slowestMs };
  }

  async #next(): Promise<void> {
    const turn = ++this.#turn;
    if (this.#idle.length > MOST) this.#calls.push(this.#remove(this.#idle.shift() ?? ''));
    const known = turn % 10 < CHANGES ? this.#idle.shift() : undefined;
    const name = known ?? `${this.#prefix}-${String(turn)}`;
    const isThere = known === undefined ? await this.#create(name) : await this.#change(name, turn).then(() => true);
    if (isThere) this.#idle.push(name);
  }

  #create(name: string): Promise<boolean> {
    this.#counts.creates++;
    const manifest = this.#scene.manifest(name, { annotations: { [IPAM.zone]: this.#zone } });
    return this.#timed(`create ${name}`, 'POST', this.#scene.path(), manifest);
  }

  // Every other change is a move to another address, which MetalLB must hold before the Service names it.
  async #change(name: string, turn: number): Promise<void> {
    if (!this.#moves || turn % 2 === 0 || !(await this.#isServed(name))) {
      this.#counts.changes++;
      const annotations = { [IPAM.denyExternalCleanup]: String(turn % 4 < 2) };
      await this.#timed(`change ${name}`, 'PATCH', this.#scene.path(name), { metadata: { annotations } });
      return;
    }
    const address = `10.80.${String(4 + (this.#counts.moves >> 8))}.${String(this.#counts.moves++ & 255)}`;
    this.wished.set(name, address);
    const annotations = { [IPAM.addresses]: address };
    await this.#timed(`move ${name}`, 'PATCH', this.#scene.path(name), { metadata: { annotations } });
  }

  async #isServed(name: string): Promise<boolean> {
    const { body } = await this.#plane().client.attempt('GET', this.#scene.path(name));
    return isReady(body);
  }

  async #remove(name: string): Promise<void> {
    this.wished.delete(name);
    await this.#timed(`delete ${name}`, 'DELETE', this.#scene.path(name));
  }

  // eslint-disable-next-line max-params -- what is called, as the client takes it
  async #timed(what: string, method: string, path: string, body?: unknown): Promise<boolean> {
    const startMs = performance.now();
    const call = (): Promise<{ readonly status: number; readonly message: string | undefined }> =>
      this.#plane()
        .client.attempt(method, path, body, method === 'PATCH' ? 'merge' : undefined)
        .then(
          (answer) => ({ status: answer.status, message: answer.body.message }),
          (thrown: unknown) => ({ status: 0, message: String(thrown) }),
        );
    this.#underWay++;
    let answer = await call();
    // as the refusal asks who moves before MetalLB holds the address, which takes it longer on a busy machine
    while (isTooEarly(answer) && performance.now() - startMs < PATIENCE_MS) {
      await pause(EVERY_MS);
      answer = await call();
    }
    this.#underWay--;
    const { status, message } = answer;
    this.#slowestMs = Math.max(this.#slowestMs, performance.now() - startMs);
    const isServed = status >= 200 && status < 300;
    if (!isServed) this.#failed.push(`${what}: ${String(status)} ${message ?? ''}`);
    return isServed;
  }
}

function isTooEarly({
  status,
  message = '',
}: {
  readonly status: number;
  readonly message: string | undefined;
}): boolean {
  return status === 503 && message.includes('does not hold it yet');
}
