import type { Address } from '../addressing/address';
import type { ClaimObjectStore } from '../backends/claim-objects/claim-objects';
import type { ApiClient } from '../cluster/api/api-client';
import { openObjectFeed } from '../cluster/watch/object-feed';
import { IP } from '../contract/kinds/ip';
import { VIRTUAL_IP, VIRTUAL_IP_STATES } from '../contract/kinds/virtual-ip';
import {
  MigrationController,
  MigrationGauge,
  migrationWork,
  VirtualIpIndex,
  type MigrationParts,
  type MigrationWorkParts,
} from '../front-doors/vips/index';
import type { LeaderWork } from '../runtime/leadership';
import { resourceOf, writerOf } from './kind-writer';

/** Parts that the migration shares with the VIPs door. */
type SharedParts = Omit<
  MigrationParts,
  'virtualIps' | 'virtualIpWriter' | 'ipWriter' | 'groupAt' | 'known' | 'claims'
> & { readonly claims: ClaimObjectStore };

/** Parts of the door that the work of the leader needs. */
type WorkParts = Pick<MigrationWorkParts, 'services' | 'groups' | 'resyncSeconds'> & {
  readonly controller: { groupAt(address: Address): string | undefined };
};

/** The migration of VirtualIPs, as the VIPs door runs it. */
interface OpenedMigration {
  isMigrating(address: Address): boolean;
  restore(): Promise<void>;
  /** Lists the VirtualIPs whose migration does not go on by itself. */
  halted(): readonly { readonly namespace: string; readonly name: string; readonly message: string }[];
  work(parts: WorkParts): LeaderWork;
  /** Ends the watch; called after the work ended. */
  close(): Promise<void>;
}

/**
 * Opens the migration of VirtualIPs.
 *
 * @param client - the API server
 * @param parts - record and writers that the VIPs door has too
 * @returns what the door asks, and the work of the leader
 */
export function openMigration(client: ApiClient, parts: SharedParts): OpenedMigration {
  const { claims, serviceWriter, events, settings, ...tools } = parts;
  const feed = openObjectFeed(client, { resource: resourceOf(VIRTUAL_IP) }, tools);
  const gauge = new MigrationGauge(tools.meter);
  const virtualIps = new VirtualIpIndex(feed, (before, after) => {
    gauge.follow(before, after);
  });
  let groupAt: MigrationParts['groupAt'] = () => undefined;
  const controller = new MigrationController({
    ...tools,
    virtualIps,
    claims,
    known: claims.known,
    serviceWriter,
    events,
    settings,
    groupAt: (address) => groupAt(address),
    virtualIpWriter: writerOf(client, VIRTUAL_IP),
    ipWriter: writerOf(client, IP),
  });
  return {
    isMigrating: (address) => virtualIps.isMigrating(address),
    restore: async () => {
      await feed.whenSynced();
      await controller.restore();
    },
    halted: () => virtualIps.all().filter(({ order, state }) => order !== 'none' && state === VIRTUAL_IP_STATES.error),
    work: ({ controller: door, ...more }) => {
      groupAt = (address) => door.groupAt(address);
      return migrationWork({ ...tools, ...more, virtualIpFeed: feed, claims, virtualIps, controller, gauge });
    },
    close: async () => {
      virtualIps.close();
      await feed.close();
    },
  };
}
