import type { CleanupEventsOwner } from '../cleanup-events/cleanup-events-props';
import { netboxOf } from '../netbox/netbox-process';
import type { NetBoxProps } from '../netbox/netbox-props';
import { optionTexts } from '../process/option-texts';
import { loginFiles, portOf, type RelatedSystem } from '../process/servers';
import type { SplunkProps } from './splunk-props';

/** Props that name the servers beside the operator. */
export interface RelatedSystemsOwner extends CleanupEventsOwner {
  readonly netbox?: NetBoxProps;
  readonly splunk?: SplunkProps;
}

/**
 * Lists the servers beside the operator, apart from that of the store.
 *
 * @param props - of the installation
 * @param ofDoors - those that its front doors call
 * @returns those that are given, in a fixed order
 */
export function relatedSystemsOf(
  { netbox, splunk }: Pick<RelatedSystemsOwner, 'netbox' | 'splunk'>,
  ofDoors: readonly RelatedSystem[],
): readonly RelatedSystem[] {
  return [
    ...(netbox === undefined ? [] : [netboxOf(netbox)]),
    ...ofDoors,
    ...(splunk === undefined ? [] : [splunkOf(splunk)]),
  ];
}

function splunkOf({ url, token, ca, index, source, sourcetype }: SplunkProps): RelatedSystem {
  const secrets = loginFiles('splunk', { token, ca });
  return {
    name: 'splunk',
    folders: secrets.folders,
    port: portOf(url),
    options: optionTexts({
      splunkUrl: url,
      splunkTokenFile: secrets.token?.file,
      splunkCaFile: secrets.ca?.file,
      splunkIndex: index,
      splunkSource: source,
      splunkSourcetype: sourcetype,
    }),
  };
}
