import { NAMES } from '../../objects/names';
import type { PodFolder } from '../process/pod-folders';
import { optionTexts, type OptionTexts } from '../process/option-texts';
import type { EgressCloudProps } from './egress-cloud-props';
import type { EgressDoorOwner } from './egress-door-owner';

/** Where OpenShift expects the token of an operator. */
const OPENSHIFT_FOLDER = '/var/run/secrets/openshift/serviceaccount';
const FOLDER = '/var/run/secrets/ipam-cloud';

/** File of the token that OpenShift writes into the Secrets of a cloud. */
export const OPENSHIFT_TOKEN = `${OPENSHIFT_FOLDER}/token`;

/** A cloud with what its props leave out. */
interface CompleteCloud extends EgressCloudProps {
  readonly isOpenShift: boolean;
}

/**
 * Reads the cloud of an installation.
 *
 * @param props - of the installation
 * @returns the cloud with its Secret; undefined where addresses are attached to no machines
 */
export function cloudOf({ egress, platform }: EgressDoorOwner): CompleteCloud | undefined {
  const { cloud, enabled = false } = egress ?? {};
  if (cloud === undefined || !enabled) return undefined;
  const isOpenShift = platform === 'openshift';
  const isKeyless = cloud.provider === 'gcp' && !isOpenShift;
  const secret = cloud.secret ?? (isKeyless ? undefined : NAMES.cloudSecret);
  return secret === undefined ? { ...cloud, isOpenShift } : { ...cloud, secret, isOpenShift };
}

/**
 * Writes the options of the cloud.
 *
 * @param cloud - of the installation; undefined has none
 * @returns texts by option
 */
export const cloudOptions = (cloud: CompleteCloud | undefined): OptionTexts =>
  optionTexts({
    egressCloud: cloud?.provider,
    egressCloudRegion: cloud?.region,
    egressCloudEnvironment: cloud?.environment,
    egressCloudSecret: cloud?.secret,
  });

/**
 * Mounts the token of the ServiceAccount that the cloud takes in place of keys.
 *
 * @param cloud - of the installation; undefined has none
 * @returns at most one folder
 */
export function cloudFolders(cloud: CompleteCloud | undefined): readonly PodFolder[] {
  const audience = cloud?.tokenAudience ?? (cloud?.isOpenShift === true ? 'openshift' : undefined);
  if (cloud === undefined || audience === undefined) return [];
  const serviceAccountToken = { audience, expirationSeconds: 3600, path: 'token' };
  const path = cloud.isOpenShift ? OPENSHIFT_FOLDER : FOLDER;
  return [{ name: 'cloud-token', path, source: { projected: { sources: [{ serviceAccountToken }] } } }];
}
