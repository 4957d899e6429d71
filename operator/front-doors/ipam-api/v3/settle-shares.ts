import type { ClientProps } from '../../../contract/ipam-api/v3/clients';
import { isIpamError } from '../../../errors/ipam-error';
import type { SharedUses } from '../../../ledger/occupied/shared-uses';
import type { Tools } from '../../../ports/tools';
import type { ZoneSource } from '../../../ports/zone-source';
import type { ClientSource } from './authenticator';
import { limitsOf, reportersOf, tellRefused } from './beyond-share';

/** Pause after a fault of the store, and after a refusal. */
const AGAIN_MS = 5_000;

/** Parts of {@link settleShares}. */
export interface SettleParts extends Tools {
  readonly shown: Pick<SharedUses, 'settle'>;
  readonly zones: ZoneSource;
  readonly clients: Pick<ClientSource, 'current'>;
}

/** A cluster, and the clients by whose limits it has its shares. */
interface ClientsOfCluster {
  readonly cluster: string;
  readonly clients: readonly ClientProps[];
}

/**
 * Keeps what clusters show within their shares of zones that come or change: what was reported before counts in full as far as the share
 * goes, and as avoided beyond. Looks at once and after each change of the zones.
 *
 * @param parts - uses, zones, clients, tools
 * @returns the function that ends it; it waits for what is under way
 */
export function settleShares(parts: SettleParts): () => Promise<void> {
  const { zones, clock, logger } = parts;
  let isEnded = false;
  let running = Promise.resolve();
  let cancel: () => void = () => undefined;
  const look = async (): Promise<void> => {
    try {
      let isDone = true;
      for (const each of clientsByCluster(parts.clients.current())) {
        if (isEnded) return;
        if (!(await settleOne(parts, each))) isDone = false;
      }
      if (!isDone) later(AGAIN_MS);
    } catch (thrown) {
      const code = isIpamError(thrown) ? thrown.code : 'internal';
      logger.warn('shares of zones could not be looked at; tried again', { code });
      later(AGAIN_MS);
    }
  };
  const later = (ms: number): void => {
    cancel();
    if (isEnded) return;
    cancel = clock.after(ms, () => {
      running = running.then(look);
    });
  };
  const stop = zones.onChange?.(() => {
    later(0);
  });
  later(0);
  return async () => {
    isEnded = true;
    stop?.();
    cancel();
    await running;
  };
}

async function settleOne(parts: SettleParts, { cluster, clients }: ClientsOfCluster): Promise<boolean> {
  const settled = await parts.shown.settle(cluster, { limits: clients.map(limitsOf) });
  const [client] = clients;
  if (settled.ok && client !== undefined) tellRefused(parts, { client, clusterUid: cluster, refused: settled.value });
  return settled.ok;
}

function clientsByCluster(clients: readonly ClientProps[]): readonly ClientsOfCluster[] {
  const clusters = new Set(clients.flatMap(({ clusterUids = [] }) => clusterUids));
  return [...clusters].map((cluster) => ({ cluster, clients: reportersOf(clients, cluster) }));
}
