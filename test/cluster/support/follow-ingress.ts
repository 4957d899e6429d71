import type { KubeObject } from './cluster-client';
import type { ControlPlane } from './control-plane';
import { eventually } from './eventually';
import { ingressOf } from './services';

/** Longer than any file. */
const FOLLOW_MS = 1_800_000;
const SERVICES = '/api/v1/services';

/** Everything that the Services of a cluster showed until the call; each answers once the watch has seen as much. */
export interface IngressWatch {
  /** Services whose status lost an address that it showed, as `namespace/name: before -> after`. */
  emptied(): Promise<readonly string[]>;
  /** Every state of addresses of a Service, in their order. */
  statesOf(namespace: string, name: string): Promise<readonly string[]>;
}

/** Follows what every Service shows, version by version; it ends with the control plane. */
export function followIngress({ client }: ControlPlane): IngressWatch {
  const seen = new Map<string, string[]>();
  const versions = new Map<string, number>();
  const note = (object: KubeObject): void => {
    const { namespace = '', name, uid } = object.metadata;
    const key = `${namespace}/${name} ${uid}`;
    const states = seen.get(key) ?? [];
    seen.set(key, states);
    const shown = ingressOf(object).toSorted().join();
    if (states.at(-1) !== shown) states.push(shown);
    versions.set(uid, versionOf(object));
  };
  const following = client.watchUntil(
    SERVICES,
    (all) => {
      for (const each of all) note(each);
      return false;
    },
    FOLLOW_MS,
  );
  following.catch(() => undefined);
  const caughtUp = async (): Promise<void> => {
    const { items = [] } = await client.request('GET', SERVICES);
    await eventually(() => items.every((each) => (versions.get(each.metadata.uid) ?? 0) >= versionOf(each)));
  };
  return {
    async emptied() {
      await caughtUp();
      return [...seen].flatMap(([key, states]) => {
        const shown = states.filter((state, at) => at > 0 || state !== '');
        return shown.length > 1 ? [`${key.slice(0, key.indexOf(' '))}: ${shown.join(' -> ')}`] : [];
      });
    },
    async statesOf(namespace, name) {
      await caughtUp();
      return [...seen].flatMap(([key, states]) => (key.startsWith(`${namespace}/${name} `) ? states : []));
    },
  };
}

function versionOf({ metadata }: KubeObject): number {
  return Number(metadata.resourceVersion);
}
