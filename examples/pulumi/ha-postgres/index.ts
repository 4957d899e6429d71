// A production installation: three replicas that write to one PostgreSQL database at once. Each of them answers webhooks;
// one leads and does what only one may do.
//
//   pulumi config set --secret postgresDsn 'postgresql://ipam:…@ipam-db-rw.databases.svc:5432/ipam?sslmode=verify-full'
//   pulumi config set postgresCa -- "$(cat ca.crt)"
//   pulumi up
//
// The cluster needs cert-manager, MetalLB and the CRDs of the Prometheus operator. The host is a name that always leads to the
// primary. examples/cdk8s/ha-postgres says what a fail-over needs. In a program of your own the import is 'cdk8s-ipam/infra'.
import * as pulumi from '@pulumi/pulumi';

import { IpamOperator } from '../../../infra';

const config = new pulumi.Config('ipam-ha');

const secret = (name: string, stringData: Readonly<Record<string, pulumi.Output<string>>>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'ipam-system' },
  stringData,
});

const operator = new IpamOperator('ipam', {
  zones: [
    { name: 'hnet-private', prefixes: ['172.16.8.0/22'], excluded: ['172.16.8.0-172.16.8.15', '172.16.11.255'] },
    {
      name: 'inet',
      prefixes: ['83.118.168.0/24', '2a05:1234::/112'],
      excluded: ['83.118.168.0', '2a05:1234::'],
      // Only namespaces with this label may take public addresses; no more than 200 of them are given.
      namespaces: { matchLabels: { 'example.com/public': 'true' } },
      quota: 200,
    },
  ],

  // Both come from the stack's configuration. A secret stays one in the state, and is never shown.
  store: { postgres: { connection: { name: 'ipam-postgres' }, ca: { name: 'ipam-postgres-ca' } } },
  extraObjects: [
    secret('ipam-postgres', { dsn: config.requireSecret('postgresDsn') }),
    secret('ipam-postgres-ca', { 'ca.crt': pulumi.output(config.require('postgresCa')) }),
  ],
  networkPolicy: { storeCidrs: ['10.20.0.0/24'] },

  replicas: 3,
  // Spread over failure domains and nodes where there are several, by default: nodes without a zone label take the Pods too.
  priorityClassName: 'system-cluster-critical',
  resources: { cpuRequest: '200m', memoryRequest: '256Mi', memoryLimit: '512Mi' },
  settings: { shutdownDelaySeconds: 10 },
  monitoring: { serviceMonitor: {}, prometheusRule: { nearlyFullPercent: 80 }, dashboard: {} },

  // The namespace, the definitions of our kinds and the claims in them stay until this line is removed. A `pulumi destroy` ends
  // with an error because of them, and has deleted the rest by then: the operator, its webhooks and the Secrets above.
  dataProtection: 'protect',
});

export const image = operator.image;
