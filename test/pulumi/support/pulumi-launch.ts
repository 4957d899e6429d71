import { execFileSync, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { LanguageRuntimeService } from '@pulumi/pulumi/proto/language_grpc_pb';
import { GetRequiredPluginsResponse, RunResponse, type RunRequest } from '@pulumi/pulumi/proto/language_pb';
import { PluginInfo } from '@pulumi/pulumi/proto/plugin_pb';
import { parse } from 'yaml';
import { binaryPath } from '../../cluster/support/binaries';
import type { ControlPlane } from '../../cluster/support/control-plane';
import type { PulumiEngine } from './pulumi-engine';

const ROOT = join(__dirname, '../../..');
/** Ends a program that told its error already. */
const TOLD = 32;

/** The part of gRPC that a host needs; the package is one of the SDK's own. */
interface Grpc {
  readonly ServerCredentials: { createInsecure(): unknown };
  readonly Server: new () => {
    addService(definition: unknown, implementation: object): void;
    bindAsync(address: string, credentials: unknown, done: (error: Error | null, port: number) => void): void;
    forceShutdown(): void;
  };
}
const grpc = createRequire(require.resolve('@pulumi/pulumi'))('@grpc/grpc-js') as Grpc;

type Answer<T> = (error: null, response: T) => void;

/** How a command ended, with all that it and its program printed. */
export interface Ended {
  /** Exit code; null where a signal ended it. */
  readonly code: number | null;
  readonly output: string;
}

async function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  const closed = once(child, 'close') as Promise<unknown> as Promise<readonly [Ended['code']]>;
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, output: `${out}\n${err}` };
}

/** Options of a project's runtime. The engine keeps them from a host that it did not start. */
function optionsOf(folder: string): { readonly nodeargs?: string } {
  const { runtime } = parse(readFileSync(join(folder, 'Pulumi.yaml'), 'utf8')) as {
    readonly runtime: { readonly options: { readonly nodeargs?: string } };
  };
  return runtime.options;
}

// As pulumi-language-nodejs does it, which is a program of its own and not here.
function launch(request: RunRequest, env: NodeJS.ProcessEnv): ChildProcessWithoutNullStreams {
  const info = request.getInfo();
  const { nodeargs = '' } = optionsOf(info?.getRootDirectory() ?? '');
  const [engine = ''] = request.getArgsList();
  const folder = info?.getProgramDirectory() ?? '';
  const args = [
    ...nodeargs.split(' ').filter((arg) => arg !== ''),
    join(ROOT, 'node_modules/@pulumi/pulumi/cmd/run/index.js'),
    ...['--monitor', request.getMonitorAddress(), '--engine', engine],
    ...['--project', request.getProject(), '--stack', request.getStack()],
    ...['--pwd', folder, '--parallel', String(request.getParallel())],
    ...(request.getDryrun() ? ['--dry-run'] : []),
    join(folder, info?.getEntryPoint() ?? ''),
  ];
  const values = Object.fromEntries(request.getConfigMap().toArray());
  const given = {
    ...env,
    PULUMI_CONFIG: JSON.stringify(values),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    PULUMI_NODEJS_TYPESCRIPT: 'false', // what both project files ask for
  };
  return spawn(process.execPath, args, { cwd: folder, env: given });
}

/** The CLI on this repository's own project files, and programs in a process of their own. */
export class PulumiCli {
  readonly #env: NodeJS.ProcessEnv;
  readonly #folder: string;

  constructor(plane: ControlPlane, engine: PulumiEngine) {
    this.#folder = join(plane.folder, 'checkout');
    this.#env = {
      ...process.env,
      NODE_OPTIONS: '',
      PULUMI_HOME: engine.home,
      PULUMI_BACKEND_URL: `file://${engine.state}`,
      PULUMI_CONFIG_PASSPHRASE: 'test',
      PULUMI_SKIP_UPDATE_CHECK: 'true',
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
      KUBECONFIG: plane.kubeconfig,
    };
    checkout(this.#folder);
  }

  /**
   * Runs a command without a program.
   *
   * @param project - folder of the project, from the root
   * @param words - of the command
   */
  async run(project: string, ...words: string[]): Promise<Ended> {
    const args = [...words, '--non-interactive', '--color=never'];
    return ended(spawn(binaryPath('pulumi'), args, { cwd: join(this.#folder, project), env: this.#env }));
  }

  /**
   * Previews a project.
   *
   * @param project - its folder, from the root
   */
  async preview(project: string): Promise<Ended> {
    const server = new grpc.Server();
    server.addService(LanguageRuntimeService, {
      getRequiredPlugins: (_call: unknown, answer: Answer<GetRequiredPluginsResponse>) => {
        answer(null, new GetRequiredPluginsResponse());
      },
      getPluginInfo: (_call: unknown, answer: Answer<PluginInfo>) => {
        answer(null, new PluginInfo());
      },
      run: ({ request }: { request: RunRequest }, answer: Answer<RunResponse>) => {
        void this.#launched(request).then((response) => {
          answer(null, response);
        });
      },
    });
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) => {
        if (error === null) resolve(bound);
        else reject(error);
      });
    });
    try {
      return await this.run(project, 'preview', '--diff', `--client=127.0.0.1:${String(port)}`);
    } finally {
      server.forceShutdown();
    }
  }

  async #launched(request: RunRequest): Promise<RunResponse> {
    const response = new RunResponse();
    const { code, output } = await ended(launch(request, this.#env));
    if (code === TOLD) response.setBail(true);
    else if (code !== 0) response.setError(`the program ended with ${String(code)}: ${output}`);
    return response;
  }
}

// A copy of what the CLI writes to, and JavaScript of today's sources, as `npm run build` makes it.
function checkout(folder: string): void {
  mkdirSync(join(folder, 'examples'), { recursive: true });
  for (const name of ['package.json', 'tsconfig.json', 'node_modules', 'infra', 'constructs', 'operator']) {
    symlinkSync(join(ROOT, name), join(folder, name));
  }
  for (const name of ['Pulumi.yaml', 'Pulumi.dev.yaml']) cpSync(join(ROOT, name), join(folder, name));
  for (const name of readdirSync(join(ROOT, 'examples/pulumi'))) {
    const files = ['Pulumi.yaml', 'index.ts'];
    for (const file of files) {
      cpSync(join(ROOT, 'examples/pulumi', name, file), join(folder, 'examples/pulumi', name, file));
    }
  }
  const project = join(folder, 'build.json');
  writeFileSync(
    project,
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: {
        outDir: join(folder, 'lib'),
        rootDir: ROOT,
        noCheck: true,
        declaration: false,
        declarationMap: false,
        typeRoots: [join(ROOT, 'node_modules/@types')],
      },
      include: [],
      files: [join(ROOT, 'infra/index.ts')],
    }),
  );
  execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', project], { stdio: 'pipe' });
}
