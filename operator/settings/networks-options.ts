import type { Refusal } from '../errors/outcome';
import type { Option } from './option';
import { invalidField } from './refusals';

/** Options of the Networks door; a part of `OPTIONS`. */
export const NETWORKS_OPTIONS = {
  networks: {
    flag: '--networks',
    env: 'IPAM_NETWORKS',
    type: 'switch',
    default: false,
    help: 'Serve NetworkInstances, IPPrefixes and IPAllocations of ipam.nephio.org; needs these kinds, and AddressClaim and AddressTable',
  },
  networksOrphanGraceSeconds: {
    flag: '--networks-orphan-grace',
    env: 'IPAM_NETWORKS_ORPHAN_GRACE',
    type: 'number',
    unit: 'seconds',
    min: 1,
    max: 86_400,
    default: 300,
    help: 'Time for which a prefix stays on record for an object of --networks that was found missing, as after a restore; one whose deletion is seen gives it back at once',
  },
} as const satisfies Record<string, Option>;

/** Settings that decide whether the door can be opened. */
interface NetworksSettings {
  readonly networks: boolean;
  readonly standalone: boolean;
}

/** Names of these settings as their author knows them: flags at start, props at synth. */
export type NetworksFields = Readonly<Record<'networks', string>>;

/** Names at start. */
export const NETWORKS_FLAGS: NetworksFields = { networks: '--networks' };

/**
 * Finds what stands against the Networks door: its record is objects of a cluster.
 *
 * @param settings - what was set
 * @param fields - names for the messages
 * @returns at most one problem, `settings/invalid`
 */
export function networksProblems(
  { networks, standalone }: NetworksSettings,
  fields: NetworksFields,
): readonly Refusal[] {
  if (!networks || !standalone) return [];
  return [invalidField(fields.networks, 'needs a cluster, which keeps its prefixes as objects')];
}
