import type { Component } from '../cluster/components/recipes';
import { waitForBinaries } from '../cluster/support/binaries';
import { startControlPlane, type ControlPlane } from '../cluster/support/control-plane';
import { startCertManager, startMetalLb } from '../cluster/support/neighbours';
import { startBuild } from '../cluster/support/start-build';
import { startOperator, type RunningOperator } from '../cluster/support/operator-process';
import { synthesize } from './processes';
import { servicesOf, type Manifest } from './synthesized';
import { table } from './table';

/** Programs that the demo runs: none of Pulumi, whose build takes longer than all others together. */
export const DEMO_COMPONENTS: readonly Component[] = [
  'etcd',
  'kube-apiserver',
  'kubectl',
  'kube-controller-manager',
  'metallb-controller',
  'cert-manager',
];

/**
 * `npm run demo -- --cluster`: the same on a real API server beside MetalLB and cert-manager. Applies the synthesized files
 * unchanged, kills the operator without warning, deletes a Service, and shows after each step who has which address.
 */
export async function demoOnCluster({ root, keep }: { readonly root: string; readonly keep: boolean }): Promise<void> {
  console.log(
    '1. kube-apiserver, etcd, MetalLB and cert-manager (built from Go modules the first time, up to an hour)',
  );
  await startBuild();
  await waitForBinaries(DEMO_COMPONENTS);
  const plane = await startControlPlane();
  try {
    await Promise.all([startMetalLb(plane), startCertManager(plane)]);
    console.log('2. cdk8s synth, then kubectl apply of dist/0000-ipam.k8s.yaml as it is');
    const manifests = await synthesize(root);
    const [installation = '', services = ''] = [...new Set(manifests.map(({ file }) => file))];
    await plane.kubectl('apply', '--server-side', '-f', installation);
    console.log('3. the operator, with the arguments of its Deployment and a token of its ServiceAccount');
    const operator = await startOperator(plane);
    console.log('4. kubectl apply of the Services; MetalLB assigns what the operator chose\n');
    await plane.kubectl('apply', '--server-side', '-f', services);
    await show(plane, servicesOf(manifests));
    await surprise(plane, operator, servicesOf(manifests));
    if (keep) await stay(plane);
  } finally {
    await plane.stop();
  }
}

async function surprise(plane: ControlPlane, operator: RunningOperator, services: readonly Manifest[]): Promise<void> {
  const [gone, ...left] = services;
  console.log('\n5. SIGKILL to the operator; while it is away its first Service is deleted; then it starts again\n');
  await operator.kill('SIGKILL');
  if (gone !== undefined) await plane.client.request('DELETE', pathOf(gone));
  await operator.restart();
  await show(plane, left);
  const numbers = (await operator.metrics())
    .split('\n')
    .filter((line) => /^ipam_zone_addresses.*(held|quarantined)/u.test(line));
  console.log(`\n${numbers.join('\n')}`);
}

async function show({ client }: ControlPlane, services: readonly Manifest[]): Promise<void> {
  const rows: string[][] = [];
  for (const service of services) {
    const { metadata, status } = await client.objectWhen(pathOf(service), (object) => {
      const [ready] = conditionsOf(object.status);
      return ready !== undefined && ingressOf(object.status) !== '';
    });
    const [ready] = conditionsOf(status);
    const zone = metadata.annotations?.['metallb.io/address-pool'] ?? '';
    rows.push([
      `${metadata.namespace ?? ''}/${metadata.name}`,
      zone,
      ingressOf(status),
      `${ready?.status} ${ready?.reason}`,
    ]);
  }
  console.log(table(['Service', 'zone', 'MetalLB announces', 'AddressReady'], rows));
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

type Status = Readonly<Record<string, unknown>> | undefined;

function conditionsOf(status: Status): readonly Condition[] {
  const all = (status?.['conditions'] ?? []) as readonly Condition[];
  return all.filter(({ type }) => type === 'ipam.vitistack.io/AddressReady');
}

function ingressOf(status: Status): string {
  const { ingress = [] } = (status?.['loadBalancer'] ?? {}) as {
    readonly ingress?: readonly { readonly ip: string }[];
  };
  return ingress.map(({ ip }) => ip).join(' ');
}

function pathOf({ metadata }: Manifest): string {
  return `/api/v1/namespaces/${metadata.namespace ?? 'default'}/services/${metadata.name}`;
}

function stay(plane: ControlPlane): Promise<void> {
  console.log(`\nThe cluster runs on: kubectl --kubeconfig ${plane.kubeconfig} get services -A. End it with Ctrl-C.`);
  return new Promise((resolve) => {
    process.once('SIGINT', resolve);
  });
}
