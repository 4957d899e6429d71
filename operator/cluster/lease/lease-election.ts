import { performance } from 'node:perf_hooks';
import { isIpamError } from '../../errors/ipam-error';
import type { ApiClient } from '../api/api-client';
import { apiPath } from '../api/api-path';
import { kindOfRefusal, type ApiRefusal } from '../api/api-refusal';
import { leaseSpec, readLease, type LeaseRecord } from './lease-record';
import type { Tools } from '../../ports/tools';

/** Parts of {@link startLeaseElection}. */
export interface LeaseElectionProps extends Pick<Tools, 'clock' | 'logger'>, Partial<Pick<Tools, 'meter'>> {
  readonly client: ApiClient;
  readonly namespace: string;
  /** Of the Lease. */
  readonly name: string;
  /** Of this process; no other one that runs at the same time may have it. */
  readonly identity: string;
  /**
   * Milliseconds that only ever grow, whatever happens to the wall clock.
   *
   * @default performance.now
   */
  readonly monotonicMs?: () => number;
  /**
   * Spreads the tries; from 0 up to and without 1.
   *
   * @default Math.random
   */
  readonly random?: () => number;
  /** Called when this process becomes the leader. Must not throw. */
  readonly onStarted: () => void;
  /** Called when it no longer is; the Lease is neither released nor tried for again until what it returns is done. */
  readonly onStopped: () => Promise<void> | void;
}

/** A running election. */
export interface LeaseElection {
  /** True while this process leads. */
  leading(): boolean;
  /** Holder of the Lease, as last seen; empty: none. */
  holder(): string;
  /** Whether a process took, renewed or gave back the Lease while this one looked; one that is only found in it did not. */
  hasLed(identity: string): boolean;
  /** Stops leading, waits for `onStopped`, and gives the Lease back for the next one. Idempotent. */
  close(): Promise<void>;
}

/** Time without a renewal after which others may take the Lease, counted from when they saw the last one. */
const LEASE_SECONDS = 15;
/** Time without a renewal after which the leader steps down, counted from before it asked for the last one. */
const RENEW_DEADLINE_MS = 10_000;
/** Between two tries. */
const RETRY_MS = 2000;
/** A wait becomes up to this much longer, so that candidates do not come at once. */
const JITTER = 1.2;
/** Between two looks of a candidate at the Lease of another one: what is stored meanwhile waits for the next leader. */
const LOOK_MS = 300;
/** Answered from the memory of the API server, so that looks cost its database nothing; a write finds out what is older. */
const FROM_CACHE = { resourceVersion: '0' } as const;
/** Of one call: half of the deadline, so that one that hangs leaves time for another. */
const CALL_MS = RENEW_DEADLINE_MS / 2;
/** For the calls that give the Lease back: the end of the process does not wait long. */
const RELEASE_MS = 2000;

/** Result of one try: the Lease is held here, by another process, or that is not known. */
type Try = 'held' | 'taken' | 'unknown';

class Elector implements LeaseElection {
  readonly #props: LeaseElectionProps;
  readonly #monotonicMs: () => number;
  readonly #path: string;
  readonly #loop: Promise<void>;
  /** As last read or written, with the local time at which it had changed. */
  #lease: { readonly record: LeaseRecord; readonly sinceMs: number } | undefined;
  /** True when `#lease` may be older than what is stored. */
  #stale = true;
  /** True once a write was sent whose Lease no other process was seen to hold since. */
  #mayHold = false;
  #leading = false;
  #renewedMs = -Infinity;
  #calls = new AbortController();
  /** Processes that were seen to do something with the Lease. */
  readonly #led = new Set<string>();
  #cancelDeadline: () => void = () => undefined;
  #endPause: () => void = () => undefined;
  #stopped: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #complained = false;

  constructor(props: LeaseElectionProps) {
    this.#props = props;
    this.#monotonicMs = props.monotonicMs ?? (() => performance.now());
    this.#path = apiPath({ ...LEASES, namespace: props.namespace, name: props.name });
    props.meter?.set('leading', 0);
    this.#loop = this.#run();
  }

  leading(): boolean {
    // The timer may be late, for example after the process was stopped for a while.
    return this.#leading && this.#monotonicMs() - this.#renewedMs < RENEW_DEADLINE_MS;
  }

  holder(): string {
    return this.leading() ? this.#props.identity : (this.#lease?.record.holder ?? '');
  }

  hasLed(identity: string): boolean {
    return this.#led.has(identity);
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #run(): Promise<void> {
    // Not at once: the caller shall have got the election before it is told of it.
    await Promise.resolve();
    while (this.#closing === undefined) {
      const startedMs = this.#monotonicMs();
      const { signal } = this.#calls;
      const came = await this.#try(signal);
      if (!signal.aborted) this.#conclude(came, startedMs);
      await this.#stopped;
      await this.#pause(came === 'taken' ? LOOK_MS : RETRY_MS);
    }
  }

  #conclude(came: Try, startedMs: number): void {
    if (came === 'taken') this.#stepDown('another one took the Lease');
    if (came !== 'held') return;
    this.#cancelDeadline();
    const leftMs = startedMs + RENEW_DEADLINE_MS - this.#monotonicMs();
    if (leftMs <= 0) {
      this.#stepDown('the Lease was renewed too late');
      return;
    }
    this.#renewedMs = startedMs;
    this.#cancelDeadline = this.#props.clock.after(leftMs, () => {
      this.#stepDown('the Lease could not be renewed in time');
    });
    if (this.#leading) return;
    this.#leading = true;
    this.#props.meter?.set('leading', 1);
    this.#props.logger.info('leading', { identity: this.#props.identity });
    this.#props.onStarted();
  }

  #stepDown(reason: string): void {
    this.#cancelDeadline();
    if (!this.#leading) return;
    const { logger, meter, identity, onStopped } = this.#props;
    this.#leading = false;
    this.#stale = true;
    this.#dropCalls();
    meter?.set('leading', 0);
    logger.warn('no longer leading', { identity, reason });
    this.#stopped = (async () => {
      await onStopped();
    })().catch((thrown: unknown) => {
      logger.error('what only the leader does could not be ended', { code: codeOf(thrown) });
    });
  }

  #dropCalls(): void {
    this.#calls.abort();
    this.#calls = new AbortController();
  }

  async #try(signal: AbortSignal): Promise<Try> {
    try {
      const came = await this.#readAndWrite(signal, this.#mayHold ? {} : FROM_CACHE);
      // Another process wrote in between: the answer to it decides now, not after a pause.
      return came === 'conflict' ? await this.#settled(signal) : came;
    } catch (thrown) {
      this.#stale = true;
      if (!signal.aborted) this.#complain(codeOf(thrown));
      return 'unknown';
    }
  }

  async #settled(signal: AbortSignal): Promise<Try> {
    const came = await this.#readAndWrite(signal, {});
    return came === 'conflict' ? 'unknown' : came;
  }

  async #readAndWrite(signal: AbortSignal, query: Readonly<Record<string, string>>): Promise<Try | 'conflict'> {
    const { client, namespace } = this.#props;
    if (this.#stale) {
      const answer = await client.request({ method: 'GET', path: this.#path, query, signal, timeoutMs: CALL_MS });
      if (answer.ok) this.#observe(answer.body);
      else if (answer.status === 404) this.#lease = undefined;
      else return this.#refused(answer);
    }
    const before = this.#lease?.record;
    if (!this.#mayTake()) return 'taken';
    const spec = leaseSpec(this.#term(this.#props.identity), before);
    this.#mayHold = true;
    this.#stale = true; // until the answer is there
    const common = { signal, timeoutMs: CALL_MS } as const;
    const answer =
      before === undefined
        ? await client.request({
            method: 'POST',
            path: apiPath({ ...LEASES, namespace }),
            ...common,
            body: { ...KIND, metadata: { namespace, name: this.#props.name }, spec },
          })
        : await client.request({ method: 'PUT', path: this.#path, ...common, body: { ...before.object, spec } });
    if (!answer.ok) return this.#refused(answer);
    this.#observe(answer.body);
    return 'held';
  }

  #refused(refusal: ApiRefusal): Try | 'conflict' {
    // 409 stands for an old version and for a Lease that another one made in between
    if (refusal.status === 409) return 'conflict';
    this.#complain('cluster/unavailable', kindOfRefusal(refusal));
    return 'unknown';
  }

  #observe(object: LeaseRecord['object']): void {
    const record = readLease(object, LEASE_SECONDS * 1000);
    const known = this.#lease;
    const changed = known?.record.mark !== record.mark;
    if (known !== undefined && changed) this.#led.add(record.holder === '' ? known.record.holder : record.holder);
    this.#lease = { record, sinceMs: changed ? this.#monotonicMs() : known.sinceMs };
    this.#stale = false;
    this.#complained = false;
    if (record.holder === this.#props.identity) return;
    this.#stale = true;
    this.#mayHold = false;
    if (record.holder !== '' && known?.record.holder !== record.holder)
      this.#props.logger.info('another one leads', { leader: record.holder });
  }

  // Never by the times in the Lease: they come from another machine's clock.
  #mayTake(): boolean {
    if (this.#lease === undefined) return true;
    const { record, sinceMs } = this.#lease;
    if (record.holder === '' || record.holder === this.#props.identity) return true;
    return !this.#leading && this.#monotonicMs() - sinceMs >= record.durationMs;
  }

  #term(holder: string): { readonly holder: string; readonly nowMs: number; readonly seconds: number } {
    // a Lease without holder needs no duration, but the API server wants one above 0
    return { holder, nowMs: this.#props.clock.nowMs(), seconds: holder === '' ? 1 : LEASE_SECONDS };
  }

  #pause(leastMs: number): Promise<void> {
    if (this.#closing !== undefined) return Promise.resolve();
    const { clock, random = Math.random } = this.#props;
    const ms = this.#leading ? RETRY_MS : leastMs * (1 + JITTER * random());
    return new Promise((resolve) => {
      const cancel = clock.after(ms, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }

  async #end(): Promise<void> {
    this.#stepDown('the process ends');
    this.#dropCalls();
    this.#endPause();
    await this.#loop;
    await this.#stopped;
    if (this.#mayHold) await this.#release();
  }

  // Read anew each time: a dropped call may have been carried out.
  async #release(): Promise<void> {
    const { client, identity } = this.#props;
    try {
      for (let left = 2; left > 0; left--) {
        const stored = await client.request({ method: 'GET', path: this.#path, timeoutMs: RELEASE_MS });
        if (!stored.ok) return;
        const before = readLease(stored.body, 0);
        if (before.holder !== identity) return;
        const body = { ...stored.body, spec: leaseSpec(this.#term(''), before) };
        const answer = await client.request({ method: 'PUT', path: this.#path, timeoutMs: RELEASE_MS, body });
        if (answer.ok || answer.status !== 409) return;
      }
    } catch (thrown) {
      this.#complain(codeOf(thrown)); // the Lease ends by itself
    }
  }

  // Once until the next success: tries come every two seconds.
  #complain(code: string, reason?: string): void {
    if (this.#complained) return;
    this.#complained = true;
    const { namespace, name, logger } = this.#props;
    const lease = `${namespace}/${name}`;
    logger.warn('the Lease cannot be read or written', { lease, code, ...(reason === undefined ? {} : { reason }) });
  }
}

const LEASES = { apiVersion: 'coordination.k8s.io/v1', resource: 'leases' } as const;
const KIND = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' } as const;

function codeOf(thrown: unknown): string {
  return isIpamError(thrown) ? thrown.code : 'internal';
}

/**
 * Takes part in the election of the leader until it is closed. At most one process leads as long as the clocks of two machines
 * run equally fast within a third; a leader that stood still may go on for a moment all the same, so uniqueness must rest on
 * the store.
 *
 * @param props - Lease, identity and what to call
 * @returns the running election
 */
export function startLeaseElection(props: LeaseElectionProps): LeaseElection {
  return new Elector(props);
}
