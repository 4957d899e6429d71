import type { IpamOperatorProps } from '../../../constructs';
import type { ControlPlane } from './control-plane';
import { applyInstallation } from './installation';
import { startCertManager, startMetalLb } from './neighbours';
import { startOperator, type OperatorStart, type RunningOperator } from './operator-process';
import { ServiceScene } from './service-scene';
import { useControlPlane, type Needs } from './use-control-plane';

interface InstallationNeeds extends Needs {
  /** Props of the installation. */
  readonly props: Partial<IpamOperatorProps>;
  /** How the operator is started. */
  readonly start?: OperatorStart;
}

/** A control plane with an operator, for use inside of tests and hooks. */
interface Installation {
  readonly plane: () => ControlPlane;
  readonly operator: () => RunningOperator;
  /** Services of one namespace; it is not made. */
  readonly scene: (namespace: string) => ServiceScene;
}

/**
 * Gives the tests of a file a control plane with MetalLB, cert-manager and an operator, installed in this order.
 *
 * @param needs - what is installed; `programs` are those beside, `prepare` runs once the operator serves
 */
export function useInstallation({ props, start, programs = [], prepare, ...needs }: InstallationNeeds): Installation {
  let running: RunningOperator | undefined;
  const plane = useControlPlane({
    ...needs,
    programs: ['metallb-controller', 'cert-manager', ...programs],
    prepare: async (control) => {
      await Promise.all([startMetalLb(control), startCertManager(control)]);
      await applyInstallation(control, props);
      running = await startOperator(control, start);
      await prepare?.(control);
    },
  });
  const operator = (): RunningOperator => {
    if (running === undefined) throw new RangeError('the operator has not started');
    return running;
  };
  return { plane, operator, scene: (namespace) => new ServiceScene({ plane, operator, namespace }) };
}
