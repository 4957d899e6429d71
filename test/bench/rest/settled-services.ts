import type { JsonMap } from '../../../operator/contract/loose-json';

const SINCE = '2026-01-01T00:00:00Z';

/** Who wrote which field, as every API server keeps it: a third of the object. */
const MANAGED_FIELDS = [
  {
    manager: 'ipam',
    operation: 'Apply',
    apiVersion: 'v1',
    time: SINCE,
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:status': {
        'f:conditions': {
          'k:{"type":"ipam.vitistack.io/AddressReady"}': {
            '.': {},
            'f:lastTransitionTime': {},
            'f:message': {},
            'f:reason': {},
            'f:status': {},
            'f:type': {},
          },
        },
      },
    },
    subresource: 'status',
  },
  {
    manager: 'kubectl',
    operation: 'Update',
    apiVersion: 'v1',
    time: SINCE,
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:metadata': { 'f:annotations': { '.': {}, 'f:ipam.vitistack.io/zone': {} } },
      'f:spec': {
        'f:allocateLoadBalancerNodePorts': {},
        'f:externalTrafficPolicy': {},
        'f:internalTrafficPolicy': {},
        'f:ports': { '.': {}, 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {}, 'f:targetPort': {} } },
        'f:sessionAffinity': {},
        'f:type': {},
      },
    },
  },
];

/** A Service of zone `bench` on which nothing is left to do: served, announced, and told of. */
export function settledService(index: number): JsonMap {
  const tail = `${String(index >> 8)}.${String(index & 255)}`;
  const [address, inside] = [`10.201.${tail}`, `10.96.${tail}`];
  const options = {
    'ipam.vitistack.io/deny-external-cleanup': 'false',
    'ipam.vitistack.io/ip-family': 'ipv4',
    'ipam.vitistack.io/retention-period-days': '0',
    'ipam.vitistack.io/secret': 'default',
    'ipam.vitistack.io/zone': 'bench',
  };
  const keys = {
    'ipam.vitistack.io/addresses': address,
    'metallb.io/address-pool': 'bench',
    'metallb.io/loadBalancerIPs': address,
  };
  const metadata = { namespace: 'bench', name: `s${String(index)}`, creationTimestamp: SINCE };
  const condition = {
    type: 'ipam.vitistack.io/AddressReady',
    status: 'True',
    reason: 'Bound',
    lastTransitionTime: SINCE,
    message: `"${address}" of zone "bench" is bound to this Service`,
  };
  return {
    metadata: { ...metadata, annotations: { ...options, ...keys }, managedFields: MANAGED_FIELDS },
    spec: {
      type: 'LoadBalancer',
      clusterIP: inside,
      clusterIPs: [inside],
      sessionAffinity: 'None',
      ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
      externalTrafficPolicy: 'Cluster',
      internalTrafficPolicy: 'Cluster',
      allocateLoadBalancerNodePorts: false,
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    },
    status: { loadBalancer: { ingress: [{ ip: address, ipMode: 'VIP' }] }, conditions: [condition] },
  };
}
