// Builds the programs of the cluster tests: `tsx test/cluster/components/build.ts [name …]`, all of them without a name. Those of a
// node are built where they are named.
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { cpus } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import {
  buildLock,
  builtFolder,
  builtPath,
  cacheFolder,
  COMPONENTS,
  crdsFolder,
  failurePath,
  NODE_COMPONENTS,
  recipe,
  sourceFolder,
  type Component,
} from './recipes';

const run = promisify(execFile);

/**
 * Lanes run side by side. The control plane shares nearly all its packages, so its programs follow each other; the rest
 * fills the time in which the linker of the first lane keeps one core busy. `packages` bounds the memory of the compilers.
 */
const LANES: readonly { readonly packages: number; readonly components: readonly Component[] }[] = [
  {
    packages: 2,
    components: [
      'etcd',
      'kube-apiserver',
      'kubectl',
      'kube-controller-manager',
      ...NODE_COMPONENTS,
      'pulumi-language-yaml',
    ],
  },
  // the provider is the largest of all, and only the last tests need it
  {
    packages: 1,
    components: [
      'metallb-controller',
      'cluster-api',
      'openshift-api',
      'cilium',
      'cilium-1.15',
      'cert-manager',
      'kpt',
      'pulumi',
      'pulumi-resource-kubernetes',
    ],
  },
];

function goCommand(): string {
  const named = process.env['IPAM_TEST_GO'];
  const found = (named === undefined ? ['go', '/usr/local/go/bin/go'] : [named]).find(
    (go) => spawnSync(go, ['version']).status === 0,
  );
  if (found === undefined) throw new RangeError('there is no Go: install Go 1.26 or newer');
  return found;
}

/** Tells apart processes that had the same id, one after the other: ticks between the start of the machine and that of the process. */
function processOf(pid: string | number): string {
  const behindName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return `${pid} ${behindName[19] ?? ''}`;
}

/** True while the process of another build lives. */
export function buildRuns(): boolean {
  try {
    const owner = readFileSync(buildLock(), 'utf8');
    const [pid = ''] = owner.split(' ');
    return Number(pid) !== process.pid && processOf(pid) === owner;
  } catch {
    return false; // no lock, or its process has ended
  }
}

/** Takes the lock, which is there at once with all that it says, or not at all. */
function takeLock(): boolean {
  mkdirSync(cacheFolder(), { recursive: true });
  const own = `${buildLock()}-${process.pid}`;
  writeFileSync(own, processOf(process.pid));
  try {
    if (buildRuns()) return false;
    rmSync(buildLock(), { force: true }); // of a build that was killed
    linkSync(own, buildLock());
    return true;
  } catch {
    return false; // another one was quicker
  } finally {
    rmSync(own, { force: true });
  }
}

async function buildProgram(component: Component, packages: number): Promise<void> {
  const { program, linker, crds, embeds } = recipe(component);
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: `-mod=readonly -p=${Math.min(packages, cpus().length)}` };
  mkdirSync(builtFolder(component), { recursive: true });
  // built beside its place and moved there, so that nobody ever starts half a program
  const workshop = mkdtempSync(join(builtFolder(component), 'build-'));
  const built = join(workshop, component);
  const cwd = embeds === undefined ? sourceFolder(component) : join(workshop, 'source');
  try {
    const go = goCommand();
    const moduleFolder = async (module: string): Promise<string> => {
      await run(go, ['mod', 'download', module], { cwd, env }); // an empty cache knows no folder
      return execFileSync(go, ['list', '-m', '-f', '{{.Dir}}', module], { cwd, env, encoding: 'utf8' }).trim();
    };
    if (embeds !== undefined) {
      cpSync(sourceFolder(component), cwd, { recursive: true });
      const schema = JSON.parse(readFileSync(join(await moduleFolder(embeds.module), embeds.file), 'utf8')) as object;
      writeFileSync(join(cwd, embeds.as), JSON.stringify({ ...schema, version: embeds.version }));
    }
    if (program === undefined) writeFileSync(built, ''); // what is waited for, like a program
    const words = ['build', '-trimpath', '-buildvcs=false', '-ldflags', `-s -w ${linker}`, '-o', built];
    // at low priority, and ended with us
    const prefix = ['--pdeathsig', 'KILL', '--', 'nice', '-n', '10', go];
    if (program !== undefined) await run('setpriv', [...prefix, ...words, program], { cwd, env, maxBuffer: 1 << 26 });
    if (crds !== undefined) {
      const copied = join(workshop, 'crds');
      mkdirSync(copied);
      const source = await moduleFolder(crds.module);
      // the module cache is read-only, and so would be the copy of a whole folder
      for (const folder of crds.folders) {
        cpSync(join(source, folder), copied, {
          recursive: true,
          filter: (file) =>
            !file.endsWith('.md') && (!file.endsWith('.yaml') || crds.only?.test(basename(file)) !== false),
        });
      }
      rmSync(crdsFolder(component), { recursive: true, force: true });
      renameSync(copied, crdsFolder(component));
    }
    renameSync(built, builtPath(component));
  } catch (thrown) {
    writeFileSync(failurePath(component), thrown instanceof Error ? thrown.message : String(thrown));
    throw thrown;
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
}

async function buildLane(wanted: readonly Component[], packages: number): Promise<void> {
  for (const component of wanted) {
    if (existsSync(builtPath(component))) continue;
    const began = Date.now();
    console.log(`building ${component} …`);
    await buildProgram(component, packages);
    console.log(`built ${component} in ${Math.round((Date.now() - began) / 1000)} s`);
  }
}

/** Builds what is missing of the wanted programs, one build on the machine at a time. */
async function buildComponents(wanted: readonly Component[]): Promise<void> {
  if (!takeLock()) {
    console.log('another build runs; nothing to do');
    return;
  }
  // before the first program is built, since whoever waits for the last one gives up at the sight of its failure
  for (const component of wanted) rmSync(failurePath(component), { force: true });
  const lanes = LANES.map(({ packages, components }) =>
    buildLane(
      components.filter((each) => wanted.includes(each)),
      packages,
    ),
  );
  const ends = await Promise.allSettled(lanes);
  rmSync(buildLock(), { force: true });
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

if (require.main === module) {
  const named = process.argv.slice(2);
  const wanted =
    named.length === 0 ? COMPONENTS : [...COMPONENTS, ...NODE_COMPONENTS].filter((each) => named.includes(each));
  buildComponents(wanted).catch((thrown: unknown) => {
    console.error(thrown);
    process.exitCode = 1;
  });
}
