import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { installation } from '../../../constructs/render/installation/installation';
import { kustomizeBase, yamlFile } from '../../../constructs/render/objects/kustomize';
import { orderedObjects } from '../../../constructs/render/objects/ordered-objects';
import { objectsIn, type KubeObject, type Manifest } from './cluster-client';
import type { ControlPlane } from './control-plane';
import { eventually } from './eventually';

const run = promisify(execFile);
const ROOT = join(__dirname, '../../..');

/** Words by which kubectl is told what to apply. */
export type Source = readonly ['-f' | '-k', string];

/** Runs an app as `cdk8s synth` does; gives its folder. */
export async function synthesizedExample(plane: ControlPlane, name: string): Promise<string> {
  const folder = mkdtempSync(join(plane.folder, `${name}-`));
  await run(process.execPath, ['--import', 'tsx', `examples/cdk8s/${name}/main.ts`], {
    cwd: ROOT,
    env: { ...process.env, CDK8S_OUTDIR: folder, NODE_OPTIONS: '' },
  });
  return folder;
}

/** Renders the output of `npm run manifests`, beside a copy of the examples that stand on it. */
export function renderedExamples(plane: ControlPlane): { readonly install: Source; readonly overlay: Source } {
  const folder = mkdtempSync(join(plane.folder, 'manifests-'));
  const base = join(folder, 'lib/manifests/kustomize');
  const objects = orderedObjects(installation());
  mkdirSync(base, { recursive: true });
  for (const [name, text] of Object.entries(kustomizeBase(objects))) writeFileSync(join(base, name), text);
  const install = join(folder, 'lib/manifests/install.yaml');
  writeFileSync(install, yamlFile(objects));
  const examples = join(folder, 'examples/manifests');
  cpSync(join(ROOT, 'examples/manifests'), examples, { recursive: true });
  return { install: ['-f', install], overlay: ['-k', join(examples, 'ha-postgres')] };
}

/** A file of examples/manifests. */
export const manifestExample = (name: string): Source => ['-f', join(ROOT, 'examples/manifests', name)];

const apply = (plane: ControlPlane, source: Source): Promise<string> =>
  plane.kubectl('apply', '--server-side', '--force-conflicts', ...source);

/** Stored versions of everything in a source. */
async function versions(plane: ControlPlane, source: Source): Promise<readonly string[]> {
  const stored = JSON.parse(await plane.kubectl('get', ...source, '-o', 'json')) as KubeObject;
  return (stored.items ?? [stored]).map(
    ({ kind, metadata: { name, uid, resourceVersion } }) => `${kind} ${name} ${uid} ${resourceVersion}`,
  );
}

/** Applies a source, then again, until nobody else writes to it meanwhile: our second run wrote nothing. Gives what is stored. */
export async function appliedTwice(plane: ControlPlane, source: Source): Promise<readonly string[]> {
  await apply(plane, source);
  return eventually(async () => {
    const before = await versions(plane, source);
    await apply(plane, source);
    return isDeepStrictEqual(await versions(plane, source), before) ? before : undefined;
  });
}

/** The objects of a kustomization, as kubectl builds them. */
export async function builtOf(plane: ControlPlane, [, folder]: Source): Promise<readonly Manifest[]> {
  return objectsIn(await plane.kubectl('kustomize', folder));
}
