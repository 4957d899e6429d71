import { VIRTUAL_IP_STATES, type VirtualIpView } from '../../../contract/kinds/virtual-ip';
import type { Meter } from '../../../ports/meter';

const STAGES = ['waiting', 'running', 'halted', 'migrated'] as const;

/** How far a VirtualIP is, as a metric tells it. */
type Stage = (typeof STAGES)[number];

function stageOf({ order, state }: VirtualIpView): Stage {
  if (state === VIRTUAL_IP_STATES.migrated) return 'migrated';
  if (order === 'none' || order === 'dry-run') return 'waiting';
  return state === VIRTUAL_IP_STATES.error ? 'halted' : 'running';
}

/** Gauge of the VirtualIPs by how far their migration is; each change costs the same, however many there are. */
export class MigrationGauge {
  readonly #meter: Pick<Meter, 'set' | 'clear'>;
  readonly #counts: Record<Stage, number> = { waiting: 0, running: 0, halted: 0, migrated: 0 };
  #isTold = false;

  /**
   * Starts without a VirtualIP, and tells nothing.
   *
   * @param meter - where the numbers go
   */
  constructor(meter: Pick<Meter, 'set' | 'clear'>) {
    this.#meter = meter;
  }

  /**
   * Counts a change.
   *
   * @param before - undefined where it is new
   * @param after - undefined where it is gone
   */
  follow(before: VirtualIpView | undefined, after: VirtualIpView | undefined): void {
    if (before !== undefined) this.#counts[stageOf(before)] -= 1;
    if (after !== undefined) this.#counts[stageOf(after)] += 1;
    if (this.#isTold) this.#tell();
  }

  /** Tells the numbers from now on: this process leads. */
  start(): void {
    this.#isTold = true;
    this.#tell();
  }

  /** Takes the numbers away: another process leads. */
  end(): void {
    this.#isTold = false;
    this.#meter.clear('vip_migrations');
  }

  #tell(): void {
    for (const stage of STAGES) this.#meter.set('vip_migrations', this.#counts[stage], { stage });
  }
}
