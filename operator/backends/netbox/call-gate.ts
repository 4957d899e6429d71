import type { Clock } from '../../ports/clock';
import type { NetBoxFault } from './netbox-answer';

/** Failures in a row after which calls are held back. */
const PATIENT_FAILURES = 3;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** How long a token that was not taken is not shown again, unless its file changed. */
const LOGIN_PAUSE_MS = 30_000;

/**
 * Holds calls back while NetBox has asked for that, or while calls in a row failed: a caller is answered at once then, and NetBox
 * is not stormed. Safe for parallel calls.
 */
export class CallGate {
  readonly #clock: Clock;
  #failures = 0;
  #shutUntilMs = 0;
  #fault: NetBoxFault | undefined;
  #token: string | undefined;

  /**
   * Starts open.
   *
   * @param clock - whose time counts
   */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Asks for a way through.
   *
   * @param token - what the call would show
   * @returns why it may not be made now; undefined when it may
   */
  closedTo(token: string): NetBoxFault | undefined {
    const fault = this.#fault;
    const leftMs = this.#shutUntilMs - this.#clock.nowMs();
    if (fault === undefined || leftMs <= 0) return undefined;
    if (fault.kind === 'login' && token !== this.#token) return undefined;
    return { ...fault, acted: 'no', retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)) };
  }

  /**
   * Learns how a call ended.
   *
   * @param fault - what went wrong; undefined for an answer of NetBox, whatever it said
   * @param token - what the call showed
   */
  learn(fault: NetBoxFault | undefined, token: string): void {
    const pauseMs = fault === undefined ? 0 : this.#pauseAfter(fault);
    if (fault?.kind !== 'unavailable') this.#failures = 0;
    if (fault === undefined || pauseMs === 0) return;
    this.#token = token;
    this.#fault = fault;
    this.#shutUntilMs = Math.max(this.#shutUntilMs, this.#clock.nowMs() + pauseMs);
  }

  #pauseAfter({ kind, lacksRight, retryAfterSeconds = 0 }: NetBoxFault): number {
    const toldMs = retryAfterSeconds * 1000;
    switch (kind) {
      case 'limited':
        return toldMs;
      case 'login':
        // other calls may be allowed
        return lacksRight === true ? 0 : LOGIN_PAUSE_MS;
      case 'unavailable': {
        const over = ++this.#failures - PATIENT_FAILURES;
        return Math.max(toldMs, over < 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(over, 10)));
      }
      case 'absent':
      case 'full':
      case 'refused':
        return 0;
    }
  }
}
