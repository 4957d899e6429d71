import { ApiObject } from 'cdk8s';
import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { COMMON_LABELS, NAMES, PORT_NAMES, SELECTOR_LABELS } from '../../objects/names';
import { serviceCertificate } from '../certificates/certificate';
import type { IpamApiExposeProps } from './ipam-api-props';

/** The IPAM-API for other clusters: its Service and its certificate. */
export class ExposedIpamApi extends Construct {
  /**
   * Declares both.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - how the API is reached
   */
  constructor(scope: Construct, id: string, props: IpamApiExposeProps) {
    super(scope, id);
    const { port = 443, serviceType = 'ClusterIP', serviceAnnotations, certificateSecret } = props;
    new k8s.KubeService(this, 'Service', {
      metadata: {
        name: NAMES.ipamApiService,
        namespace: OPERATOR_NAMESPACE,
        labels: { ...COMMON_LABELS, ...SELECTOR_LABELS },
        ...(serviceAnnotations === undefined ? {} : { annotations: serviceAnnotations }),
      },
      spec: {
        type: serviceType,
        selector: SELECTOR_LABELS,
        ports: [{ name: 'https', port, targetPort: k8s.IntOrString.fromString(PORT_NAMES.ipamApi), protocol: 'TCP' }],
      },
    });
    if (certificateSecret === undefined) new ApiObject(this, 'Certificate', certificateOf(props));
  }
}

function certificateOf({ dnsNames, issuer }: IpamApiExposeProps) {
  const { ipamApiCertificate: name, ipamApiSecret: secretName, ipamApiService: service } = NAMES;
  return serviceCertificate({ name, secretName, service, dnsNames, issuer });
}
