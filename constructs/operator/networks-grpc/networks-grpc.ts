import { ApiObject } from 'cdk8s';
import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { COMMON_LABELS, NAMES } from '../../objects/names';
import { serviceCertificate } from '../certificates/certificate';
import { NETWORKS_GRPC_PORT } from './networks-grpc-process';
import type { NetworksGrpcProps } from './networks-grpc-props';

/** The gRPC API of networks: its Service and its certificate. */
export class NetworksGrpc extends Construct {
  /**
   * Declares both.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - how the API is reached
   */
  constructor(scope: Construct, id: string, props: NetworksGrpcProps) {
    super(scope, id);
    const { name, number: port } = NETWORKS_GRPC_PORT;
    new k8s.KubeService(this, 'Service', {
      metadata: { name: NAMES.networksGrpcService, namespace: OPERATOR_NAMESPACE, labels: COMMON_LABELS },
      // no selector: the Pod that leads writes the EndpointSlice, since the others do not listen
      spec: { ports: [{ name, port, protocol: 'TCP' }] },
    });
    if (props.certificateSecret !== undefined) return;
    const { networksGrpcCertificate, networksGrpcSecret: secretName, networksGrpcService: service } = NAMES;
    new ApiObject(this, 'Certificate', serviceCertificate({ name: networksGrpcCertificate, secretName, service }));
  }
}
