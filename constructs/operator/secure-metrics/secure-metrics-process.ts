import { SELF_SIGNED_SECRET } from '../../../operator/contract/group';
import { NAMES, PORT_NAMES } from '../../objects/names';
import type { EgressDoorOwner } from '../egress-door/egress-door-owner';
import { secureEndpoint, type EndpointSecurity } from '../monitoring/endpoint-security';
import type { MonitoringProps } from '../monitoring/monitoring-props';
import { folderOfCertificate } from '../process/pod-folders';
import type { PodPort, ProcessPart } from '../process/process-part';
import type { ServicesDoorOwner } from '../services-door/services-process';
import { isSelfManaged } from '../webhooks/webhooks-process';

/** Props that the metrics over HTTPS read. */
export interface SecureMetricsOwner extends EgressDoorOwner, Pick<ServicesDoorOwner, 'services' | 'certificates'> {
  readonly monitoring?: MonitoringProps;
}

/** Port of the metrics over HTTPS, that of the original. */
export const METRICS_PORT: PodPort = { name: PORT_NAMES.metrics, number: 8443, caller: 'monitors' };
const CERTIFICATE_FOLDER = '/etc/ipam-metrics-cert';

/**
 * Tells whether the metrics show the certificate that the operator makes itself.
 *
 * @param props - of an installation with metrics over HTTPS
 * @returns false with cert-manager, and with a certificate of the user's own
 */
export const showsOwnCertificate = (props: SecureMetricsOwner): boolean =>
  isSelfManaged(props) && props.monitoring?.secure?.certificateSecret === undefined;

/**
 * Writes the part of the metrics over HTTPS in the operator's process.
 *
 * @param props - of the installation
 * @returns its options, and the folder of its certificate unless the operator makes that itself
 */
export function secureMetricsProcess(props: SecureMetricsOwner): ProcessPart {
  const isOwn = showsOwnCertificate(props);
  return {
    options: {
      metricsBindAddress: `:${String(METRICS_PORT.number)}`,
      ...(isOwn ? { selfSignedSecret: SELF_SIGNED_SECRET } : { metricsCertPath: CERTIFICATE_FOLDER }),
    },
    folders: isOwn ? [] : [folderOfCertificate('metrics-certificate', CERTIFICATE_FOLDER, certificateSecret(props))],
  };
}

/**
 * Writes how Prometheus reads the metrics of an installation.
 *
 * @param props - of the installation
 * @returns fields of the endpoint of the ServiceMonitor
 */
export function endpointSecurity(props: SecureMetricsOwner): EndpointSecurity {
  const { secure, serviceMonitor } = props.monitoring ?? {};
  return secure === undefined ? { scheme: 'http' } : secureEndpoint(certificateSecret(props), serviceMonitor?.token);
}

function certificateSecret(props: SecureMetricsOwner): string {
  const usual = isSelfManaged(props) ? SELF_SIGNED_SECRET : NAMES.metricsSecret;
  return props.monitoring?.secure?.certificateSecret ?? usual;
}
