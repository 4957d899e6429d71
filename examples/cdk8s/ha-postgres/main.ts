// A production installation: three replicas that write to one PostgreSQL database at once. Each of them answers webhooks;
// one leads and does what only one may do. A replica, a node, a failure domain or the database's primary may go away.
//
//   npx cdk8s synth --app 'npx tsx examples/cdk8s/ha-postgres/main.ts'     writes dist/ipam.k8s.yaml
//
// The cluster needs cert-manager, MetalLB and the CRDs of the Prometheus operator. In an app of your own the import is
// 'cdk8s-ipam/constructs'.
//
// Secrets are no part of manifests. Make these two in namespace ipam-system, by hand or by a secrets operator. The Pods wait
// for them; a new password is used by the next connection, without a restart:
//
//   kubectl -n ipam-system create secret generic ipam-postgres --from-file=dsn=./dsn      one line:
//     postgresql://ipam:<password>@ipam-db-rw.databases.svc:5432/ipam?sslmode=verify-full
//   kubectl -n ipam-system create secret generic ipam-postgres-ca --from-file=ca.crt=./ca.crt
//
// The host is a name that always leads to the primary, such as the read-write Service of your database operator. The user owns
// the database. With synchronous replication a fail-over loses nothing that was answered; without it, addresses that were
// given in the last moments could be given again. The operator waits up to 8 s for a new primary before a call fails.
//
// A second cluster may use the same database, so that both give out of the same zones and may share an address. It needs the key by
// which the first one knows secrets, before its operator starts: copy the Secret ipam-keys of namespace ipam-system.
import { App, Chart } from 'cdk8s';

import { IpamOperator } from '../../../constructs';

const app = new App();

new IpamOperator(new Chart(app, 'ipam'), 'operator', {
  zones: [
    {
      name: 'hnet-private',
      prefixes: ['172.16.8.0/22'],
      excluded: ['172.16.8.0-172.16.8.15', '172.16.11.255'],
    },
    {
      name: 'inet',
      prefixes: ['83.118.168.0/24', '2a05:1234::/112'],
      excluded: ['83.118.168.0', '2a05:1234::'],
      // Only namespaces with this label may take public addresses; no more than 200 of them are given.
      namespaces: { matchLabels: { 'example.com/public': 'true' } },
      quota: 200,
    },
  ],

  store: {
    postgres: {
      connection: { name: 'ipam-postgres' },
      ca: { name: 'ipam-postgres-ca' },
    },
  },
  // The network lets the Pods reach the database and nothing else at its port.
  networkPolicy: { storeCidrs: ['10.20.0.0/24'] },

  // Two may be ill at once. A PodDisruptionBudget comes with it: drained nodes take one replica at a time.
  replicas: 3,
  // Spread over failure domains and nodes where there are several, by default: nodes without a zone label take the Pods too.
  priorityClassName: 'system-cluster-critical',
  resources: { cpuRequest: '200m', memoryRequest: '256Mi', memoryLimit: '512Mi' },

  // Longer than any load balancer or API server takes to hear that a Pod is ending.
  settings: { shutdownDelaySeconds: 10 },
  monitoring: { serviceMonitor: {}, prometheusRule: { nearlyFullPercent: 80 }, dashboard: {} },
});

app.synth();
