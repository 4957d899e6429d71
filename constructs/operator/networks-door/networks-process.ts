import { optionTexts } from '../process/option-texts';
import type { ProcessPart } from '../process/process-part';
import type { NetworksDoorProps } from './networks-door-props';

/** Props that the Networks door reads. */
export interface NetworksDoorOwner {
  readonly networks?: NetworksDoorProps;
  readonly certificates?: 'cert-manager' | 'self-managed';
}

/**
 * Tells whether the Networks door is open.
 *
 * @param props - of the installation
 * @returns false where nothing is said
 */
export function servesNetworks({ networks }: NetworksDoorOwner): boolean {
  return networks?.enabled === true;
}

/**
 * Writes the part of an open Networks door in the operator's process.
 *
 * @param props - of the installation
 * @returns its options
 */
export function networksProcess({ networks = {} }: NetworksDoorOwner): ProcessPart {
  return {
    options: {
      networks: 'true',
      ...optionTexts({
        networksOrphanGraceSeconds: networks.orphanGraceSeconds,
        // an empty list is none, and not the default
        networksOwnerKinds: networks.ownerKinds?.join(','),
      }),
    },
    folders: [],
  };
}
