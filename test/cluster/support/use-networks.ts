import type { ControlPlane, ControlPlaneOptions } from './control-plane';
import { applyInstallation } from './installation';
import { NetworkScene } from './network-scene';
import { startOperator, type RunningOperator } from './operator-process';
import { useControlPlane } from './use-control-plane';

/** The Networks door alone, for use inside of tests and hooks. */
interface NetworksInstallation {
  readonly plane: () => ControlPlane;
  readonly operator: () => RunningOperator;
  /** Objects of namespace `test`. */
  readonly scene: NetworkScene;
}

/** The installation, which a test may apply anew. */
export const NETWORKS_ALONE = { services: { enabled: false }, networks: { enabled: true } } as const;

/** Gives the tests of a file a control plane with an operator that has the Networks door alone. */
export function useNetworks(options: ControlPlaneOptions = {}): NetworksInstallation {
  let running: RunningOperator | undefined;
  const plane = useControlPlane({
    ...options,
    prepare: async (control) => {
      await applyInstallation(control, NETWORKS_ALONE);
      running = await startOperator(control, { awaitWebhooks: false });
      await scene.open(control);
    },
  });
  const scene = new NetworkScene(plane, 'test');
  const operator = (): RunningOperator => {
    if (running === undefined) throw new RangeError('the operator has not started');
    return running;
  };
  return { plane, operator, scene };
}
