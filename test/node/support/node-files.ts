import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Families } from '../../cluster/support/attached-cluster';
import { POD_IMAGE } from './pod-image';

/** Mode of kube-proxy. */
export type ProxyMode = 'iptables' | 'nftables';

/** Where a node has its files, and which families its cluster has. */
export interface NodePlace {
  readonly folder: string;
  readonly families: Families;
  readonly kubeconfig: string;
}

/** Networks of Pods, IPv4 first. */
export const POD_NETWORKS = ['10.244.0.0/24', 'fd00:244::/64'] as const;

/** Picks what is of the families of a cluster from a pair, IPv4 first. */
export const ofFamilies = (families: Families, pair: readonly [string, string]): readonly string[] =>
  families === 'dual' ? pair : [families === 'v4' ? pair[0] : pair[1]];

/** Path of containerd's socket. */
export const socketOf = ({ folder }: NodePlace): string => join(folder, 'containerd.sock');

/** Settings of containerd: CRI alone, on files of its own. */
export function containerdSettings(place: NodePlace): string {
  const file = join(place.folder, 'containerd.toml');
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  const snapshotters = ['aufs', 'btrfs', 'devmapper', 'zfs'].map((name) => `"io.containerd.snapshotter.v1.${name}"`);
  const lines = [
    'version = 2',
    `root = "${join(place.folder, 'containerd')}"`,
    `state = "${join(place.folder, 'containerd-state')}"`,
    `disabled_plugins = [${snapshotters.join(', ')}]`,
    ...['[grpc]', `address = "${socketOf(place)}"`],
    `[${cri}]`,
    `sandbox_image = "${POD_IMAGE}"`,
    'disable_apparmor = true',
    // root of a container may lack the right to lower the score of a sandbox, and runc would end over it
    'restrict_oom_score_adj = true',
    ...[`[${cri}.cni]`, 'bin_dir = "/usr/lib/cni"', `conf_dir = "${join(place.folder, 'cni')}"`],
    ...[`[${cri}.containerd]`, 'default_runtime_name = "runc"'],
    ...[`[${cri}.containerd.runtimes.runc]`, 'runtime_type = "io.containerd.runc.v2"'],
  ];
  writeFileSync(file, lines.join('\n'));
  return file;
}

/** Network of the Pods: a bridge with addresses from files. */
export function writeCni({ folder, families }: NodePlace): void {
  mkdirSync(join(folder, 'cni'), { recursive: true });
  const ipam = {
    type: 'host-local',
    dataDir: join(folder, 'cni-addresses'),
    ranges: ofFamilies(families, POD_NETWORKS).map((subnet) => [{ subnet }]),
    routes: ofFamilies(families, ['0.0.0.0/0', '::/0']).map((dst) => ({ dst })),
  };
  const bridge = { type: 'bridge', bridge: 'cni0', isGateway: true, ipMasq: true, hairpinMode: true, ipam };
  const network = { cniVersion: '0.4.0', name: 'pods', plugins: [bridge] };
  writeFileSync(join(folder, 'cni/pods.conflist'), JSON.stringify(network));
}

/** Settings of kubelet, JSON as YAML. */
export function kubeletSettings(place: NodePlace): string {
  const file = join(place.folder, 'kubelet.yaml');
  const none = { 'memory.available': '100Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' };
  const settings = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: `unix://${socketOf(place)}`,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: process.env['IPAM_TEST_CGROUP'] ?? '/',
    failCgroupV1: false,
    podLogsDir: join(place.folder, 'pod-logs'),
    volumePluginDir: join(place.folder, 'volume-plugins'),
    resolvConf: '',
    failSwapOn: false,
    syncFrequency: '5s',
    address: '127.0.0.1',
    healthzBindAddress: '127.0.0.1',
    // nothing calls it, and no CA of callers is there
    authentication: { anonymous: { enabled: false }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    evictionHard: none,
    imageGCHighThresholdPercent: 100,
  };
  writeFileSync(file, JSON.stringify(settings));
  return file;
}

/** Settings of kube-proxy. */
export function proxySettings(place: NodePlace, mode: ProxyMode, name: string): string {
  const file = join(place.folder, `kube-proxy-${name}-${mode}.yaml`);
  const settings = {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode,
    hostnameOverride: name,
    clientConnection: { kubeconfig: place.kubeconfig },
    clusterCIDR: ofFamilies(place.families, POD_NETWORKS).join(),
    // the limit on connections is one for the whole machine
    conntrack: { maxPerCore: 0, min: 0 },
    nodePortAddresses: ['primary'],
    metricsBindAddress: '127.0.0.1:10249',
    healthzBindAddress: '127.0.0.1:10256',
  };
  writeFileSync(file, JSON.stringify(settings));
  return file;
}
