import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { NAMES } from '../../objects/names';
import type { SecretKeyReference } from '../../props-kit/secret-key';

/** Token of the ServiceAccount of Prometheus, in its own Pods. */
const OWN_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/** How Prometheus connects to the endpoint of a ServiceMonitor, in the words of that kind. */
export interface EndpointSecurity {
  readonly scheme: 'http' | 'https';
  readonly tlsConfig?: object;
  readonly authorization?: object;
  readonly bearerTokenFile?: string;
}

/**
 * Writes how Prometheus reads the metrics over HTTPS.
 *
 * @param caSecret - Secret of the operator's namespace with the CA of the certificate, at key `ca.crt`
 * @param token - key of a Secret with the token to send; absent: the token of the ServiceAccount of Prometheus
 * @returns fields of the endpoint
 */
export function secureEndpoint(caSecret: string, token: SecretKeyReference | undefined): EndpointSecurity {
  return {
    scheme: 'https',
    tlsConfig: {
      serverName: `${NAMES.metricsService}.${OPERATOR_NAMESPACE}.svc`,
      ca: { secret: { name: caSecret, key: 'ca.crt' } },
    },
    ...(token === undefined
      ? { bearerTokenFile: OWN_TOKEN }
      : { authorization: { type: 'Bearer', credentials: { name: token.name, key: token.key ?? 'token' } } }),
  };
}
