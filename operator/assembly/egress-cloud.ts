import { AttachingDataplanes } from '../backends/clouds/attachment/attaching-dataplanes';
import { CloudDemand } from '../backends/clouds/attachment/cloud-demand';
import { CloudView } from '../backends/clouds/attachment/cloud-view';
import { NodeTurns } from '../backends/clouds/attachment/node-turns';
import { CloudSecret } from '../backends/clouds/shared/cloud-secret';
import type { ApiClient } from '../cluster/api/api-client';
import { KubernetesObjectWriter } from '../cluster/objects/object-writer';
import type { AzureEnvironment, EgressCloudName } from '../contract/egress-clouds';
import { mapOf, textOf, type JsonMap } from '../contract/loose-json';
import type { Cloud } from '../ports/cloud';
import type { EgressDataplanes } from '../ports/egress-dataplane';
import type { KnownClaims } from '../ports/known-claims';
import type { ObjectFeed } from '../ports/object-feed';
import type { Tools } from '../ports/tools';

/** How the cloud is reached. */
export interface EgressCloudOptions {
  readonly provider: 'none' | EgressCloudName;
  /** Of AWS. */
  readonly region: string;
  /** Of Azure. */
  readonly environment: AzureEnvironment;
  /** Name of the Secret with the login; empty for the identity of the machine, which Google Cloud alone has. */
  readonly secret: string;
  /** Namespace of the operator, in which the Secret is. */
  readonly namespace: string;
}

/** Parts of an opened cloud. */
interface EgressCloudParts {
  readonly client: ApiClient;
  readonly tools: Tools;
  readonly egressIpams: ObjectFeed;
  readonly nodes: ObjectFeed;
  readonly known: Pick<KnownClaims, 'at'>;
}

/** The cloud whose machines addresses are attached to. */
export interface EgressCloud {
  readonly view: CloudView;
  /**
   * Lets dataplanes carry addresses only where they are attached.
   *
   * @param inner - the dataplanes of the cluster
   * @param isPlatformAttaching - tells whether a controller of the platform attaches addresses
   */
  around(inner: EgressDataplanes, isPlatformAttaching: () => boolean): EgressDataplanes;
  close(): Promise<void>;
}

/**
 * Opens the cloud; what is for other clouds is not loaded.
 *
 * @param options - which one, and its login
 * @param parts - client, tools, EgressIPAMs, nodes and record
 * @returns undefined where there is none
 */
export async function openEgressCloud(
  options: EgressCloudOptions,
  parts: EgressCloudParts,
): Promise<EgressCloud | undefined> {
  if (options.provider === 'none') return undefined;
  const cloud = await openCloud(options.provider, options, parts);
  return cloudAround(cloud, parts);
}

/**
 * Follows a cloud.
 *
 * @param cloud - its driver
 * @param parts - tools, EgressIPAMs, nodes and record
 * @returns the cloud as it is seen, and what attaches addresses
 */
export function cloudAround(cloud: Cloud, parts: Omit<EgressCloudParts, 'client'>): EgressCloud {
  const { tools, egressIpams, nodes, known } = parts;
  const demand = new CloudDemand(egressIpams, known);
  const view = new CloudView({ ...tools, cloud, nodes, demand });
  const turns = new NodeTurns();
  return {
    view,
    around: (inner, isPlatformAttaching) =>
      new AttachingDataplanes(inner, { cloud, view, demand, turns, isPlatformAttaching }),
    close: () => view.close(),
  };
}

async function openCloud(
  provider: EgressCloudName,
  options: EgressCloudOptions,
  { client, tools: { clock, meter } }: EgressCloudParts,
): Promise<Cloud> {
  const { region, environment, secret: name, namespace } = options;
  const secret = new CloudSecret({
    clock,
    name: `Secret ${namespace}/${name}`,
    read: () => readSecret(client, { namespace, name }),
  });
  switch (provider) {
    case 'aws': {
      const { AwsCloud } = await import('../backends/clouds/aws/aws-cloud.js');
      return new AwsCloud({ clock, meter, region, secret });
    }
    case 'azure': {
      const { AzureCloud } = await import('../backends/clouds/azure/azure-cloud.js');
      return new AzureCloud({ clock, meter, environment, secret });
    }
    case 'gcp': {
      const { GcpCloud } = await import('../backends/clouds/gcp/gcp-cloud.js');
      return new GcpCloud(name === '' ? { clock, meter } : { clock, meter, secret });
    }
  }
}

async function readSecret(client: ApiClient, at: { readonly namespace: string; readonly name: string }) {
  const reader = new KubernetesObjectWriter(client, { apiVersion: 'v1', kind: 'Secret', resource: 'secrets' });
  const { object } = await reader.read(at);
  return object && valuesIn(object);
}

const valuesIn = ({ data }: JsonMap): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(mapOf(data)).map(([key, value]) => [key, Buffer.from(textOf(value), 'base64').toString('utf8')]),
  );
