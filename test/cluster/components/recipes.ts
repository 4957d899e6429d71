import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Programs that the tests run beside the operator. */
export const COMPONENTS = [
  'etcd',
  'kube-apiserver',
  'kubectl',
  'kube-controller-manager',
  'metallb-controller',
  'cert-manager',
  'cluster-api',
  'openshift-api',
  'cilium',
  'cilium-1.15',
  'kpt',
  'pulumi',
  'pulumi-resource-kubernetes',
  'pulumi-language-yaml',
] as const;

/** Programs of a node, which `npm run test:node` alone runs. */
export const NODE_COMPONENTS = ['kubelet', 'kube-proxy', 'node-pod'] as const;

type NodeComponent = (typeof NODE_COMPONENTS)[number];
type ClusterComponent = (typeof COMPONENTS)[number];

/** Name of a program. */
export type Component = ClusterComponent | NodeComponent;

/** Folder beside this file with the Go module that a program is built from. */
type ModuleFolder =
  | 'controlplane'
  | 'metallb'
  | 'cert-manager'
  | 'cluster-api'
  | 'openshift-api'
  | 'cilium'
  | 'cilium-1.15'
  | 'kpt'
  | 'pulumi'
  | 'pulumi-kubernetes'
  | 'pulumi-yaml'
  | 'node'
  | 'node-pod';

/** How a program is made from a Go module. */
export interface Recipe {
  readonly folder: ModuleFolder;
  /** Go package of the program; absent where only its CRDs are wanted. */
  readonly program?: string;
  /** Words for the linker. */
  readonly linker: string;
  /** Where the CRDs of the program are: a module of the build list, and folders in it. */
  readonly crds?: { readonly module: string; readonly folders: readonly string[]; readonly only?: RegExp };
  /** A schema of a module that the program embeds, the name that its source knows it by, and the version that it shall tell. */
  readonly embeds?: { readonly module: string; readonly file: string; readonly as: string; readonly version: string };
}

const KUBERNETES = 'k8s.io/kubernetes';

const moduleFile = (folder: ModuleFolder): string => readFileSync(join(__dirname, folder, 'go.mod'), 'utf8');

function pinnedVersion(folder: ModuleFolder, module: string): string {
  const found = new RegExp(`^(?:require)?\\s*${module.replaceAll('.', '\\.')} (v\\S+)`, 'm').exec(moduleFile(folder));
  if (found?.[1] === undefined) throw new RangeError(`${folder}/go.mod requires no ${module}`);
  return found[1];
}

/** A Kubernetes program that was not told its version says v0.0.0, which feature gates and kubectl stumble over. */
function kubernetes(command: string, folder: ModuleFolder = 'controlplane'): Recipe {
  const version = pinnedVersion(folder, KUBERNETES);
  const [major = '', minor = ''] = version.slice(1).split('.');
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor };
  const linker = Object.entries(values).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  return { folder, program: `${KUBERNETES}/cmd/${command}`, linker: linker.join(' ') };
}

function languageYaml(): Recipe {
  const module = 'github.com/pulumi/pulumi-yaml';
  const linker = `-X ${module}/pkg/version.Version=${pinnedVersion('pulumi-yaml', module)}`;
  return { folder: 'pulumi-yaml', program: `${module}/cmd/pulumi-language-yaml`, linker };
}

function pulumi(): Recipe {
  const version = pinnedVersion('pulumi', 'github.com/pulumi/pulumi/pkg/v3');
  const linker = `-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${version}`;
  return { folder: 'pulumi', program: 'github.com/pulumi/pulumi/pkg/v3/cmd/pulumi', linker };
}

function pulumiKubernetes(): Recipe {
  const module = 'github.com/pulumi/pulumi-kubernetes/provider/v4';
  const file = 'cmd/pulumi-resource-kubernetes/schema.json';
  const version = '4.25.0'; // the module is served without a tag, so it knows none
  const linker = `-X ${module}/pkg/version.Version=v${version}`;
  const embeds = { module, file, as: 'schema-embed.json', version };
  return { folder: 'pulumi-kubernetes', program: '.', linker, embeds };
}

// In 1.15 a policy has one gateway, and destinations of IPv4 alone.
function cilium(folder: 'cilium' | 'cilium-1.15'): Recipe {
  const folders = ['pkg/k8s/apis/cilium.io/client/crds/v2'];
  const only = /^ciliumegressgatewaypolicies\.yaml$/u;
  return { folder, linker: '', crds: { module: 'github.com/cilium/cilium', folders, only } };
}

const RECIPES: Readonly<Record<ClusterComponent, () => Recipe>> = {
  etcd: () => ({ folder: 'controlplane', program: 'go.etcd.io/etcd/server/v3', linker: '' }),
  'kube-apiserver': () => kubernetes('kube-apiserver'),
  kubectl: () => kubernetes('kubectl'),
  'kube-controller-manager': () => kubernetes('kube-controller-manager'),
  'metallb-controller': () => {
    const crds = { module: 'go.universe.tf/metallb', folders: ['config/crd/bases'] };
    return { folder: 'metallb', program: 'go.universe.tf/metallb/controller', linker: '', crds };
  },
  'cert-manager': () => {
    const crds = { module: 'github.com/cert-manager/cert-manager', folders: ['deploy/crds'] };
    return { folder: 'cert-manager', program: '.', linker: '', crds };
  },
  'cluster-api': () => {
    const only = /^(?:ipam\.cluster\.x-k8s\.io_.*|cluster\.x-k8s\.io_clusters)\.yaml$/u;
    const crds = { module: 'sigs.k8s.io/cluster-api', folders: ['core/config/crd/bases'], only };
    return { folder: 'cluster-api', linker: '', crds };
  },
  'openshift-api': () => {
    const folders = ['network', 'config', 'cloudnetwork'].map((group) => `${group}/v1/zz_generated.crd-manifests`);
    const only = /_(?:hostsubnets|netnamespaces|networks|infrastructures-Default|cloudprivateipconfigs)\.crd\.yaml$/u;
    return { folder: 'openshift-api', linker: '', crds: { module: 'github.com/openshift/api', folders, only } };
  },
  cilium: () => cilium('cilium'),
  'cilium-1.15': () => cilium('cilium-1.15'),
  kpt: () => ({ folder: 'kpt', program: '.', linker: '' }),
  pulumi,
  'pulumi-language-yaml': languageYaml,
  'pulumi-resource-kubernetes': pulumiKubernetes,
};

const nodeRecipe = (component: NodeComponent): Recipe =>
  component === 'node-pod' ? { folder: 'node-pod', program: '.', linker: '' } : kubernetes(component, 'node');

const isOfNode = (component: Component): component is NodeComponent =>
  (NODE_COMPONENTS as readonly Component[]).includes(component);

/** Every recipe; read from the module files, so a new version there is all that an upgrade needs. */
export const recipe = (component: Component): Recipe =>
  isOfNode(component) ? nodeRecipe(component) : RECIPES[component]();

/** Folder of the module that a program is built in. */
export const sourceFolder = (component: Component): string => join(__dirname, recipe(component).folder);

/** The cache of everything that is built for tests; outside of the repository, so that no clean-up takes it away. */
export const cacheFolder = (): string => join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'cdk8s-ipam');

/** Where a program is kept. Other module files give another folder, so two versions of the project share the machine. */
export function builtFolder(component: Component): string {
  const folder = sourceFolder(component);
  const digest = createHash('sha256').update(recipe(component).linker);
  for (const file of readdirSync(folder).sort()) digest.update(file).update(readFileSync(join(folder, file)));
  return join(cacheFolder(), `${component}-${digest.digest('hex').slice(0, 12)}`);
}

/** Path of a built program. */
export const builtPath = (component: Component): string => join(builtFolder(component), component);

/** Path of the output that a failed build left instead of the program. */
export const failurePath = (component: Component): string => join(builtFolder(component), 'failed.txt');

/** Folder with the CRDs of a built program. */
export const crdsFolder = (component: Component): string => join(builtFolder(component), 'crds');

/** Tells which process builds, by its id and its start. */
export const buildLock = (): string => join(cacheFolder(), 'components.lock');
