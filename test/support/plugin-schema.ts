import { resolve } from 'node:path';
import { Analyzer } from '@pulumi/pulumi/provider/experimental/analyzer';
import { generateSchema } from '@pulumi/pulumi/provider/experimental/schema';

const PLUGIN = resolve(__dirname, '../../infra/plugin');

/** Components that programs in other languages have. */
export const PLUGIN_COMPONENTS = [
  'IpamOperator',
  'IpamService',
  'MetalLbPool',
  'AddressClaim',
  'IpGroup',
  'EgressIpam',
  'VipService',
  'EgressNamespace',
  'NetworkInstance',
  'IpPrefix',
  'IpAllocation',
  'AddressPlan',
] as const;

/** Makes the schema of the plugin as its host does it. */
export function pluginSchema(): ReturnType<typeof generateSchema> {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- read as the host reads it
  const manifest = require(`${PLUGIN}/package.json`) as { readonly version: string; readonly description: string };
  const analyzer = new Analyzer(PLUGIN, 'cdk8s-ipam', manifest, new Set(PLUGIN_COMPONENTS));
  const { components, typeDefinitions, dependencies } = analyzer.analyze();
  const { version, description } = manifest;
  return generateSchema('cdk8s-ipam', version, description, components, typeDefinitions, dependencies);
}
