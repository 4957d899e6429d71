import { COMPONENTS, type Component } from '../components/recipes';
import { waitForBinaries } from './binaries';
import { startControlPlane, type ControlPlane, type ControlPlaneOptions } from './control-plane';

/** Longer than a first build of everything. */
export const BUILD_MS = 90 * 60_000;
/** Each program has a grace, and a cluster that the user gives is emptied. */
const END_MS = 10 * 60_000;
/** Programs of a control plane. */
export const CONTROL_PLANE: readonly Component[] = COMPONENTS.slice(0, 4);

/** Options of the tests of one file. */
export interface Needs extends ControlPlaneOptions {
  /** Other programs than the control plane. */
  readonly programs?: readonly Component[];
  /** Runs once when the control plane is up. */
  readonly prepare?: (plane: ControlPlane) => Promise<void>;
}

/**
 * Gives the tests of a file a control plane of their own. Says how long it waited for programs that were not built yet.
 *
 * @returns the control plane, for use inside of tests and hooks
 */
export function useControlPlane({ programs = [], prepare, ...options }: Needs = {}): () => ControlPlane {
  let plane: ControlPlane | undefined;
  beforeAll(async () => {
    const seconds = await waitForBinaries([...CONTROL_PLANE, ...programs]);
    process.stderr.write(`${expect.getState().testPath ?? ''}: waited ${seconds.toFixed(0)} s for binaries\n`);
    plane = await startControlPlane(options);
    await prepare?.(plane);
  }, BUILD_MS);
  afterAll(async () => {
    await plane?.stop();
  }, END_MS);
  return () => {
    if (plane === undefined) throw new RangeError('the control plane has not started');
    return plane;
  };
}
