import type { EventRecorder } from '../../ports/event-recorder';
import type { Meter } from '../../ports/meter';
import { MAX_AVOIDED_IN_NAMESPACE } from './shown-index';

/** Most namespaces that the metric and Events name; the others are counted together. */
const NAMED = 20;
/** Label of the namespaces that are not named. */
const OTHERS = '(others)';

/** Parts that tell of overfull namespaces. */
export interface OverfullParts {
  readonly meter: Meter;
  readonly events: EventRecorder;
  /** Finds the UID of a namespace; undefined while it cannot be read. */
  readonly uidOf: (namespace: string) => Promise<string | undefined>;
}

/** Tells of namespaces whose Services name more addresses in `spec.externalIPs` than count: once each time that this begins. */
export class OverfullNamespaces {
  readonly #parts: OverfullParts;
  #told: ReadonlySet<string> = new Set();

  /**
   * Has told nothing yet.
   *
   * @param parts - meter and Events
   */
  constructor(parts: OverfullParts) {
    this.#parts = parts;
  }

  /**
   * Tells what is so now.
   *
   * @param overfull - namespaces, each with how many of its addresses do not count
   */
  async tell(overfull: ReadonlyMap<string, number>): Promise<void> {
    const { meter } = this.#parts;
    const all = [...overfull.entries()].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    const named = all.slice(0, NAMED);
    meter.clear('external_ips_ignored');
    for (const [namespace, ignored] of named) meter.set('external_ips_ignored', ignored, { namespace });
    const rest = all.slice(NAMED).reduce((sum, [, ignored]) => sum + ignored, 0);
    if (rest > 0) meter.set('external_ips_ignored', rest, { namespace: OTHERS });
    const before = this.#told;
    this.#told = new Set(named.map(([namespace]) => namespace));
    for (const namespace of this.#told) if (!before.has(namespace)) await this.#record(namespace);
  }

  async #record(namespace: string): Promise<void> {
    const uid = await this.#parts.uidOf(namespace).catch(() => undefined);
    if (uid === undefined) return;
    const message = `Services of this namespace name more than ${MAX_AVOIDED_IN_NAMESPACE} addresses of zones in spec.externalIPs; those beyond do not count, so the operator may give them to others`;
    await this.#parts.events.record(
      { apiVersion: 'v1', kind: 'Namespace', namespace: '', name: namespace, uid },
      { type: 'Warning', reason: 'TooManyExternalIPs', message },
    );
  }
}
