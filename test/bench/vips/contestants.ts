import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { METALLB_NAMESPACE } from '../../../operator/contract/group';
import { VIP_CLASS } from '../../../operator/contract/paas';
import type { ControlPlane } from '../../cluster/support/control-plane';
import { eventually } from '../../cluster/support/eventually';
import { tokenFor } from '../../cluster/support/installation';
import { startMetalLb } from '../../cluster/support/neighbours';
import { startOperator } from '../../cluster/support/operator-process';
import { startProgram } from '../../cluster/support/own-process';
import { podHeap } from '../cluster/pod-heap';

/** Namespace of the client, whose ServiceAccounts may write IPs. */
export const CLIENT_NAMESPACE = 'bench-client';
/** Namespace of the Services. */
export const NAMESPACE = 'bench';

/** A program that gives addresses while it runs. */
interface Running {
  readonly pid: number;
  stop(): Promise<void>;
}

/** One side of the comparison. */
export interface Contestant {
  readonly name: 'bare client' | 'MetalLB' | 'door';
  /** Class of its Services. */
  readonly loadBalancerClass: string;
  /** As the audit log has it. */
  readonly user: string;
  start(plane: ControlPlane): Promise<Running>;
}

const BARE_CLASS = 'bench.example/bare';
const METALLB_CLASS = 'bench.example/metallb';

async function startBareClient(plane: ControlPlane): Promise<Running> {
  const { folder, url, ca } = plane;
  const token = await tokenFor(plane, CLIENT_NAMESPACE, 'bare');
  writeFileSync(join(folder, 'access.json'), JSON.stringify({ url, ca, token }), { mode: 0o600 });
  const program = await startProgram({
    program: process.execPath,
    args: ['--import', 'tsx', join(__dirname, 'bare-client.ts'), folder, NAMESPACE, BARE_CLASS],
    logFile: join(folder, `bare-${String(Date.now())}.log`),
    env: podHeap(),
    cwd: join(__dirname, '../../..'),
  });
  await eventually(() => {
    program.expectRunning();
    return program.log().includes('watching');
  });
  return program;
}

/** Makes the same writes as the door, and decides nothing. */
export const BARE_CLIENT: Contestant = {
  name: 'bare client',
  loadBalancerClass: BARE_CLASS,
  user: `system:serviceaccount:${CLIENT_NAMESPACE}:bare`,
  start: startBareClient,
};

/** MetalLB's controller, for its own class. */
export const METALLB: Contestant = {
  name: 'MetalLB',
  loadBalancerClass: METALLB_CLASS,
  user: 'metallb',
  start: async (plane) => {
    const program = await startMetalLb(plane, { lbClass: METALLB_CLASS });
    const metadata = { name: 'bench', namespace: METALLB_NAMESPACE };
    const spec = { addresses: ['10.211.0.0/16'], autoAssign: true };
    await plane.client.apply([{ apiVersion: 'metallb.io/v1beta1', kind: 'IPAddressPool', metadata, spec }]);
    return program;
  },
};

/** The VIPs door, with one group. */
export const DOOR: Contestant = {
  name: 'door',
  loadBalancerClass: VIP_CLASS,
  user: 'system:serviceaccount:ipam-system:ipam-controller-manager',
  start: async (plane) => {
    const group = { apiVersion: 'paas.org/v1', kind: 'IPGroup', metadata: { name: 'bench' } };
    await plane.client.apply([{ ...group, spec: { segment: '10.212.0.0/16' } }]);
    return startOperator(plane, { env: podHeap(), awaitWebhooks: false });
  },
};
