import { isMap, textOf, type JsonMap } from '../../contract/loose-json';

/** A coordination.k8s.io/v1 Lease as it was read. */
export interface LeaseRecord {
  /** Empty: given back. */
  readonly holder: string;
  /** Milliseconds without a change after which any process may take it. */
  readonly durationMs: number;
  readonly transitions: number;
  readonly acquireTime: string;
  /** Changes whenever a process renews or takes the Lease; not when it is labelled. */
  readonly mark: string;
  readonly object: JsonMap;
}

/** The next holder of the Lease, and from when on. */
export interface LeaseTerm {
  /** Empty: none. */
  readonly holder: string;
  readonly nowMs: number;
  readonly seconds: number;
}

/**
 * Reads a Lease.
 *
 * @param object - as the API server sent it
 * @param defaultMs - duration of a Lease that names none
 * @returns its parts
 */
export function readLease(object: JsonMap, defaultMs: number): LeaseRecord {
  const spec = isMap(object['spec']) ? object['spec'] : {};
  const seconds = spec['leaseDurationSeconds'];
  const transitions = spec['leaseTransitions'];
  return {
    holder: textOf(spec['holderIdentity']),
    durationMs: typeof seconds === 'number' ? seconds * 1000 : defaultMs,
    transitions: typeof transitions === 'number' ? transitions : 0,
    acquireTime: textOf(spec['acquireTime']),
    mark: JSON.stringify(spec),
    object,
  };
}

/**
 * Makes the spec of a Lease that is taken, renewed or given back.
 *
 * @param term - its holder from now on
 * @param before - what is stored; undefined for a new Lease
 * @returns what to store
 */
export function leaseSpec(term: LeaseTerm, before: LeaseRecord | undefined): JsonMap {
  const now = microTime(term.nowMs);
  const renewed = before?.holder === term.holder && before.acquireTime !== '';
  const changed = before !== undefined && before.holder !== term.holder && term.holder !== '';
  return {
    holderIdentity: term.holder,
    leaseDurationSeconds: term.seconds,
    acquireTime: renewed ? before.acquireTime : now,
    renewTime: now,
    leaseTransitions: (before?.transitions ?? 0) + (changed ? 1 : 0),
  };
}

/**
 * Writes a time as Kubernetes wants a MicroTime: exactly six digits after the point, or it is refused.
 *
 * @param nowMs - what the wall clock says
 * @returns the text, for example `2026-01-01T00:00:00.000000Z`
 */
export function microTime(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, -1)}000Z`;
}
