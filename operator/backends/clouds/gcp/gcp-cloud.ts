import { isIn, parseAddress, type Address } from '../../../addressing/address';
import { hostPrefix, parsePrefix, type Prefix } from '../../../addressing/prefix';
import { isMap, listOf, textOf, type JsonMap } from '../../../contract/loose-json';
import type {
  Cloud,
  CloudChange,
  CloudMachine,
  CloudNode,
  CloudSubnet,
  CloudUse,
  CloudUses,
  CloudWant,
} from '../../../ports/cloud';
import type { Tools } from '../../../ports/tools';
import { CloudHttp } from '../shared/cloud-http';
import type { CloudSecret } from '../shared/cloud-secret';
import { addressesAtEnds } from '../shared/reserved-addresses';
import { ComputeClient } from './compute-client';
import { GCP_SERVERS, GcpLogin, type GcpServers } from './gcp-login';

/** Parts of {@link GcpCloud}. */
export interface GcpCloudParts extends Pick<Tools, 'clock' | 'meter'> {
  /** Absent: the login is that of the machine, or of the workload identity of the cluster. */
  readonly secret?: CloudSecret;
  /**
   * Servers in place of the public ones.
   *
   * @default - those of Google
   */
  readonly servers?: GcpServers;
}

/** Most alias IP ranges of an interface (quotas of VPC networks). */
const MOST_RANGES = 100;
/** Network and gateway; the last but one, and broadcast (subnets of VPC networks, "Unusable addresses"). */
const RESERVED = { first: 2, last: 2 } as const;
/** States of an instance that runs no more. */
const ENDING = new Set(['STOPPING', 'TERMINATED', 'SUSPENDED']);

interface Place {
  readonly project: string;
  readonly zone: string;
  readonly name: string;
}

/** Google Cloud: alias IP ranges of one address each on the first interface of an instance, IPv4 alone. */
export class GcpCloud implements Cloud {
  readonly name = 'gcp';
  readonly quarantineSeconds = 0;
  readonly #http: CloudHttp;
  readonly #compute: ComputeClient;

  /**
   * Opens nothing yet.
   *
   * @param parts - login, tools
   */
  constructor({ clock, meter, secret, servers = GCP_SERVERS }: GcpCloudParts) {
    this.#http = new CloudHttp({ clock, meter });
    const login = new GcpLogin({ clock, http: this.#http, secret, servers });
    this.#compute = new ComputeClient({ clock, http: this.#http, login, compute: servers.compute });
  }

  /** @inheritdoc */
  knows(providerId: string): boolean {
    return placeOf(providerId) !== undefined;
  }

  /** @inheritdoc */
  async machines(nodes: readonly CloudNode[]): Promise<readonly CloudMachine[]> {
    const [only] = nodes;
    if (nodes.length === 1 && only !== undefined) {
      const instance = await this.#compute.read('machines', instancePath(placeOf(only.providerId)));
      return instance === undefined ? [] : machineIn(only.name, instance);
    }
    const all = new Map((await this.#instances(nodes)).map((each) => [pathIn(each['selfLink']), each]));
    return nodes.flatMap(({ name, providerId }) => {
      const instance = all.get(instancePath(placeOf(providerId)));
      return instance === undefined ? [] : machineIn(name, instance);
    });
  }

  /** @inheritdoc */
  async uses(machines: readonly CloudMachine[]): Promise<CloudUses> {
    const ids = [...new Set(machines.map(({ subnetId }) => subnetId))];
    // with a shared network the subnets are in another project than the machines
    const paths = [...ids, ...machines.map(({ interfaceId }) => interfaceId)];
    const projects = new Set(paths.flatMap((path) => /^projects\/[^/]+/u.exec(path)?.[0] ?? []));
    const [subnets, ...lists] = await Promise.all([
      Promise.all(ids.map((id) => this.#compute.read('subnets', id))),
      ...[...projects].flatMap((project) => [
        this.#listed(project, 'instances', (item) => usesOfInstance(item, ids)),
        this.#listed(project, 'addresses', usesOfAddress),
        this.#listed(project, 'forwardingRules', usesOfRule),
      ]),
    ]);
    return { subnets: subnets.flatMap((each, index) => subnetIn(ids[index] ?? '', each)), uses: lists.flat() };
  }

  /** @inheritdoc */
  attach({ interfaceId }: CloudMachine, wants: readonly CloudWant[]): Promise<CloudChange> {
    return this.#change('attach', interfaceId, (ranges) => {
      const missing = wants.filter(({ address }) => !ranges.some((range) => isOf(range, [address])));
      return [...ranges, ...missing.map(({ address }) => ({ ipCidrRange: `${address.toString()}/32` }))];
    });
  }

  /** @inheritdoc */
  detach({ interfaceId }: CloudMachine, addresses: readonly Address[]): Promise<CloudChange> {
    return this.#change('detach', interfaceId, (ranges) => ranges.filter((range) => !isOf(range, addresses)));
  }

  /** @inheritdoc */
  close(): void {
    this.#http.close();
  }

  // Over the interface as it is now, whose fingerprint the write carries.
  async #change(
    op: string,
    path: string,
    decide: (ranges: readonly JsonMap[]) => readonly JsonMap[],
  ): Promise<CloudChange> {
    const instance = await this.#compute.read('machines', path);
    const nic = instance && firstInterface(instance);
    if (nic === undefined) return 'gone';
    const ranges = rangesOf(nic);
    const now = decide(ranges);
    if (now.length === ranges.length) return 'done';
    const body = { fingerprint: textOf(nic['fingerprint']), aliasIpRanges: now };
    return this.#compute.patchInterface(op, path, { name: textOf(nic['name']), body });
  }

  async #instances(nodes: readonly CloudNode[]): Promise<readonly JsonMap[]> {
    const projects = new Set(nodes.flatMap(({ providerId }) => placeOf(providerId)?.project ?? []));
    const lists = await Promise.all(
      [...projects].map((project) =>
        this.#compute.aggregated('machines', `projects/${project}/aggregated/instances`, 'instances'),
      ),
    );
    return lists.flat();
  }

  async #listed(project: string, what: string, usesOf: (item: JsonMap) => readonly CloudUse[]) {
    return (await this.#compute.aggregated('list-used', `${project}/aggregated/${what}`, what)).flatMap(usesOf);
  }
}

function machineIn(node: string, instance: JsonMap): readonly CloudMachine[] {
  const nic = firstInterface(instance);
  const own = nic === undefined ? undefined : addressIn(nic['networkIP']);
  if (nic === undefined || own === undefined || ENDING.has(textOf(instance['status']))) return [];
  const ranges = rangesOf(nic);
  const secondary = ranges.flatMap((range) => hostIn(range) ?? []);
  return [
    {
      node,
      name: textOf(instance['name']),
      interfaceId: pathIn(instance['selfLink']),
      subnetId: pathIn(nic['subnetwork']),
      own: [own],
      secondary: secondary.map((address) => ({ address, pools: [] })),
      most: { 4: MOST_RANGES, 6: 0 },
      otherUse: ranges.length - secondary.length,
      pools: { auto: [], none: [], 'same-as-primary-ip': [] },
    },
  ];
}

// The one that has the address of the node; others are in other networks.
const firstInterface = (instance: JsonMap): JsonMap | undefined =>
  listOf(instance['networkInterfaces'])
    .filter(isMap)
    .find(({ name }) => name === 'nic0');

const rangesOf = (nic: JsonMap): readonly JsonMap[] => listOf(nic['aliasIpRanges']).filter(isMap);

const hostIn = (range: JsonMap): Address | undefined => {
  const text = textOf(range['ipCidrRange']);
  return text.endsWith('/32') ? addressIn(text.slice(0, -3)) : undefined;
};

function isOf(range: JsonMap, addresses: readonly Address[]): boolean {
  const host = hostIn(range);
  return host !== undefined && isIn(host, addresses);
}

function addressIn(value: unknown): Address | undefined {
  const parsed = parseAddress(textOf(value));
  return parsed.ok ? parsed.value : undefined;
}

function prefixIn(value: unknown): readonly Prefix[] {
  const parsed = parsePrefix(textOf(value));
  return parsed.ok ? [parsed.value] : [];
}

function subnetIn(id: string, subnet: JsonMap | undefined): readonly CloudSubnet[] {
  if (subnet === undefined) return [];
  const prefixes = prefixIn(subnet['ipCidrRange']);
  return [{ id, prefixes, reserved: prefixes.flatMap((prefix) => addressesAtEnds(prefix, RESERVED)) }];
}

// Addresses of other networks may be the same ones.
const usesOfInstance = (item: JsonMap, subnets: readonly string[]): readonly CloudUse[] =>
  listOf(item['networkInterfaces'])
    .filter(isMap)
    .filter(({ subnetwork }) => subnets.includes(pathIn(subnetwork)))
    .flatMap((nic) => {
      const own = addressIn(nic['networkIP']);
      const blocks = rangesOf(nic).flatMap((range) => prefixIn(range['ipCidrRange']));
      const source = `instance ${textOf(item['name'])}`;
      return [...(own === undefined ? [] : [hostPrefix(own)]), ...blocks].map((block) => ({ block, source }));
    });

const usesOfAddress = ({ name, addressType, address }: JsonMap): readonly CloudUse[] => {
  const parsed = addressType === 'INTERNAL' ? addressIn(address) : undefined;
  return parsed === undefined ? [] : [{ block: hostPrefix(parsed), source: `address ${textOf(name)}` }];
};

const usesOfRule = ({ name, loadBalancingScheme, IPAddress: address }: JsonMap): readonly CloudUse[] => {
  const parsed = textOf(loadBalancingScheme).startsWith('INTERNAL') ? addressIn(address) : undefined;
  return parsed === undefined ? [] : [{ block: hostPrefix(parsed), source: `forwarding rule ${textOf(name)}` }];
};

// https://www.googleapis.com/compute/v1/projects/…
const pathIn = (link: unknown): string => textOf(link).replace(/^.*\/compute\/v1\//u, '');

// gce://project/zone/name
function placeOf(providerId: string): Place | undefined {
  const groups = /^gce:\/\/(?<project>[^/]+)\/(?<zone>[^/]+)\/(?<name>[^/]+)$/u.exec(providerId)?.groups;
  return groups as unknown as Place | undefined;
}

const instancePath = (place: Place | undefined): string =>
  place === undefined ? '' : `projects/${place.project}/zones/${place.zone}/instances/${place.name}`;
