import type { Address } from '../../../addressing/address';
import type { Prefix } from '../../../addressing/prefix';
import type {
  Cloud,
  CloudChange,
  CloudMachine,
  CloudNode,
  CloudSubnet,
  CloudUses,
  CloudWant,
} from '../../../ports/cloud';
import type { Tools } from '../../../ports/tools';
import { CloudHttp } from '../shared/cloud-http';
import type { CloudSecret } from '../shared/cloud-secret';
import { addressesAtEnds } from '../shared/reserved-addresses';
import { AwsLogin } from './aws-login';
import { Ec2Client } from './ec2-client';
import type { Ec2Element } from './ec2-xml';
import { prefixIn, readInstance, usesOf, type Instance } from './read-instance';

/** Parts of {@link AwsCloud}. */
export interface AwsCloudParts extends Pick<Tools, 'clock' | 'meter'> {
  readonly region: string;
  readonly secret: CloudSecret;
  /**
   * Root of the API in place of that of the region.
   *
   * @default - the public one of the region
   */
  readonly endpoint?: URL;
}

/** Most values of a filter. */
const MOST_VALUES = 200;
/** Network, router, DNS, one for the future, and broadcast (user guide of VPC, "Subnet CIDR blocks"). */
const RESERVED = { first: 4, last: 1 } as const;

/** Most addresses of an interface by the type of its instance. */
type Limits = CloudMachine['most'];

/** AWS: private addresses of the primary interface of an instance (device index 0), by the Query API of EC2. */
export class AwsCloud implements Cloud {
  readonly name = 'aws';
  readonly quarantineSeconds = 0;
  readonly #http: CloudHttp;
  readonly #ec2: Ec2Client;
  /** Of a type of instance they never change. */
  readonly #limits = new Map<string, Limits>();

  /**
   * Opens nothing yet.
   *
   * @param parts - region, login, tools
   */
  constructor({ clock, meter, region, secret, endpoint }: AwsCloudParts) {
    this.#http = new CloudHttp({ clock, meter });
    const url = (service: string): URL => endpoint ?? new URL(`https://${service}.${region}.${domainOf(region)}/`);
    const login = new AwsLogin({ clock, http: this.#http, secret, stsUrl: url('sts') });
    this.#ec2 = new Ec2Client({ clock, http: this.#http, login, url: url('ec2'), region });
  }

  /** @inheritdoc */
  knows(providerId: string): boolean {
    return instanceOf(providerId) !== undefined;
  }

  /** @inheritdoc */
  async machines(nodes: readonly CloudNode[]): Promise<readonly CloudMachine[]> {
    const found = new Map((await this.#instances(nodes)).map((each) => [each.id, each]));
    await this.#learnLimits([...found.values()].map(({ type }) => type));
    return nodes.flatMap(({ name, providerId }) => {
      const instance = found.get(instanceOf(providerId) ?? '');
      return instance === undefined ? [] : this.#machineOf(name, instance);
    });
  }

  /** @inheritdoc */
  async uses(machines: readonly CloudMachine[], prefixes: readonly Prefix[]): Promise<CloudUses> {
    const subnets = await this.#subnetsBeside(machines);
    const wanted = subnets.filter((subnet) =>
      prefixes.some((each) => subnet.prefixes.some((one) => one.overlaps(each))),
    );
    const pages = await Promise.all(
      chunks(wanted.map(({ id }) => id)).map((ids) =>
        this.#ec2.pages('list-used', 'DescribeNetworkInterfaces', filter('subnet-id', ids)),
      ),
    );
    return { subnets, uses: pages.flat().flatMap((page) => page.items('networkInterfaceSet').flatMap(usesOf)) };
  }

  /** @inheritdoc */
  attach({ interfaceId }: CloudMachine, wants: readonly CloudWant[]): Promise<CloudChange> {
    const addresses = wants.map(({ address }) => address);
    // without the right to take an address from another interface, so that one that is in use is refused
    return this.#change('attach', interfaceId, {
      addresses,
      actions: { 4: 'AssignPrivateIpAddresses', 6: 'AssignIpv6Addresses' },
    });
  }

  /** @inheritdoc */
  detach({ interfaceId }: CloudMachine, addresses: readonly Address[]): Promise<CloudChange> {
    return this.#change('detach', interfaceId, {
      addresses,
      actions: { 4: 'UnassignPrivateIpAddresses', 6: 'UnassignIpv6Addresses' },
    });
  }

  /** @inheritdoc */
  close(): void {
    this.#http.close();
  }

  async #change(
    op: string,
    interfaceId: string,
    {
      addresses,
      actions,
    }: { readonly addresses: readonly Address[]; readonly actions: Readonly<Record<4 | 6, string>> },
  ): Promise<CloudChange> {
    for (const family of [4, 6] as const) {
      const texts = addresses.filter((each) => each.family === family).map(String);
      if (texts.length === 0) continue;
      const field = family === 4 ? 'PrivateIpAddress' : 'Ipv6Addresses';
      const answer = await this.#ec2.ask(op, actions[family], { NetworkInterfaceId: interfaceId, [field]: texts });
      if (answer === undefined) return 'gone';
    }
    return 'done';
  }

  async #instances(nodes: readonly CloudNode[]): Promise<readonly Instance[]> {
    const ids = nodes.flatMap(({ providerId }) => instanceOf(providerId) ?? []);
    // by a filter: the call fails as a whole where one of the identifiers that it is given is not known any more
    const pages = await Promise.all(
      chunks(ids).map((some) => this.#ec2.pages('machines', 'DescribeInstances', filter('instance-id', some))),
    );
    return pages
      .flat()
      .flatMap((page) => page.items('reservationSet'))
      .flatMap((reservation) => reservation.items('instancesSet'))
      .flatMap((item) => readInstance(item) ?? []);
  }

  async #learnLimits(types: readonly string[]): Promise<void> {
    const unknown = [...new Set(types)].filter((type) => !this.#limits.has(type));
    if (unknown.length === 0) return;
    const pages = await this.#ec2.pages('capacity', 'DescribeInstanceTypes', filter('instance-type', unknown));
    for (const item of pages.flatMap((page) => page.items('instanceTypeSet')))
      this.#limits.set(item.text('instanceType'), limitsIn(item.at('networkInfo')));
  }

  #machineOf(node: string, instance: Instance): CloudMachine {
    const { id, type, interfaceId, subnetId, own, secondary, prefixes } = instance;
    // of a type that EC2 does not tell nothing new is put on the machine
    const limits = this.#limits.get(type) ?? { 4: 0, 6: 0 };
    const left = (family: 4 | 6): number => limits[family] - own.filter((each) => each.family === family).length;
    return {
      node,
      name: id,
      interfaceId,
      subnetId,
      own,
      secondary: secondary.map((address) => ({ address, pools: [] })),
      most: { 4: left(4), 6: left(6) },
      otherUse: prefixes.length,
      pools: { auto: [], none: [], 'same-as-primary-ip': [] },
    };
  }

  async #subnetsBeside(machines: readonly CloudMachine[]): Promise<readonly CloudSubnet[]> {
    const own = await Promise.all(
      chunks([...new Set(machines.map(({ subnetId }) => subnetId))]).map((ids) =>
        this.#ec2.pages('subnets', 'DescribeSubnets', filter('subnet-id', ids)),
      ),
    );
    const networks = new Set(own.flat().flatMap((page) => page.items('subnetSet').map((each) => each.text('vpcId'))));
    const all = await Promise.all(
      chunks([...networks]).map((ids) => this.#ec2.pages('subnets', 'DescribeSubnets', filter('vpc-id', ids))),
    );
    return all.flat().flatMap((page) => page.items('subnetSet').map(readSubnet));
  }
}

function readSubnet(item: Ec2Element): CloudSubnet {
  const texts = [
    item.text('cidrBlock'),
    ...item.items('ipv6CidrBlockAssociationSet').map((each) => each.text('ipv6CidrBlock')),
  ];
  const prefixes = texts.flatMap((text) => prefixIn(text) ?? []);
  return {
    id: item.text('subnetId'),
    prefixes,
    reserved: prefixes.flatMap((prefix) => addressesAtEnds(prefix, RESERVED)),
  };
}

const limitsIn = (info: Ec2Element): Limits => ({
  4: Number(info.text('ipv4AddressesPerInterface')),
  6: info.text('ipv6Supported') === 'true' ? Number(info.text('ipv6AddressesPerInterface')) : 0,
});

const filter = (name: string, values: readonly string[]) => ({ 'Filter.1.Name': name, 'Filter.1.Value': values });

function chunks(values: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(values.length / MOST_VALUES);
  return Array.from({ length: count }, (_, index) => values.slice(index * MOST_VALUES, (index + 1) * MOST_VALUES));
}

// aws:///us-east-1a/i-0123
const instanceOf = (providerId: string): string | undefined =>
  /^aws:\/\/.*\/(?<id>i-[0-9a-f]+)$/u.exec(providerId)?.groups?.['id'];

/**
 * Names the domain of the partition of AWS that a region belongs to.
 *
 * @param region - for example `cn-north-1`
 * @returns the end of the names of its servers
 */
function domainOf(region: string): string {
  if (region.startsWith('cn-')) return 'amazonaws.com.cn';
  if (region.startsWith('us-isob-')) return 'sc2s.sgov.gov';
  if (region.startsWith('us-iso-')) return 'c2s.ic.gov';
  return 'amazonaws.com';
}
