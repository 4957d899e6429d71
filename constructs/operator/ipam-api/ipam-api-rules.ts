import { distinct, list, props } from '../../props-kit/containers';
import { ANNOTATIONS, DNS_NAME, HOST_NAME } from '../../props-kit/kubernetes-values';
import { needed } from '../../props-kit/rule';
import { SECRET_KEY } from '../../props-kit/secret-key';
import { FLAG, HIDDEN_TEXT, NUMBER, word } from '../../props-kit/values';
import type { CertificateIssuer, IpamApiClientsProps, IpamApiExposeProps, IpamApiProps } from './ipam-api-props';

const ISSUER = props<CertificateIssuer>({
  name: needed(DNS_NAME, 'absent'),
  kind: word('Issuer', 'ClusterIssuer'),
  group: DNS_NAME,
});

/** Props of the IPAM-API. */
export const IPAM_API = props<IpamApiProps>({
  expose: props<IpamApiExposeProps>({
    port: NUMBER,
    serviceType: word('ClusterIP', 'NodePort', 'LoadBalancer'),
    serviceAnnotations: ANNOTATIONS,
    dnsNames: distinct(list(HOST_NAME)),
    issuer: ISSUER,
    certificateSecret: HIDDEN_TEXT,
    clients: props<IpamApiClientsProps>({ secret: SECRET_KEY, configMap: SECRET_KEY }),
    clientCa: SECRET_KEY,
    allowAnonymousV2: FLAG,
    deadlineSeconds: NUMBER,
  }),
});
