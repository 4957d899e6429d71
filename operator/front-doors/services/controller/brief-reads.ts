import { DEFAULT_SECRET, OPERATOR_NAMESPACE } from '../../../contract/group';
import type { Clock } from '../../../ports/clock';
import type { Cluster } from '../../../ports/cluster';

/** A namespace takes seconds to go and to come back, so within one its UID is the same. */
const NAMESPACE_MS = 1_000;
/** The cluster's own secret is immutable; made anew it is seen after this time. */
const SECRET_MS = 10_000;

interface Answer<V> {
  readonly untilMs: number;
  readonly value: Promise<V | undefined>;
}

/** A cluster some of whose answers are kept for a moment. */
export interface BriefCluster extends Cluster {
  /** Reads a namespace anew from now on: a change was told. */
  forgetNamespace(name: string): void;
}

/**
 * Lets many Services of one moment share what is read for each of them: their namespace and the cluster's own secret.
 *
 * @param cluster - the API server
 * @param clock - whose time counts
 * @returns the same cluster with these two reads repeated rarely; "not there" and failures are never kept
 */
export function brieflyRemembered(cluster: Cluster, clock: Clock): BriefCluster {
  const namespaces = new Brief(clock, NAMESPACE_MS, (name) => cluster.namespace(name));
  const secrets = new Brief(clock, SECRET_MS, () => cluster.secret(OPERATOR_NAMESPACE, DEFAULT_SECRET));
  return {
    clusterUid: () => cluster.clusterUid(),
    families: () => cluster.families(),
    namespace: (name) => namespaces.read(name),
    secret: (namespace, name) =>
      namespace === OPERATOR_NAMESPACE && name === DEFAULT_SECRET ? secrets.read('') : cluster.secret(namespace, name),
    ensureSecret: (namespace, name, data) => cluster.ensureSecret(namespace, name, data),
    service: (namespace, name) => cluster.service(namespace, name),
    services: () => cluster.services(),
    storedServices: () => cluster.storedServices(),
    forgetNamespace: (name) => {
      namespaces.forget(name);
    },
  };
}

class Brief<V> {
  readonly #answers = new Map<string, Answer<V>>();
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #ask: (key: string) => Promise<V | undefined>;

  constructor(clock: Clock, ms: number, ask: (key: string) => Promise<V | undefined>) {
    this.#clock = clock;
    this.#ms = ms;
    this.#ask = ask;
  }

  forget(key: string): void {
    this.#answers.delete(key);
  }

  async read(key: string): Promise<V | undefined> {
    const nowMs = this.#clock.nowMs();
    const known = this.#answers.get(key);
    if (known !== undefined && known.untilMs > nowMs) return known.value;
    this.#dropOld(nowMs);
    const value = this.#ask(key);
    this.#answers.delete(key); // so that it goes to the end
    this.#answers.set(key, { untilMs: nowMs + this.#ms, value });
    const forget = (): void => {
      if (this.#answers.get(key)?.value === value) this.#answers.delete(key);
    };
    value.then((found) => {
      if (found === undefined) forget();
    }, forget);
    return value;
  }

  // Oldest first, each looked at once: a cluster may have thousands of namespaces. A clock that went back delays it, no more.
  #dropOld(nowMs: number): void {
    for (const [old, { untilMs }] of this.#answers) {
      if (untilMs > nowMs) return;
      this.#answers.delete(old);
    }
  }
}
