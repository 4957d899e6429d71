import { AZURE_ENVIRONMENTS, EGRESS_CLOUDS } from '../contract/egress-clouds';
import { EGRESS_DATAPLANES } from '../contract/egress-dataplanes';
import type { Refusal } from '../errors/outcome';
import type { Option } from './option';
import { invalidField } from './refusals';

/** Options of the Egress door; a part of `OPTIONS`. */
export const EGRESS_OPTIONS = {
  egress: {
    flag: '--egress',
    env: 'IPAM_EGRESS',
    type: 'switch',
    default: false,
    help: 'Give Namespaces that opt in to an EgressIPAM of redhatcop.redhat.io their addresses; needs this kind, and AddressClaim',
  },
  egressDataplanes: {
    flag: '--egress-dataplanes',
    env: 'IPAM_EGRESS_DATAPLANES',
    type: 'list',
    choices: EGRESS_DATAPLANES,
    default: [],
    help: 'Dataplanes that --egress drives where the cluster has them; with none, it writes addresses to Namespaces alone',
  },
  egressCloud: {
    flag: '--egress-cloud',
    env: 'IPAM_EGRESS_CLOUD',
    type: 'choice',
    choices: ['none', ...EGRESS_CLOUDS],
    default: 'none',
    help: 'Cloud to whose machines --egress attaches addresses before a dataplane carries them; none where there is no cloud, or the platform attaches them',
  },
  egressCloudRegion: {
    flag: '--egress-cloud-region',
    env: 'IPAM_EGRESS_CLOUD_REGION',
    type: 'text',
    default: '',
    help: 'Region of the machines; needed with --egress-cloud=aws, for example eu-west-1',
  },
  egressCloudEnvironment: {
    flag: '--egress-cloud-environment',
    env: 'IPAM_EGRESS_CLOUD_ENVIRONMENT',
    type: 'choice',
    choices: AZURE_ENVIRONMENTS,
    default: 'AzurePublicCloud',
    help: 'Environment of Azure whose servers --egress-cloud=azure calls',
  },
  egressCloudSecret: {
    flag: '--egress-cloud-secret-name',
    env: 'IPAM_EGRESS_CLOUD_SECRET_NAME',
    type: 'text',
    default: '',
    help: 'Secret in the namespace of the operator with the login of --egress-cloud; read again every half minute. Needed but for gcp, which asks the metadata server without one',
  },
  egressUsePermission: {
    flag: '--egress-use-permission',
    env: 'IPAM_EGRESS_USE_PERMISSION',
    type: 'switch',
    default: true,
    help: 'Ask for the right to use an EgressIPAM (verb use) where a user opts a Namespace in to it, or lists addresses; false: everything that may annotate a Namespace may',
  },
  egressWhenUnavailable: {
    flag: '--egress-when-unavailable',
    env: 'IPAM_EGRESS_WHEN_UNAVAILABLE',
    type: 'choice',
    choices: ['deny', 'admit'],
    default: 'admit',
    help: 'Answer to the egress annotations of a Namespace while the rights of its author cannot be asked for: refuse them, or admit them',
  },
} as const satisfies Record<string, Option>;

/** Settings that decide whether the door can be opened. */
interface EgressSettings {
  readonly egress: boolean;
  readonly standalone: boolean;
  readonly egressCloud: string;
  readonly egressCloudRegion: string;
  readonly egressCloudSecret: string;
}

/**
 * Finds what stands against the Egress door: its record is objects of a cluster, and its cloud needs a login.
 *
 * @param settings - what was set
 * @returns one problem for each, `settings/invalid`
 */
export function egressProblems(settings: EgressSettings): readonly Refusal[] {
  if (!settings.egress) return [];
  const { egress } = EGRESS_OPTIONS;
  const alone = settings.standalone
    ? [invalidField(egress.flag, 'needs a cluster, which keeps its addresses as objects')]
    : [];
  return [...alone, ...cloudProblems(settings)];
}

/** Parts of the cloud that can contradict each other. */
type CloudSettings = Pick<EgressSettings, 'egressCloud' | 'egressCloudRegion' | 'egressCloudSecret'>;

/**
 * Finds what is missing beside the cloud.
 *
 * @param settings - what was set
 * @param fields - names for the messages
 * @returns one problem for each, `settings/invalid`
 */
export function cloudProblems(
  { egressCloud, egressCloudRegion, egressCloudSecret }: CloudSettings,
  fields: Readonly<Record<keyof CloudSettings, string>> = CLOUD_FLAGS,
): readonly Refusal[] {
  const hasRegion = egressCloud !== 'aws' || egressCloudRegion !== '';
  const hasLogin = egressCloudSecret !== '' || egressCloud === 'none' || egressCloud === 'gcp';
  const beside = `with ${fields.egressCloud} ${egressCloud}`;
  return [
    ...(hasRegion ? [] : [invalidField(fields.egressCloudRegion, `is needed ${beside}: the region of the machines`)]),
    ...(hasLogin ? [] : [invalidField(fields.egressCloudSecret, `is needed ${beside}: the Secret with the login`)]),
  ];
}

const CLOUD_FLAGS = {
  egressCloud: EGRESS_OPTIONS.egressCloud.flag,
  egressCloudRegion: EGRESS_OPTIONS.egressCloudRegion.flag,
  egressCloudSecret: EGRESS_OPTIONS.egressCloudSecret.flag,
};
