import { optionTexts } from '../process/option-texts';
import { loginFiles, portOf, type RelatedSystem } from '../process/servers';
import type { NetBoxProps } from './netbox-props';

/**
 * Describes NetBox as the operator's process reaches it.
 *
 * @param netbox - as given to the operator
 * @returns its options, files and port
 */
export function netboxOf({ url, token, ca, tag, fields, refreshSeconds, adopt }: NetBoxProps): RelatedSystem {
  const secrets = loginFiles('netbox', { token, ca });
  return {
    name: 'netbox',
    folders: secrets.folders,
    port: portOf(url),
    options: optionTexts({
      netboxUrl: url,
      netboxTokenFile: secrets.token?.file,
      netboxCaFile: secrets.ca?.file,
      netboxTag: tag,
      netboxFields: fields === undefined ? undefined : fieldTexts(fields).join(','),
      netboxRefreshSeconds: refreshSeconds,
      netboxAdopt: adopt,
    }),
  };
}

/**
 * Writes custom fields of NetBox as the operator reads them.
 *
 * @param fields - values by name
 * @returns one text for each, by name
 */
export function fieldTexts(fields: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .toSorted();
}
