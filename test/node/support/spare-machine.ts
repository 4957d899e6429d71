import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { ControlPlane } from '../../cluster/support/control-plane';
import { Proxy } from './kube-node';
import { ip, MACHINES } from './lan';
import { POD_NETWORKS } from './node-files';

const RELAY_PORT = 6443;

/** Lets another machine reach the API server, which listens on loopback alone. */
async function relay(plane: ControlPlane): Promise<string> {
  const port = Number(new URL(plane.url).port);
  const server = createServer((caller) => {
    const callee = connect({ host: '127.0.0.1', port });
    caller.pipe(callee).pipe(caller);
    for (const [each, other] of [
      [caller, callee],
      [callee, caller],
    ] as const)
      each.on('error', () => other.destroy());
  });
  const [host] = MACHINES.node;
  await new Promise<void>((resolve) => server.listen(RELAY_PORT, host, resolve));
  plane.onStop(() => {
    server.close();
  });
  const kubeconfig = JSON.parse(readFileSync(plane.kubeconfig, 'utf8')) as {
    clusters: { cluster: Record<string, string> }[];
  };
  for (const { cluster } of kubeconfig.clusters) {
    cluster['server'] = `https://${host}:${String(RELAY_PORT)}`;
    cluster['tls-server-name'] = 'kubernetes';
  }
  const path = join(plane.folder, 'spare.kubeconfig');
  writeFileSync(path, JSON.stringify(kubeconfig), { mode: 0o600 });
  return path;
}

/** Makes a second node of the machine `spare`: kube-proxy, and routes to the Pods; no Pod runs there. */
export async function startSpare(plane: ControlPlane): Promise<Proxy> {
  for (const [i, network] of POD_NETWORKS.entries())
    ip(`-n spare ${i === 0 ? '' : '-6 '}route add ${network} via ${String(MACHINES.node[i])}`);
  const metadata = { name: 'spare' };
  await plane.client.request('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata });
  const addresses = MACHINES.spare.map((address) => ({ type: 'InternalIP', address }));
  await plane.client.request('PATCH', '/api/v1/nodes/spare/status', { status: { addresses } }, 'merge');
  const kubeconfig = await relay(plane);
  const proxy = new Proxy({ folder: plane.folder, families: 'dual', kubeconfig }, 'spare');
  plane.onStop(() => proxy.stop());
  return proxy;
}
