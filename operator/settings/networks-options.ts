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
  networksOwnerKinds: {
    flag: '--networks-owner-kinds',
    env: 'IPAM_NETWORKS_OWNER_KINDS',
    type: 'list',
    default: ['services'],
    help: 'Resources, such as services or deployments.apps, whose objects IPAllocations of --networks may name as owners (spec.ownerRef); the operator needs the right to get them',
  },
} as const satisfies Record<string, Option>;

/** Resource of a kind with namespaces as kubectl names it: the plural, and behind a dot its API group. */
export const RESOURCE_NAME = /^[a-z][a-z0-9-]{0,62}(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/u;

/** Settings that decide whether the door can be opened. */
interface NetworksSettings {
  readonly networks: boolean;
  readonly standalone: boolean;
  readonly networksOwnerKinds: readonly string[];
}

/** Names of these settings as their author knows them: flags at start, props at synth. */
export type NetworksFields = Readonly<Record<'networks' | 'networksOwnerKinds', string>>;

/** Names at start. */
export const NETWORKS_FLAGS: NetworksFields = {
  networks: '--networks',
  networksOwnerKinds: '--networks-owner-kinds',
};

/**
 * Finds what stands against the Networks door: its record is objects of a cluster.
 *
 * @param settings - what was set
 * @param fields - names for the messages
 * @returns every problem, `settings/invalid`
 */
export function networksProblems(
  { networks, standalone, networksOwnerKinds }: NetworksSettings,
  fields: NetworksFields,
): readonly Refusal[] {
  if (!networks) return [];
  const wrong = networksOwnerKinds.filter((each) => !RESOURCE_NAME.test(each));
  return [
    ...(standalone ? [invalidField(fields.networks, 'needs a cluster, which keeps its prefixes as objects')] : []),
    ...wrong.map((each) =>
      invalidField(
        fields.networksOwnerKinds,
        `"${each}" is no resource; write its plural and its group, such as deployments.apps`,
      ),
    ),
  ];
}
