import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildRuns } from '../components/build';
import { builtPath, failurePath, type Component } from '../components/recipes';

const LOOK_MS = 250;

/** Programs that a folder of envtest has. */
const ENVTEST: readonly Component[] = ['etcd', 'kube-apiserver', 'kubectl'];

/** Path of a program, which may not be built yet: that of the user's `KUBEBUILDER_ASSETS` where it has it. */
export function binaryPath(component: Component): string {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  return assets !== undefined && ENVTEST.includes(component) ? join(assets, component) : builtPath(component);
}

function missing(component: Component): never {
  const failed = failurePath(component);
  const why = existsSync(failed) ? readFileSync(failed, 'utf8').trim() : 'no build of it runs';
  throw new RangeError(`${component} is not at ${binaryPath(component)}: ${why}`);
}

/**
 * Waits until programs are built.
 *
 * @returns seconds that this took
 */
export async function waitForBinaries(components: readonly Component[]): Promise<number> {
  const began = performance.now();
  for (const component of components) {
    while (!existsSync(binaryPath(component))) {
      // asked in this order, since a build may end between the two
      const runs = buildRuns();
      if (existsSync(failurePath(component)) || (!runs && !existsSync(binaryPath(component)))) missing(component);
      await pause(LOOK_MS);
    }
  }
  return (performance.now() - began) / 1000;
}
