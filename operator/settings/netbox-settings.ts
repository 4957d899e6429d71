import type { Refusal } from '../errors/outcome';
import type { Settings } from './options';
import { isSafeUrl } from './safe-url';
import { invalidField } from './refusals';

/** Settings that say how NetBox is reached, and what must go with it. */
export type NetBoxSettings = Pick<
  Settings,
  'netboxUrl' | 'netboxTokenFile' | 'netboxFields' | 'zonePools' | 'store' | 'standalone' | 'services'
>;

/** Names of these settings as their author knows them: flags at start, props at synth. */
export type NetBoxFields = Readonly<
  Record<'netboxUrl' | 'netboxTokenFile' | 'netboxFields' | 'zonePools' | 'store', string>
>;

/** Names at start. */
export const NETBOX_FLAGS: NetBoxFields = {
  netboxUrl: '--netbox-url',
  netboxTokenFile: '--netbox-token-file',
  netboxFields: '--netbox-fields',
  zonePools: '--zone-pools',
  store: '--store',
};

const FIELD = /^[a-z0-9_]{1,50}=.+$/u;

/**
 * Finds what stands against NetBox as outside source.
 *
 * @param settings - what was set; an empty text is "not set"
 * @param fields - names for the messages
 * @returns every problem at once, `settings/invalid`; none where no NetBox is named
 */
export function netboxProblems(settings: NetBoxSettings, fields: NetBoxFields): readonly Refusal[] {
  const { netboxUrl, netboxTokenFile, netboxFields, zonePools, store, standalone, services } = settings;
  if (netboxUrl === '') return [];
  const wrong = urlProblem(netboxUrl);
  const bad = netboxFields.find((text) => !FIELD.test(text));
  return [
    ...(wrong === undefined ? [] : [invalidField(fields.netboxUrl, wrong)]),
    ...(netboxTokenFile === ''
      ? [invalidField(fields.netboxTokenFile, `is needed with ${fields.netboxUrl}, but is not set`)]
      : []),
    ...(bad === undefined
      ? []
      : [invalidField(fields.netboxFields, `"${bad}" is not a custom field with its value; give name=value`)]),
    // without a cluster, or without its Services, there are no pools
    ...(zonePools === 'claims' || standalone || !services
      ? []
      : [
          invalidField(
            fields.zonePools,
            `"${zonePools}" is not possible with ${fields.netboxUrl}, since the prefixes of its zones are known at run time only; give claims`,
          ),
        ]),
    ...(store === 'objects' ? [invalidField(fields.store, withoutZones(fields.netboxUrl))] : []),
    ...(store === 'remote'
      ? [
          invalidField(
            fields.store,
            `"remote" is not possible with ${fields.netboxUrl}: the IPAM-API elsewhere keeps NetBox up to date; leave out one of both`,
          ),
        ]
      : []),
  ];
}

const withoutZones = (netboxUrl: string): string =>
  `"objects" is not possible with ${netboxUrl}: it has no zones, which NetBox would add to; leave out one of both`;

// A URL with a login in it is never quoted.
function urlProblem(text: string): string | undefined {
  const url = URL.canParse(text) && !/\s/u.test(text) ? new URL(text) : undefined;
  if (url === undefined || !isSafeUrl(url))
    return `${text.includes('@') ? '' : `"${text}" is `}not a URL with https://`;
  if (url.username + url.password !== '') return 'a URL must not hold a login; give the token as a file';
  if (url.search + url.hash !== '') return `"${text}" has a query or fragment; give scheme, host and path only`;
  return /\/api\/*$/u.test(url.pathname) ? `"${text}" ends with /api, which is added; leave it out` : undefined;
}
