import { optionTexts } from '../process/option-texts';
import type { ProcessPart } from '../process/process-part';
import type { CrdsProps } from '../crds/crds-props';
import type { VipsDoorProps } from './vips-door-props';

/** Props that the VIPs door reads. */
export interface VipsDoorOwner {
  readonly vips?: VipsDoorProps;
  readonly crds?: CrdsProps;
}

/**
 * Tells whether the VIPs door is open.
 *
 * @param props - of the installation
 * @returns false where nothing is said
 */
export function servesVips({ vips }: VipsDoorOwner): boolean {
  return vips?.enabled === true;
}

/**
 * Tells whether an open VIPs door migrates VirtualIPs of the older operator.
 *
 * @param props - of the installation
 * @returns false where nothing is said
 */
export function migratesVips({ vips }: VipsDoorOwner): boolean {
  return vips?.migration === true;
}

/**
 * Writes the part of an open VIPs door in the operator's process.
 *
 * @param props - of the installation
 * @returns its options
 */
export function vipsProcess({ vips = {} }: VipsDoorOwner): ProcessPart {
  const { loadBalancerClasses, classless, besideMetalLbClass, orphanGraceSeconds, migration } = vips;
  const { foreignAnnotations = [] } = vips;
  return {
    options: {
      vips: 'true',
      // an empty list is none, and not the default
      ...optionTexts({ vipsClasses: loadBalancerClasses?.join(',') }),
      ...optionTexts({
        vipsClassless: classless,
        vipsBesideMetalLbClass: besideMetalLbClass,
        vipsOrphanGraceSeconds: orphanGraceSeconds,
      }),
      ...(foreignAnnotations.length === 0 ? {} : { vipsForeignAnnotations: foreignAnnotations.join(',') }),
      ...(migration === true ? { vipsMigration: 'true' } : {}),
    },
    folders: [],
  };
}
