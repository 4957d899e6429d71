import type { IpamOperatorProps } from '../ipam-operator-props';
import type { RelatedSystemName } from './related-systems';
import type { NetBoxProps } from '../netbox/netbox-props';
import type { CleanupEventsProps, SplunkProps } from './signal-props';
import { mapped, props } from '../../props-kit/containers';
import { needed, neededElsewhere, type RulesOf } from '../../props-kit/rule';
import { SECRET_KEY } from '../store/store-rules';
import { FLAG, formed, HIDDEN_TEXT, NUMBER, SOME_TEXT } from '../../props-kit/values';

// an address may hold a login by mistake
const URL_TEXT = needed(HIDDEN_TEXT, 'https://absent.invalid');
const FIELD_NAME = formed(/^[a-z0-9_]{1,50}$/u, 'the name of a custom field (a-z, 0-9 and _, at most 50 characters)');

/** Servers beside the operator. */
export const RELATED_SYSTEMS: Pick<RulesOf<IpamOperatorProps>, RelatedSystemName> = {
  netbox: props<NetBoxProps>({
    url: URL_TEXT,
    token: neededElsewhere(SECRET_KEY),
    ca: SECRET_KEY,
    tag: SOME_TEXT,
    fields: mapped(FIELD_NAME, SOME_TEXT),
    refreshSeconds: NUMBER,
    adopt: FLAG,
  }),
  cleanupEvents: props<CleanupEventsProps>({ url: URL_TEXT, token: SECRET_KEY, ca: SECRET_KEY }),
  splunk: props<SplunkProps>({
    url: URL_TEXT,
    token: neededElsewhere(SECRET_KEY),
    ca: SECRET_KEY,
    index: SOME_TEXT,
    source: SOME_TEXT,
    sourcetype: SOME_TEXT,
  }),
};
