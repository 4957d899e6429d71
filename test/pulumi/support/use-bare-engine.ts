import { installCertManagerKinds, installMetalLbKinds } from '../../cluster/support/neighbours';
import { PulumiEngine, withoutOperator, type EngineStack } from './pulumi-engine';
import { useControlPlane } from '../../cluster/support/use-control-plane';

/** A control plane with the kinds of the neighbours and a Pulumi engine, where no operator runs. */
interface BareEngine {
  readonly plane: ReturnType<typeof useControlPlane>;
  /** Opens the stack of a program that has nothing to export. */
  readonly stackOf: (name: string, program: () => void) => Promise<EngineStack>;
}

/** Starts both for the tests of a file, which see what becomes of objects and wait for nobody. */
export function useBareEngine(): BareEngine {
  const plane = useControlPlane({
    programs: ['pulumi', 'pulumi-resource-kubernetes'],
    prepare: async (control) => {
      await Promise.all([installMetalLbKinds(control), installCertManagerKinds(control)]);
    },
  });
  let engine: PulumiEngine;
  beforeAll(() => {
    engine = new PulumiEngine(plane());
  });
  return {
    plane,
    stackOf: (name, program) =>
      engine.stack(
        name,
        withoutOperator(() => {
          program();
          return Promise.resolve({});
        }),
      ),
  };
}
