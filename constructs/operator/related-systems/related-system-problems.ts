import type { Refusal } from '../../../operator/errors/outcome';
import { netboxProblems, type NetBoxFields } from '../../../operator/settings/netbox-settings';
import { signalProblems, type SignalFields } from '../../../operator/settings/signal-settings';
import type { IpamOperatorProps } from '../ipam-operator-props';
import { fieldTexts } from './related-systems';
import type { NetBoxProps } from '../netbox/netbox-props';
import { refused, secretProblems } from '../../props-kit/refused';
import { servesServices, storeKind } from '../store/store-shape';

const NETBOX: NetBoxFields = {
  netboxUrl: 'netbox.url',
  netboxTokenFile: 'netbox.token',
  netboxFields: 'netbox.fields',
  zonePools: 'zonePools',
  store: 'store',
};
const SIGNALS: SignalFields = {
  adminSocket: 'adminSocket',
  cleanupEventsUrl: 'cleanupEvents.url',
  cleanupEventsTokenFile: 'cleanupEvents.token',
  splunkUrl: 'splunk.url',
  splunkTokenFile: 'splunk.token',
};

/**
 * Checks NetBox, clean-up events and Splunk, as the operator does at its start.
 *
 * @param props - as given to the operator
 * @returns every problem at once; a token is never quoted
 */
export function relatedSystemProblems(props: IpamOperatorProps): readonly Refusal[] {
  const { netbox, cleanupEvents, splunk } = props;
  return [
    ...nameless({ netbox, cleanupEvents, splunk }),
    ...(netbox === undefined ? [] : netboxRefusals(netbox, props)),
    ...signalProblems(
      {
        adminSocket: '',
        cleanupEventsUrl: cleanupEvents?.url ?? '',
        cleanupEventsTokenFile: given(cleanupEvents?.token),
        splunkUrl: splunk?.url ?? '',
        splunkTokenFile: given(splunk?.token),
      },
      SIGNALS,
    ),
    ...Object.entries({ netbox, cleanupEvents, splunk }).flatMap(([name, server]) => [
      ...secretProblems(`${name}.token`, server?.token),
      ...secretProblems(`${name}.ca`, server?.ca),
    ]),
  ];
}

const given = (prop: unknown): string => (prop === undefined ? '' : 'given');

// to the operator an empty address is none at all
function nameless(servers: Readonly<Record<string, { readonly url: string } | undefined>>): readonly Refusal[] {
  return Object.entries(servers).flatMap(([name, server]) =>
    server?.url === '' ? [refused(`${name}.url`, `an empty text is no URL; leave ${name} out, or give one`)] : [],
  );
}

function netboxRefusals(netbox: NetBoxProps, props: IpamOperatorProps): readonly Refusal[] {
  const { zonePools = 'prefixes', store } = props;
  const { url, token, fields = {} } = netbox;
  const [parted] = Object.entries(fields).filter(([, value]) => /[,\p{Cc}]|^\s|\s$/u.test(value));
  return [
    ...netboxProblems(
      {
        netboxUrl: url,
        netboxTokenFile: given(token),
        netboxFields: fieldTexts(fields),
        zonePools,
        store: storeKind(store),
        standalone: false,
        services: servesServices(props),
      },
      NETBOX,
    ),
    ...(parted === undefined
      ? []
      : [refused(`netbox.fields[${parted[0]}]`, `"${parted[1]}" holds what parts fields; give a text without commas`)]),
  ];
}
