import type { Refusal } from '../../../operator/errors/outcome';
import { signalProblems, type SignalFields } from '../../../operator/settings/signal-settings';
import { refused } from '../../props-kit/refused';
import { secretProblems } from '../../props-kit/secret-key';
import { netboxRefusals, type NetBoxContext } from '../netbox/netbox-problems';
import type { RelatedSystemsOwner } from './related-systems';
import { given } from '../../props-kit/given';

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
export function relatedSystemProblems(props: RelatedSystemsOwner & NetBoxContext): readonly Refusal[] {
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

// to the operator an empty address is none at all
function nameless(servers: Readonly<Record<string, { readonly url: string } | undefined>>): readonly Refusal[] {
  return Object.entries(servers).flatMap(([name, server]) =>
    server?.url === '' ? [refused(`${name}.url`, `an empty text is no URL; leave ${name} out, or give one`)] : [],
  );
}
