import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderedManifests } from '../../../constructs/render/manifests';
import type { Families } from '../../cluster/support/attached-cluster';
import { startOperator, type RunningOperator } from '../../cluster/support/operator-process';
import type { ControlPlane } from '../../cluster/support/control-plane';
import { eventually } from '../../cluster/support/eventually';
import { useControlPlane } from '../../cluster/support/use-control-plane';
import { clearVips, VipScene } from '../../cluster/support/vip-scene';
import { startNode, type KubeNode } from './kube-node';
import { curl, failOverTo, makeLan, removeLan, SEGMENTS, urlOf, type Machine } from './lan';
import { ofFamilies } from './node-files';

/** Pods that answer, each with its name. */
const PODS = ['shop', 'cart'] as const;
/** The first addresses of the segments are left out, as manifests of the older operator do. */
const EXCLUDED = ['192.0.2.0', '192.0.2.255', '2001:db8:0:1::'] as const;

/** What a file of tests needs. */
interface Needs {
  readonly families?: Families;
  /** Machines on the network of the nodes; the first has the node, and the fail-over addresses at the start. */
  readonly machines?: readonly Machine[];
  /** Runs once when the node is ready. */
  readonly prepare?: (plane: ControlPlane) => Promise<void>;
}

/** A cluster with a node, and the VIPs door alone. */
interface NodeCluster {
  readonly plane: () => ControlPlane;
  readonly node: () => KubeNode;
  readonly operator: () => RunningOperator;
  readonly scene: VipScene;
  /**
   * Makes a Service for a Pod on port 80, and waits until it shows addresses.
   *
   * @returns these
   */
  serve(pod: (typeof PODS)[number], spec?: Readonly<Record<string, unknown>>): Promise<readonly string[]>;
}

/** Gives the tests of a file a cluster with one real node in it, and each test the group `web`. */
export function useNode({ families = 'dual', machines = ['node'], prepare }: Needs = {}): NodeCluster {
  let node: KubeNode | undefined;
  let operator: RunningOperator | undefined;
  beforeAll(() => {
    makeLan(machines);
    failOverTo('node');
  });
  const plane = useControlPlane({
    families,
    programs: ['kubelet', 'kube-proxy', 'node-pod'],
    prepare: async (control) => {
      const file = join(control.folder, 'vips.yaml');
      writeFileSync(file, renderedManifests()['vips.yaml'] ?? '');
      await control.kubectl('apply', '--server-side', '-f', file);
      await scene.open(control);
      const started = await startNode(control, families);
      node = started;
      const pods = PODS.map((name) => started.runPod(name));
      [operator] = await Promise.all([startOperator(control, { awaitWebhooks: false }), ...pods]);
      await prepare?.(control);
    },
  });
  const scene = new VipScene(plane, 'test');
  afterAll(() => {
    removeLan(machines);
  });
  beforeEach(async () => {
    await scene.group('web', { segments: ofFamilies(families, SEGMENTS), excludedIPs: EXCLUDED });
    await scene.groupReady('web');
  });
  afterEach(() => clearVips(plane(), scene), 60_000);
  return {
    plane,
    scene,
    node: () => started(node),
    operator: () => started(operator),
    serve: async (pod, spec = {}) => {
      await scene.create(pod, { spec: { selector: { app: pod }, ports: [{ port: 80, targetPort: 8080 }], ...spec } });
      return (await scene.address(pod)).split(',');
    },
  };
}

function started<T>(value: T | undefined): T {
  if (value === undefined) throw new RangeError('the node has not started');
  return value;
}

/**
 * Waits until an address answers, asked by the host outside of the cluster.
 *
 * @param start - of the answer; that is the name of the Pod
 * @returns the answer
 */
export function expectAnswer(start: string, address: string, place?: string): Promise<string> {
  return eventually(async () => {
    const { text, failure } = await curl(urlOf(address), place);
    if (!text.startsWith(start)) throw new RangeError(`${address}: ${text}${failure}`);
    return text;
  });
}

/** Waits until an address does not answer, and looks whether it stays so. */
export async function expectSilence(address: string, place?: string): Promise<void> {
  const answer = async (): Promise<string> => (await curl(urlOf(address), place)).text;
  await eventually(async () => (await answer()) === '');
  for (let time = 0; time < 3; time++) expect(await answer()).toBe('');
}
