import type { KubeObject } from './cluster-client';
import type { ControlPlane } from './control-plane';
import { ingressOf } from './services';

/** Longer than any file. */
const FOLLOW_MS = 1_800_000;

/** Everything that the Services of a cluster ever showed. */
export interface IngressWatch {
  /** Services whose status lost an address that it showed, as `namespace/name: before -> after`. */
  emptied(): readonly string[];
  /** Every state of addresses of a Service, in their order. */
  statesOf(namespace: string, name: string): readonly string[];
}

/** Follows what every Service shows, version by version; it ends with the control plane. */
export function followIngress({ client }: ControlPlane): IngressWatch {
  const seen = new Map<string, string[]>();
  const note = (object: KubeObject): void => {
    const { namespace = '', name, uid } = object.metadata;
    const key = `${namespace}/${name} ${uid}`;
    const states = seen.get(key) ?? [];
    seen.set(key, states);
    const shown = ingressOf(object).toSorted().join();
    if (states.at(-1) !== shown) states.push(shown);
  };
  const following = client.watchUntil(
    '/api/v1/services',
    (all) => {
      for (const each of all) note(each);
      return false;
    },
    FOLLOW_MS,
  );
  following.catch(() => undefined);
  return {
    emptied: () =>
      [...seen].flatMap(([key, states]) => {
        const shown = states.filter((state, at) => at > 0 || state !== '');
        return shown.length > 1 ? [`${key.slice(0, key.indexOf(' '))}: ${shown.join(' -> ')}`] : [];
      }),
    statesOf: (namespace, name) =>
      [...seen].flatMap(([key, states]) => (key.startsWith(`${namespace}/${name} `) ? states : [])),
  };
}
