import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';

import type { EgressCloudName } from '../../../operator/contract/egress-clouds';
import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { COMMON_LABELS, NAMES } from '../../objects/names';
import { OPENSHIFT_TOKEN } from './egress-cloud';

const API_VERSION = 'cloudcredential.openshift.io/v1';
const NAMESPACE = 'openshift-cloud-credential-operator';

/** Rights in each cloud, the fewest by which addresses are attached; the same lists stand in docs/egress.md. */
const PROVIDER_SPECS: Readonly<Record<EgressCloudName, object>> = {
  aws: {
    kind: 'AWSProviderSpec',
    statementEntries: [
      {
        effect: 'Allow',
        action: [
          'ec2:DescribeInstances',
          'ec2:DescribeInstanceTypes',
          'ec2:DescribeNetworkInterfaces',
          'ec2:DescribeSubnets',
          'ec2:AssignPrivateIpAddresses',
          'ec2:UnassignPrivateIpAddresses',
          'ec2:AssignIpv6Addresses',
          'ec2:UnassignIpv6Addresses',
        ],
        resource: '*',
      },
    ],
  },
  azure: {
    kind: 'AzureProviderSpec',
    permissions: [
      'Microsoft.Compute/virtualMachines/read',
      'Microsoft.Network/networkInterfaces/read',
      'Microsoft.Network/networkInterfaces/write',
      'Microsoft.Network/virtualNetworks/read',
      'Microsoft.Network/virtualNetworks/subnets/join/action',
      'Microsoft.Network/loadBalancers/backendAddressPools/read',
      'Microsoft.Network/loadBalancers/backendAddressPools/join/action',
    ],
  },
  gcp: {
    kind: 'GCPProviderSpec',
    permissions: [
      'compute.instances.get',
      'compute.instances.list',
      'compute.instances.updateNetworkInterface',
      'compute.addresses.list',
      'compute.forwardingRules.list',
      'compute.subnetworks.get',
      'compute.subnetworks.use',
      'compute.zoneOperations.get',
    ],
  },
};

/** Props of {@link CredentialsRequest}. */
interface CredentialsRequestProps {
  readonly provider: EgressCloudName;
  /** Secret that OpenShift makes. */
  readonly secret: string;
}

/** What the operator asks OpenShift for: a login in the cloud with few rights, by keys or by the token of the ServiceAccount. */
export class CredentialsRequest extends Construct {
  /**
   * Declares the request.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - cloud and Secret
   */
  constructor(scope: Construct, id: string, { provider, secret }: CredentialsRequestProps) {
    super(scope, id);
    new ApiObject(this, 'Resource', {
      apiVersion: API_VERSION,
      kind: 'CredentialsRequest',
      metadata: { name: NAMES.credentialsRequest, namespace: NAMESPACE, labels: COMMON_LABELS },
      spec: {
        secretRef: { name: secret, namespace: OPERATOR_NAMESPACE },
        serviceAccountNames: [NAMES.serviceAccount],
        cloudTokenPath: OPENSHIFT_TOKEN,
        providerSpec: { apiVersion: API_VERSION, ...PROVIDER_SPECS[provider] },
      },
    });
  }
}
