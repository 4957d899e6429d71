import { OPTIONS, type OptionName } from '../../../operator/settings/options';
import type { OptionTexts } from '../process/option-texts';
import { HEALTH_PORT } from '../process/process-part';
import type { PodNeeds, PodOwner } from './pod-owner';

/**
 * Writes the arguments of the operator, by the flags that it declares. What matters to this installation is said even where
 * it is the default, so that a new default in a later image changes nothing behind the manifest.
 *
 * @param props - of the installation, with the parts of its process
 * @returns the arguments, in the order of the declaration
 */
export function operatorArguments({ logLevel = 'info', process }: PodOwner & PodNeeds): readonly string[] {
  const values: OptionTexts = {
    healthProbeBindAddress: `:${String(HEALTH_PORT)}`,
    logLevel,
    ...Object.fromEntries(process.flatMap(({ options }) => Object.entries(options))),
  };
  return (Object.keys(OPTIONS) as OptionName[]).flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [`${OPTIONS[name].flag}=${value}`];
  });
}
