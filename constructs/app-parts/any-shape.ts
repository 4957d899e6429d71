import type { IConstruct } from 'constructs';

const APPS = new WeakSet<IConstruct>();

/**
 * Lets an app hold shapes that this release does not serve. Renderers need all of them: what a release of their chart may
 * choose is judged by the checks of the chart.
 *
 * @param app - root of the construct tree
 */
export function renderAnyShape(app: IConstruct): void {
  APPS.add(app);
}

/**
 * Tells whether nothing of an app is installed as it is.
 *
 * @param construct - anywhere in the app
 * @returns true where {@link renderAnyShape} was called
 */
export function rendersAnyShape(construct: IConstruct): boolean {
  return APPS.has(construct.node.root);
}
