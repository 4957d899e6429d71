import * as pulumi from '@pulumi/pulumi';

import type { IpamOperatorProps, MetalLbPoolProps, OperatorZone } from '../constructs';
import { OPERATOR_NAMESPACE } from '../operator/contract/group';
import { IpamOperator, type IpamOperatorArgs } from './components/ipam-operator';
import { MetalLbPool } from './components/metallb-pool';

/** Outputs of the program for other stacks. */
export interface ProgramOutputs {
  readonly namespace: pulumi.Output<string>;
  readonly image: pulumi.Output<string>;
  readonly zones: readonly string[];
}

const DSN_SECRET = 'ipam-postgres';

// A key of Pulumi.yaml without a meaningful default has an empty one, since keys without default are required.
function textOf(config: pulumi.Config, key: string): string | undefined {
  const text = config.get(key);
  return text === undefined || text === '' ? undefined : text;
}

function imageOf(config: pulumi.Config): NonNullable<IpamOperatorProps['image']> {
  const [registry, repository, tag, digest] = ['imageRegistry', 'imageRepository', 'imageTag', 'imageDigest'].map(
    (key) => textOf(config, key),
  );
  return {
    ...(registry === undefined ? {} : { registry }),
    ...(repository === undefined ? {} : { repository }),
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}

// Every language's SDK has it; the declarations of this one leave it out.
const runtime = pulumi.runtime as typeof pulumi.runtime & { isConfigSecret(key: string): boolean };

// Pulumi demands a declared secret of every stack, so Pulumi.yaml cannot say that this is one.
function dsnOf(config: pulumi.Config): pulumi.Output<string> | undefined {
  const key = `${config.name}:postgresDsn`;
  if (runtime.getConfig(key) !== undefined && !runtime.isConfigSecret(key)) {
    throw new pulumi.RunError(
      `${key}: stands in plain text in the file of the stack; set it by \`pulumi config set --secret ${key}\``,
    );
  }
  return config.getSecret('postgresDsn');
}

function dsnSecret(name: string, dsn: pulumi.Output<string>): NonNullable<IpamOperatorArgs['extraObjects']>[number] {
  const metadata = { name, namespace: OPERATOR_NAMESPACE };
  return { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata, stringData: { dsn } };
}

function storeOf(config: pulumi.Config): Pick<IpamOperatorArgs, 'store' | 'extraObjects'> {
  const store = textOf(config, 'store');
  if (store === undefined || store === 'sqlite') return {};
  if (store !== 'postgres') {
    throw new pulumi.RunError(`ipam:store: "${store}" is not allowed; allowed is sqlite or postgres`);
  }
  const dsn = dsnOf(config);
  const name = textOf(config, 'postgresSecret') ?? DSN_SECRET;
  return {
    store: { postgres: { connection: { name } } },
    ...(dsn === undefined ? {} : { extraObjects: [dsnSecret(name, dsn)] }),
  };
}

/** Keys whose words the component itself checks. */
const WORDS = ['whenUnavailable', 'zonePools', 'certificates', 'platform', 'dataProtection'] as const;

function wordsOf(config: pulumi.Config): Pick<IpamOperatorArgs, (typeof WORDS)[number]> {
  const given = WORDS.map((key) => [key, textOf(config, key)] as const);
  return Object.fromEntries(given.filter(([, word]) => word !== undefined));
}

function operatorArgs(config: pulumi.Config): IpamOperatorArgs {
  const replicas = config.getNumber('replicas') ?? 0;
  const defaultZone = textOf(config, 'defaultZone');
  const families = config.getObject<NonNullable<IpamOperatorProps['clusterFamilies']>>('clusterFamilies') ?? [];
  return {
    zones: config.requireObject<OperatorZone[]>('zones'),
    image: imageOf(config),
    ...storeOf(config),
    ...wordsOf(config),
    ...(defaultZone === undefined ? {} : { services: { defaultZone } }),
    ...(replicas === 0 ? {} : { replicas }),
    ...(families.length === 0 ? {} : { clusterFamilies: families }),
    ...(config.getBoolean('monitoring') === true
      ? { monitoring: { serviceMonitor: {}, prometheusRule: {}, dashboard: {} } }
      : {}),
  };
}

/**
 * The program behind `Pulumi.yaml`: the operator and the MetalLB pools of the stack's configuration, on the cluster that the
 * configuration of the Kubernetes provider names.
 *
 * @returns the outputs of the stack
 * @throws RunError with everything that is wrong with the configuration
 */
export function program(): ProgramOutputs {
  const config = new pulumi.Config('ipam');
  const operator = new IpamOperator('ipam', operatorArgs(config));
  for (const { name, ...pool } of config.getObject<MetalLbPoolProps[]>('pools') ?? []) {
    if (name === undefined) throw new pulumi.RunError('ipam:pools: a pool without a name; give each one');
    new MetalLbPool(name, { name, ...pool });
  }
  return { namespace: operator.namespace, image: operator.image, zones: operator.zones.names };
}
