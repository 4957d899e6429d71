import { AsyncLocalStorage } from 'node:async_hooks';

/** System outside this process that a request may wait for. */
export type AwaitedSystem = 'api-server' | 'postgres' | 'ipam-api' | 'netbox';

/** Names of these systems in messages. */
export const SYSTEM_NAMES: Readonly<Record<AwaitedSystem, string>> = {
  'api-server': 'the API server',
  postgres: 'PostgreSQL, the store of addresses,',
  'ipam-api': 'the IPAM-API of --ipam-api-url',
  netbox: 'NetBox',
};

/** Calls of one request that have no answer yet, in the order in which they began. */
const CALLS = new AsyncLocalStorage<Set<{ readonly system: AwaitedSystem }>>();

/**
 * Runs the work of a request and keeps account of the systems that it waits for. Each request has its own account, however many run at
 * the same time.
 *
 * @param work - is told how to look which system has not answered yet: the one that was asked last, since its answer is what the others wait for
 * @returns what the work returns
 */
export function accountForAnswers<V>(work: (awaited: () => AwaitedSystem | undefined) => V): V {
  const calls = new Set<{ readonly system: AwaitedSystem }>();
  return CALLS.run(calls, () => work(() => [...calls].at(-1)?.system));
}

/**
 * Waits for the answer of a system, on the account of the request that asks.
 *
 * @param system - that is to answer
 * @param ask - the call
 * @returns its answer
 */
export async function awaitSystem<V>(system: AwaitedSystem, ask: () => Promise<V>): Promise<V> {
  const calls = CALLS.getStore();
  if (calls === undefined) return ask();
  const call = { system };
  calls.add(call);
  try {
    return await ask();
  } finally {
    calls.delete(call);
  }
}
