import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { dependencies as installedAlong, version } from '../../../package.json';
import { dependencies } from '../../../infra/plugin/package.json';

const ROOT = join(__dirname, '../../..');
const NAME = 'cdk8s-ipam';

function link(name: string, folder: string): void {
  const place = join(folder, 'node_modules', name);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules', name), place);
}

// Of the package only what the plugin imports: JavaScript and the types that the schema is made of.
function buildPackage(folder: string): void {
  const project = join(dirname(folder), 'tsconfig.json');
  writeFileSync(
    project,
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: { outDir: join(folder, 'lib'), rootDir: ROOT, typeRoots: [join(ROOT, 'node_modules/@types')] },
      include: [],
      files: [join(ROOT, 'infra/index.ts')],
    }),
  );
  mkdirSync(folder, { recursive: true });
  execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', project], { stdio: 'pipe' });
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
}

/**
 * Installs the plugin as `pulumi package add` does: its folder, with what its package.json names beside it. The Node.js language host,
 * which would start it, is not here, so a program of two lines starts it in the same way.
 *
 * @param folder - for the plugin
 * @param pulumiHome - of the engine
 */
export function installPlugin(folder: string, pulumiHome: string): void {
  cpSync(join(ROOT, 'infra/plugin'), folder, { recursive: true });
  for (const name of [...Object.keys({ ...dependencies, ...installedAlong }), '@types']) {
    if (name !== NAME) link(name, folder);
  }
  buildPackage(join(folder, 'node_modules', NAME));
  const home = join(pulumiHome, `plugins/resource-${NAME}-v${version}`);
  mkdirSync(home, { recursive: true });
  const program = join(home, `pulumi-resource-${NAME}`);
  const runner = join(folder, 'node_modules/@pulumi/pulumi/cmd/run-plugin');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${runner}' '--pwd=${folder}' '${folder}' "$@"\n`);
  chmodSync(program, 0o755);
}

function heed(output: pulumi.Output<unknown>): void {
  const ignored = (): void => undefined;
  const { promise, isKnown, isSecret } = output as unknown as Record<'isKnown' | 'isSecret', Promise<boolean>> & {
    promise: () => Promise<unknown>;
  };
  for (const each of [promise(), isKnown, isSecret]) each.catch(ignored);
}

/** A component of the plugin as a program in another language declares it: the engine asks the plugin to make it. */
export class RemoteComponent extends pulumi.ComponentResource {
  /**
   * @param kind - last part of the type token
   * @param name - of the component
   * @param args - Inputs, and `undefined` for each output
   * @param opts - options of the component
   */
  // eslint-disable-next-line max-params -- a type, and what every component has
  constructor(kind: string, name: string, args: pulumi.Inputs, opts: pulumi.ComponentResourceOptions = {}) {
    super(`${NAME}:index:${kind}`, name, args, { ...opts, version }, true);
    // the engine tells of a component that is refused; the SDK rejects each of its properties as well, which jest takes for a failure
    for (const property of Object.values(this)) if (pulumi.Output.isInstance(property)) heed(property);
  }

  /** Finds an output. */
  output(name: string): pulumi.Output<unknown> {
    return (this as unknown as Readonly<Record<string, pulumi.Output<unknown>>>)[name] ?? pulumi.output(undefined);
  }
}
