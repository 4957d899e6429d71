import { ApiObject } from 'cdk8s';

import { SELF_SIGNED_SECRET } from '../../../operator/contract/group';
import { NAMES } from '../../objects/names';
import { serviceCertificate } from '../certificates/certificate';
import { SecureMetricsAccess } from '../secure-metrics/secure-metrics-access';
import {
  METRICS_PORT,
  secureMetricsProcess,
  showsOwnCertificate,
  type SecureMetricsOwner,
} from '../secure-metrics/secure-metrics-process';
import { isSelfManaged, servesWebhooks } from '../webhooks/webhooks-process';
import type { DoorManifests } from './door-manifests';

const hasOwnSecret = ({ monitoring }: SecureMetricsOwner): boolean =>
  monitoring?.secure?.certificateSecret !== undefined;

// Where there are webhooks, their certificate is made already.
const makesCertificate = (props: SecureMetricsOwner): boolean => showsOwnCertificate(props) && !servesWebhooks(props);

/** The metrics over HTTPS, which Prometheus reads with a token. */
export const SECURE_METRICS_DOOR: DoorManifests<SecureMetricsOwner> = {
  name: 'secure-metrics',
  isOpen: ({ monitoring }) => monitoring?.secure !== undefined,
  kinds: () => [],
  process: secureMetricsProcess,
  port: METRICS_PORT,
  certificate: (props) => (hasOwnSecret(props) ? 'none' : 'ca'),
  rights: (props) => ({
    cluster: [],
    secretsRead: [],
    secretsWritten: makesCertificate(props) ? [SELF_SIGNED_SECRET] : [],
  }),
  roles: (scope, props) => [new SecureMetricsAccess(scope, 'SecureMetricsAccess', makesCertificate(props))],
  objects: (scope, props) => {
    if (hasOwnSecret(props) || isSelfManaged(props)) return [];
    const { metricsCertificate: name, metricsSecret: secretName, metricsService: service } = NAMES;
    return [new ApiObject(scope, 'MetricsCertificate', serviceCertificate({ name, secretName, service }))];
  },
  admission: () => [],
  alerts: () => [],
  panels: { requests: [], objects: [] },
};
