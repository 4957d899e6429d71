import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import {
  LocalWorkspace,
  PulumiCommand,
  type EngineEvent,
  type OutputMap,
  type PulumiFn,
  type Stack,
} from '@pulumi/pulumi/automation';
import { version as sdkVersion } from '@pulumi/kubernetes/package.json';
import { binaryPath } from '../../cluster/support/binaries';
import type { ControlPlane } from '../../cluster/support/control-plane';

const ROOT = join(__dirname, '../../..');

/** One resource that a run wants to change, or changed. */
interface Step {
  /** `create`, `update`, `delete`, `replace`, `create-replacement`, `delete-replaced`, `refresh` … */
  readonly op: string;
  readonly type: string;
  readonly name: string;
  /** Paths of the inputs that differ. */
  readonly diff: readonly string[];
}

/** Result of a run of the engine. */
export interface Run {
  /** Everything but what stays the same, in the order in which the engine told it. */
  readonly steps: readonly Step[];
  /** Errors and warnings, plain text. */
  readonly diagnostics: readonly string[];
}

/** A run that brought resources about. */
export interface Update extends Run {
  readonly outputs: OutputMap;
}

/** A stack on the real engine, its state in a folder. */
export interface EngineStack {
  preview(): Promise<Run>;
  up(): Promise<Update>;
  refresh(): Promise<Run>;
  destroy(): Promise<Run>;
}

interface Verb<R> {
  (options: { onEvent: (event: EngineEvent) => void }): Promise<R>;
}

function stepOf({ resourcePreEvent }: EngineEvent): Step | undefined {
  const metadata = resourcePreEvent?.metadata;
  if (metadata === undefined || metadata.op === 'same' || metadata.op === 'read') return undefined;
  const [, , types = '', name = ''] = metadata.urn.split('::');
  const type = types.split('$').at(-1) ?? '';
  return { op: metadata.op, type, name, diff: Object.keys(metadata.detailedDiff ?? {}).sort() };
}

async function follow<R>(verb: Verb<R>): Promise<Run & { readonly result: R }> {
  const steps: Step[] = [];
  const diagnostics: string[] = [];
  const onEvent = (event: EngineEvent): void => {
    const step = stepOf(event);
    if (step !== undefined) steps.push(step);
    const { severity, message = '' } = event.diagnosticEvent ?? {};
    if (severity === 'error' || severity === 'warning')
      diagnostics.push(message.replaceAll(/<\{%[^%]*%\}>/gu, '').trim());
  };
  try {
    return { steps, diagnostics, result: await verb({ onEvent }) };
  } catch (thrown) {
    if (diagnostics.length === 0) throw thrown;
    throw new RangeError(diagnostics.join('\n'), { cause: thrown });
  }
}

/** The Pulumi CLI and the Kubernetes provider on a control plane. */
export class PulumiEngine {
  /** Where the engine finds its plugins. */
  readonly home: string;
  /** Where it keeps the state of its stacks. */
  readonly state: string;
  readonly #plane: ControlPlane;
  readonly #folder: string;

  constructor(plane: ControlPlane) {
    this.#plane = plane;
    this.#folder = join(plane.folder, 'pulumi');
    this.home = join(this.#folder, 'home');
    this.state = join(this.#folder, 'state');
    const plugin = join(this.home, `plugins/resource-kubernetes-v${sdkVersion}`);
    for (const made of [plugin, this.state, join(this.#folder, 'root/bin')]) {
      mkdirSync(made, { recursive: true });
    }
    symlinkSync(binaryPath('pulumi-resource-kubernetes'), join(plugin, 'pulumi-resource-kubernetes'));
    symlinkSync(binaryPath('pulumi'), join(this.#folder, 'root/bin/pulumi'));
  }

  /**
   * Opens a stack.
   *
   * @param name - of the stack
   * @param program - runs inside of this process
   * @param config - values of the stack file, for a program with the project file of this repository
   */
  async stack(name: string, program: PulumiFn, config?: Readonly<Record<string, unknown>>): Promise<EngineStack> {
    const projectName = config === undefined ? name : 'ipam';
    const workDir = join(this.#folder, `work-${name}`);
    mkdirSync(join(workDir, 'lib/infra'), { recursive: true });
    if (config !== undefined) cpSync(join(ROOT, 'Pulumi.yaml'), join(workDir, 'Pulumi.yaml'));
    const stack = await LocalWorkspace.createOrSelectStack(
      { stackName: name, projectName, program },
      { workDir, ...(await this.#options()) },
    );
    if (config !== undefined) await configure(stack, config);
    return verbsOf(stack);
  }

  /**
   * Opens a stack of a program in YAML, which the CLI starts by itself.
   *
   * @param name - of project and stack
   * @param program - the project file but for its name
   */
  async yamlStack(name: string, program: string): Promise<EngineStack> {
    const workDir = join(this.#folder, `yaml-${name}`);
    const host = join(this.#folder, 'root/bin/pulumi-language-yaml');
    mkdirSync(workDir, { recursive: true });
    if (!existsSync(host)) symlinkSync(binaryPath('pulumi-language-yaml'), host);
    writeFileSync(join(workDir, 'Pulumi.yaml'), `name: ${name}\nruntime: yaml\n${program}`);
    return verbsOf(await LocalWorkspace.createOrSelectStack({ stackName: name, workDir }, await this.#options()));
  }

  async #options() {
    return {
      pulumiCommand: await PulumiCommand.get({ root: join(this.#folder, 'root'), skipVersionCheck: true }),
      pulumiHome: this.home,
      envVars: {
        PULUMI_BACKEND_URL: `file://${this.state}`,
        PULUMI_CONFIG_PASSPHRASE: 'test',
        PULUMI_SKIP_UPDATE_CHECK: 'true',
        PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
        KUBECONFIG: this.#plane.kubeconfig,
        PATH: [join(this.#folder, 'root/bin'), process.env['PATH']].join(delimiter),
      },
    };
  }
}

function verbsOf(stack: Stack): EngineStack {
  return {
    preview: () => follow((options) => stack.preview(options)),
    up: async () => {
      const { result, ...run } = await follow((options) => stack.up(options));
      return { ...run, outputs: result.outputs };
    },
    refresh: () => follow((options) => stack.refresh(options)),
    destroy: () => follow((options) => stack.destroy(options)),
  };
}

async function configure({ workspace, name }: Stack, config: Readonly<Record<string, unknown>>): Promise<void> {
  const settings = await workspace.stackSettings(name);
  const values = Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key.includes(':') ? key : `ipam:${key}`, value]),
  );
  await workspace.saveStackSettings(name, { ...settings, config: values });
}

const UNAWAITED = ['kubernetes:apps/v1:Deployment', 'kubernetes:core/v1:Service'];

/**
 * Makes a program wait for nothing that only a kubelet could bring about: no Pod ever runs on the control plane.
 * A Service that says itself what to wait for is left alone.
 */
export function withoutKubelet(program: PulumiFn): PulumiFn {
  return async () => {
    pulumi.runtime.registerResourceTransform(({ type, props, opts }) => {
      if (!UNAWAITED.includes(type)) return undefined;
      const metadata = props['metadata'] as { readonly annotations?: Record<string, string> };
      if (metadata.annotations?.['pulumi.com/waitFor'] !== undefined) return undefined;
      const annotations = { ...metadata.annotations, 'pulumi.com/skipAwait': 'true' };
      return { props: { ...props, metadata: { ...metadata, annotations } }, opts };
    });
    return program();
  };
}

type Inputs = Readonly<Record<string, unknown>>;

// Nobody gives addresses or answers reviews.
function alone(type: string, props: Inputs): Inputs {
  if (type.endsWith('WebhookConfiguration')) {
    const webhooks = props['webhooks'] as readonly object[];
    return { ...props, webhooks: webhooks.map((webhook) => ({ ...webhook, failurePolicy: 'Ignore' })) };
  }
  if (type !== 'kubernetes:core/v1:Service') return props;
  const metadata = props['metadata'] as { readonly annotations?: Readonly<Record<string, string>> };
  const { 'pulumi.com/waitFor': _waits, ...annotations } = metadata.annotations ?? {};
  return { ...props, metadata: { ...metadata, annotations: { ...annotations, 'pulumi.com/skipAwait': 'true' } } };
}

/** Makes a program run on a control plane on which no operator is started. */
export function withoutOperator(program: PulumiFn): PulumiFn {
  return () => {
    pulumi.runtime.registerResourceTransform(({ type, props, opts }) => ({ props: alone(type, props), opts }));
    return withoutKubelet(program)();
  };
}
