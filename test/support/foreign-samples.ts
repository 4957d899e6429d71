import { parseAllDocuments } from 'yaml';

/** Objects of a manifest. */
export const objectsOf = (text: string): readonly unknown[] =>
  [...parseAllDocuments(text)].map((each) => each.toJS() as unknown);

/** A Service that shows addresses, as the API server has it. */
export const showing = (name: string, shown: readonly string[], more: Readonly<Record<string, unknown>> = {}) => {
  const { namespace = 'shop', annotations = {}, created = '2026-01-01T00:00:00Z', ...spec } = more;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, uid: `uid-${name}`, annotations, creationTimestamp: created },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 }], ...spec },
    status: { loadBalancer: { ingress: shown.map((ip) => ({ ip, ipMode: 'VIP' })) } },
  };
};

/** Pools as the documentation of each load balancer writes them. */
export const MANIFESTS = {
  metallb: `
apiVersion: metallb.io/v1beta1
kind: IPAddressPool
metadata:
  name: first-pool
  namespace: metallb-system
spec:
  addresses:
  - 192.168.10.0/24
  - 192.168.9.1-192.168.9.5
  - fc00:f853:0ccd:e799::/124
---
apiVersion: metallb.io/v1beta1
kind: IPAddressPool
metadata:
  name: expensive
  namespace: metallb-system
spec:
  addresses:
  - 42.176.25.64/30
  autoAssign: false
---
apiVersion: metallb.io/v1beta1
kind: IPAddressPool
metadata:
  name: ip-pool-from-provider
  namespace: metallb-system
spec:
  addresses:
  - 42.175.0.0/23
  avoidBuggyIPs: true
---
apiVersion: metallb.io/v1beta1
kind: IPAddressPool
metadata:
  name: ippool-ns-service-alloc-sample
  namespace: metallb-system
spec:
  addresses:
    - 192.168.20.0/24
  serviceAllocation:
    priority: 50
    namespaces:
      - namespace-a
      - namespace-b
    serviceSelectors:
      - matchExpressions:
          - {key: app, operator: In, values: [bar]}
`,
  cilium: `
apiVersion: "cilium.io/v2"
kind: CiliumLoadBalancerIPPool
metadata:
  name: "blue-pool"
spec:
  blocks:
  - cidr: "10.0.10.0/24"
  - cidr: "2004::0/64"
  - start: "20.0.20.100"
    stop: "20.0.20.200"
  - start: "1.2.3.4"
---
apiVersion: "cilium.io/v2"
kind: CiliumLoadBalancerIPPool
metadata:
  name: "red-pool"
spec:
  allowFirstLastIPs: "No"
  blocks:
  - cidr: "20.0.10.0/24"
  - cidr: "20.0.11.7/32"
  serviceSelector:
    matchLabels:
      color: red
    matchExpressions:
      - {key: io.kubernetes.service.namespace, operator: In, values: [one, two]}
---
apiVersion: "cilium.io/v2alpha1"
kind: CiliumLoadBalancerIPPool
metadata:
  name: "old-pool"
spec:
  cidrs:
  - cidr: "30.0.10.0/24"
  disabled: true
`,
  purelb: `
apiVersion: purelb.io/v1
kind: ServiceGroup
metadata:
  name: default
  namespace: purelb
spec:
  local:
    v4pools:
    - subnet: 192.168.254.0/24
      pool: 192.168.254.230/32
      aggregation: default
    - subnet: 192.168.254.0/24
      pool: 192.168.254.231-192.168.254.240
    v6pools:
    - subnet: fd53:9ef0:8683::/120
      pool: fd53:9ef0:8683::-fd53:9ef0:8683::3
---
apiVersion: purelb.io/v2
kind: ServiceGroup
metadata:
  name: tenant
  namespace: purelb-system
spec:
  namespaces: [tenant-a, tenant-b]
  enforceNamespaces: true
  namespaceDefault: true
  remote:
    v4pool:
      subnet: 172.30.200.0/24
      pool: 172.30.200.128/25
      aggregation: /32
---
apiVersion: purelb.io/v1
kind: ServiceGroup
metadata:
  name: virtualsg
  namespace: purelb
spec:
  local:
    subnet: 172.30.250.0/24
    pool: 172.30.250.80-172.30.250.95
`,
  'kube-vip': `
apiVersion: v1
kind: ConfigMap
metadata:
  name: kubevip
  namespace: kube-system
data:
  cidr-global: 192.168.0.0/24,2001:db8::/120
  range-development: 192.168.0.210-192.168.0.219
  cidr-finance: 10.0.0.0/29
  skip-end-ips-in-cidr: "true"
  interface-global: eth0
`,
  openelb: `
apiVersion: network.kubesphere.io/v1alpha2
kind: Eip
metadata:
  name: eip-sample-pool
  annotations:
    eip.openelb.kubesphere.io/is-default-eip: "true"
spec:
  address: 192.168.0.91-192.168.0.100
  protocol: layer2
  interface: eth0
  disable: false
---
apiVersion: network.kubesphere.io/v1alpha2
kind: Eip
metadata:
  name: project
spec:
  address: 172.31.73.130
  priority: 100
  namespaces: [project]
  protocol: layer2
  interface: eth0
---
apiVersion: network.kubesphere.io/v1alpha2
kind: Eip
metadata:
  name: bgp-eip
spec:
  address: 10.7.0.0/28
  disable: true
`,
} as const;
