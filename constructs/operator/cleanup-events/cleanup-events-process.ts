import { optionTexts } from '../process/option-texts';
import { loginFiles, portOf, type RelatedSystem } from '../process/servers';
import type { CleanupEventsProps } from './cleanup-events-props';

/**
 * Describes the server of the stream as the operator's process reaches it.
 *
 * @param cleanupEvents - as given to the operator
 * @returns its options, files and port
 */
export function cleanupEventsOf({ url, token, ca }: CleanupEventsProps): RelatedSystem {
  const secrets = loginFiles('cleanup-events', { token, ca });
  return {
    name: 'cleanupEvents',
    folders: secrets.folders,
    port: portOf(url),
    options: optionTexts({
      cleanupEventsUrl: url,
      cleanupEventsTokenFile: secrets.token?.file,
      cleanupEventsCaFile: secrets.ca?.file,
    }),
  };
}
