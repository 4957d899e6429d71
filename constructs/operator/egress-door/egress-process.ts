import { joinedOptions, optionTexts } from '../process/option-texts';
import type { ProcessPart } from '../process/process-part';
import { cloudFolders, cloudOf, cloudOptions } from './egress-cloud';
import type { EgressDoorOwner } from './egress-door-owner';

/**
 * Tells whether the Egress door is open.
 *
 * @param props - of the installation
 * @returns false where nothing is said
 */
export const servesEgress = ({ egress }: EgressDoorOwner): boolean => egress?.enabled === true;

/**
 * Writes the part of an open Egress door in the operator's process.
 *
 * @param props - of the installation
 * @returns its options
 */
export function egressProcess(props: EgressDoorOwner): ProcessPart {
  const { egress = {} } = props;
  const cloud = cloudOf(props);
  const { dataplanes, usePermission: egressUsePermission, whenUnavailable: egressWhenUnavailable } = egress;
  return {
    options: {
      egress: 'true',
      ...joinedOptions({ egressDataplanes: dataplanes }),
      ...cloudOptions(cloud),
      ...optionTexts({ egressUsePermission, egressWhenUnavailable }),
    },
    folders: cloudFolders(cloud),
  };
}
