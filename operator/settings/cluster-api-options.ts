import type { Refusal } from '../errors/outcome';
import type { Option } from './option';
import { invalidField } from './refusals';

/** Options of the Cluster API door; a part of `OPTIONS`. */
export const CLUSTER_API_OPTIONS = {
  clusterApi: {
    flag: '--cluster-api',
    env: 'IPAM_CLUSTER_API',
    type: 'switch',
    default: false,
    help: 'Serve IPAddressClaims of Cluster API that refer to an IPGroup; needs --vips, and the kinds IPAddressClaim and IPAddress',
  },
} as const satisfies Record<string, Option>;

/** Settings that decide whether there are pools to refer to. */
interface ClusterApiSettings {
  readonly clusterApi: boolean;
  readonly vips: boolean;
}

/** Names of these settings as their author knows them: flags at start, props at synth. */
export type ClusterApiFields = Readonly<Record<'clusterApi' | 'vips', string>>;

/** Names at start. */
export const CLUSTER_API_FLAGS: ClusterApiFields = { clusterApi: '--cluster-api', vips: '--vips' };

/**
 * Finds what stands against the Cluster API door: it gives addresses of the pools of other doors.
 *
 * @param settings - both switches
 * @param fields - names for the messages
 * @returns at most one problem, `settings/invalid`
 */
export function clusterApiProblems(
  { clusterApi, vips }: ClusterApiSettings,
  fields: ClusterApiFields,
): readonly Refusal[] {
  if (!clusterApi || vips) return [];
  return [invalidField(fields.clusterApi, `has no pools to give addresses from; set ${fields.vips}`)];
}
