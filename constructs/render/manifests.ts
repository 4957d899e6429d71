// `npm run manifests`: the default installation in the three forms that need no TypeScript, and those of the VIPs, Networks and Egress doors alone.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { PACKAGE_VERSION } from '../operator/pod/image';
import { helmTemplates } from './helm/helm-templates';
import { CHART_NAME, chartFiles } from './installation/chart-files';
import { chartTree, LEFT_OUT } from './installation/chart-tree';
import { CHART_VALUES, SOURCES } from './installation/chart-values';
import { EGRESS_ALONE, installation, NETWORKS_ALONE, VIPS_ALONE } from './installation/installation';
import { imagesOf } from './objects/images';
import { kustomizeBase, yamlFile, type RenderedFiles } from './objects/kustomize';
import { goingObjects, orderedObjects } from './objects/ordered-objects';

const HEADER = `# cdk8s-ipam ${PACKAGE_VERSION}, the default installation; cert-manager and MetalLB have to be in the cluster.
# Name your own zones first: in the ConfigMap ipam-zones and in the IPAddressPool that stands for each.
`;

const VIPS_HEADER = `# cdk8s-ipam ${PACKAGE_VERSION}, the VIPs door alone; nothing else has to be in the cluster. Make an IPGroup next.
`;

const NETWORKS_HEADER = `# cdk8s-ipam ${PACKAGE_VERSION}, the Networks door alone; nothing else has to be in the cluster. Make a NetworkInstance next.
`;

const EGRESS_HEADER = `# cdk8s-ipam ${PACKAGE_VERSION}, the Egress door alone; nothing else has to be in the cluster. Make an EgressIPAM next.
`;

const UNINSTALL_HEADER = `# What \`kubectl delete -f\` may take away: no address moves, and the next installation goes on with the same holders. Namespace, volume,
# keys, definitions, pools and advertisements stay; without them every address would be withdrawn, and its holder forgotten.
`;

const under = (folder: string, files: RenderedFiles): RenderedFiles =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));

/**
 * Renders the installation in every form.
 *
 * @returns `install.yaml`, the folder `kustomize`, the chart `charts/cdk8s-ipam`, `vips.yaml`, `networks.yaml`, `egress.yaml`, what may go of
 *   each of these four (`uninstall.yaml`, `uninstall-vips.yaml`, `uninstall-networks.yaml`, `uninstall-egress.yaml`) and `images.txt`, by path
 */
export function renderedManifests(): RenderedFiles {
  const objects = orderedObjects(installation());
  const vips = orderedObjects(installation(VIPS_ALONE));
  const networks = orderedObjects(installation(NETWORKS_ALONE));
  const egress = orderedObjects(installation(EGRESS_ALONE));
  const templates = helmTemplates({
    values: CHART_VALUES,
    sources: SOURCES,
    tree: chartTree,
    leftOut: LEFT_OUT,
  });
  return {
    'install.yaml': HEADER + yamlFile(objects),
    'vips.yaml': VIPS_HEADER + yamlFile(vips),
    'networks.yaml': NETWORKS_HEADER + yamlFile(networks),
    'egress.yaml': EGRESS_HEADER + yamlFile(egress),
    'uninstall.yaml': UNINSTALL_HEADER + yamlFile(goingObjects(objects)),
    'uninstall-vips.yaml': UNINSTALL_HEADER + yamlFile(goingObjects(vips)),
    'uninstall-networks.yaml': UNINSTALL_HEADER + yamlFile(goingObjects(networks)),
    'uninstall-egress.yaml': UNINSTALL_HEADER + yamlFile(goingObjects(egress)),
    'images.txt': imagesOf([...objects, ...vips, ...networks, ...egress])
      .map((image) => `${image}\n`)
      .join(''),
    ...under('kustomize', kustomizeBase(objects)),
    ...under(`charts/${CHART_NAME}`, { ...chartFiles(CHART_VALUES), ...under('templates', templates) }),
  };
}

/**
 * Writes every form; what an earlier run has left there goes.
 *
 * @param folder - made where it is missing
 */
export function writeManifests(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of Object.entries(renderedManifests())) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

if (require.main === module) writeManifests(resolve('lib/manifests'));
