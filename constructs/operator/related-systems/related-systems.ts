import type { OptionName } from '../../../operator/settings/options';
import type { IpamOperatorProps } from '../ipam-operator-props';
import type { NetBoxProps } from '../netbox/netbox-props';
import { folderOfSecret, type PodFolder, type FileFolder } from '../process/pod-folders';
import type { CleanupEventsProps, SplunkProps } from './signal-props';
import type { SecretKeyReference } from '../store/store-props';
import { portOf, type OptionTexts } from '../store/store-shape';

/** The props that name a server beside the operator. */
export const RELATED_SYSTEM_NAMES = ['netbox', 'cleanupEvents', 'splunk'] as const;

/** One of them. */
export type RelatedSystemName = (typeof RELATED_SYSTEM_NAMES)[number];

/** What follows from a server beside the operator for the Pods and their surroundings. */
export interface RelatedSystem {
  readonly name: RelatedSystemName;
  readonly options: OptionTexts;
  readonly folders: readonly PodFolder[];
  /** Port that the Pods must reach. */
  readonly port: number;
  /** Networks that it is in; undefined means any. */
  readonly cidrs?: readonly string[];
}

/**
 * Lists the servers beside the operator, apart from that of the store.
 *
 * @param props - of the installation
 * @returns those that are given, in a fixed order
 */
export function relatedSystemsOf(props: IpamOperatorProps): readonly RelatedSystem[] {
  const { netbox, cleanupEvents, splunk, networkPolicy = {} } = props;
  const { netboxCidrs, cleanupEventsCidrs, splunkCidrs } = networkPolicy;
  return [
    ...(netbox === undefined ? [] : [{ ...netboxOf(netbox), ...within(netboxCidrs) }]),
    ...(cleanupEvents === undefined ? [] : [{ ...cleanupEventsOf(cleanupEvents), ...within(cleanupEventsCidrs) }]),
    ...(splunk === undefined ? [] : [{ ...splunkOf(splunk), ...within(splunkCidrs) }]),
  ];
}

const within = (cidrs: readonly string[] | undefined): Pick<RelatedSystem, 'cidrs'> =>
  cidrs === undefined ? {} : { cidrs };

function netboxOf({ url, token, ca, tag, fields, refreshSeconds, adopt }: NetBoxProps): RelatedSystem {
  const secrets = secretsOf('netbox', { token, ca });
  return {
    name: 'netbox',
    folders: secrets.folders,
    port: portOf(url),
    options: texts({
      ...{ netboxUrl: url, netboxTokenFile: secrets.token?.file, netboxCaFile: secrets.ca?.file },
      ...{ netboxTag: tag, netboxFields: fields === undefined ? undefined : fieldTexts(fields).join(',') },
      ...{ netboxRefreshSeconds: refreshSeconds, netboxAdopt: adopt },
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

function cleanupEventsOf({ url, token, ca }: CleanupEventsProps): RelatedSystem {
  const secrets = secretsOf('cleanup-events', { token, ca });
  return {
    name: 'cleanupEvents',
    folders: secrets.folders,
    port: portOf(url),
    options: texts({
      ...{ cleanupEventsUrl: url, cleanupEventsTokenFile: secrets.token?.file, cleanupEventsCaFile: secrets.ca?.file },
    }),
  };
}

function splunkOf({ url, token, ca, index, source, sourcetype }: SplunkProps): RelatedSystem {
  const secrets = secretsOf('splunk', { token, ca });
  return {
    name: 'splunk',
    folders: secrets.folders,
    port: portOf(url),
    options: texts({
      ...{ splunkUrl: url, splunkTokenFile: secrets.token?.file, splunkCaFile: secrets.ca?.file },
      ...{ splunkIndex: index, splunkSource: source, splunkSourcetype: sourcetype },
    }),
  };
}

interface Secrets {
  readonly token?: FileFolder | undefined;
  readonly ca?: FileFolder | undefined;
  readonly folders: readonly PodFolder[];
}

function secretsOf(
  name: string,
  { token, ca }: { readonly token: SecretKeyReference | undefined; readonly ca: SecretKeyReference | undefined },
): Secrets {
  const login = token && folderOfSecret(`${name}-token`, `/etc/ipam-${name}/token`, { key: 'token', ...token });
  const trust = ca && folderOfSecret(`${name}-ca`, `/etc/ipam-${name}/ca`, { key: 'ca.crt', ...ca });
  return { token: login, ca: trust, folders: [login, trust].filter((folder) => folder !== undefined) };
}

function texts(values: Partial<Record<OptionName, string | number | boolean | undefined>>): OptionTexts {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}
