import { netboxOf } from '../netbox/netbox-process';
import type { NetBoxProps } from '../netbox/netbox-props';
import { optionTexts } from '../process/option-texts';
import { loginFiles, portOf, type RelatedSystem } from '../process/servers';
import type { CleanupEventsProps, SplunkProps } from './signal-props';

/** Props that name the servers beside the operator. */
export interface RelatedSystemsOwner {
  readonly netbox?: NetBoxProps;
  readonly cleanupEvents?: CleanupEventsProps;
  readonly splunk?: SplunkProps;
}

/**
 * Lists the servers beside the operator, apart from that of the store.
 *
 * @param props - of the installation
 * @returns those that are given, in a fixed order
 */
export function relatedSystemsOf({ netbox, cleanupEvents, splunk }: RelatedSystemsOwner): readonly RelatedSystem[] {
  return [
    ...(netbox === undefined ? [] : [netboxOf(netbox)]),
    ...(cleanupEvents === undefined ? [] : [cleanupEventsOf(cleanupEvents)]),
    ...(splunk === undefined ? [] : [splunkOf(splunk)]),
  ];
}

function cleanupEventsOf({ url, token, ca }: CleanupEventsProps): RelatedSystem {
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
