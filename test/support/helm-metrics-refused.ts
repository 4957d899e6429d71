import { tree } from './helm-release';
import type { Refused } from './helm-refused';

/** Values about the metrics that chart and constructs refuse. */
export const REFUSED_METRICS: readonly Refused[] = [
  [
    'a token for metrics that need none',
    tree({ 'monitoring.serviceMonitor.enabled': true, 'monitoring.serviceMonitor.tokenSecret': 'scraper' }),
    'monitoring.serviceMonitor.tokenSecret: has no effect without monitoring.secure, which asks for a token; leave one of the two out',
    'monitoring.serviceMonitor.token: has no effect without monitoring.secure, which asks for a token; leave one of the two out',
  ],
];

const AT = 'monitoring.serviceMonitor';

/** Values about the metrics that are no references, and may be secrets themselves. */
export const HIDDEN_METRICS: readonly Refused[] = [
  [
    'a certificate of the metrics in place of its Secret',
    tree({ 'monitoring.secure.enabled': true, 'monitoring.secure.certificateSecret': 'HUSH hush' }),
    'monitoring.secure.certificateSecret: give the name of a Secret',
  ],
  [
    'a token of Prometheus in place of its Secret',
    tree({ 'monitoring.secure.enabled': true, [`${AT}.enabled`]: true, [`${AT}.tokenSecret`]: 'HUSH hush' }),
    `${AT}.tokenSecret: give the name of a Secret`,
    `${AT}.token: give the name of a Secret`,
  ],
];
