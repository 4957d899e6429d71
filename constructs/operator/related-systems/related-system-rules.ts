import { props } from '../../props-kit/containers';
import { neededElsewhere, type RulesOf } from '../../props-kit/rule';
import { SECRET_KEY } from '../../props-kit/secret-key';
import { SERVER_URL } from '../../props-kit/server-url';
import { SOME_TEXT } from '../../props-kit/values';
import { CLEANUP_EVENTS } from '../cleanup-events/cleanup-events-rules';
import { NETBOX } from '../netbox/netbox-rules';
import type { RelatedSystemsOwner } from './related-systems';
import type { SplunkProps } from './splunk-props';

/** Servers beside the operator. */
export const RELATED_SYSTEMS: RulesOf<RelatedSystemsOwner> = {
  netbox: NETBOX,
  cleanupEvents: CLEANUP_EVENTS,
  splunk: props<SplunkProps>({
    url: SERVER_URL,
    token: neededElsewhere(SECRET_KEY),
    ca: SECRET_KEY,
    index: SOME_TEXT,
    source: SOME_TEXT,
    sourcetype: SOME_TEXT,
  }),
};
