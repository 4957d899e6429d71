/**
 * A review of a Service as the API server sends it, about 4 kB, with managed fields and a last-applied annotation. There are
 * 1,000 namespaces, so that none comes near the limit of its unbound reservations.
 */
export function reviewOf(index: number): string {
  const name = `web-${index}`;
  const namespace = `shop-${index % 1_000}`;
  const ports = [80, 443, 8080].map((port) => ({ name: `p${port}`, protocol: 'TCP', port, targetPort: port + 1000 }));
  const managed = ['kubectl-client-side-apply', 'deployer'].map((manager) => ({
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    time: '2026-11-27T10:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:metadata': {
        'f:annotations': { '.': {}, 'f:kubectl.kubernetes.io/last-applied-configuration': {} },
        'f:labels': { '.': {}, 'f:app': {} },
      },
      'f:spec': {
        'f:allocateLoadBalancerNodePorts': {},
        'f:externalTrafficPolicy': {},
        'f:ports': Object.fromEntries(
          ports.map((port) => [
            `k:{"port":${port.port},"protocol":"TCP"}`,
            { '.': {}, 'f:name': {}, 'f:port': {}, 'f:protocol': {}, 'f:targetPort': {} },
          ]),
        ),
        'f:selector': {},
        'f:sessionAffinity': {},
        'f:type': {},
      },
    },
  }));
  const annotations = {
    'ipam.vitistack.io/zone': 'bench',
    team: 'shop',
    'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace },
      spec: { type: 'LoadBalancer', ports },
    }),
  };
  return JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      kind: { group: '', version: 'v1', kind: 'Service' },
      resource: { group: '', version: 'v1', resource: 'services' },
      requestKind: { group: '', version: 'v1', kind: 'Service' },
      requestResource: { group: '', version: 'v1', resource: 'services' },
      name,
      namespace,
      operation: 'CREATE',
      userInfo: { username: 'deployer', uid: 'u-1', groups: ['system:authenticated', 'deployers'] },
      object: {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: {
          name,
          namespace,
          labels: { app: name, tier: 'front', release: 'bench' },
          annotations,
          managedFields: managed,
        },
        spec: {
          type: 'LoadBalancer',
          ports,
          selector: { app: name },
          sessionAffinity: 'None',
          externalTrafficPolicy: 'Cluster',
          allocateLoadBalancerNodePorts: true,
          internalTrafficPolicy: 'Cluster',
        },
        status: { loadBalancer: {} },
      },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'deployer' },
    },
  });
}
