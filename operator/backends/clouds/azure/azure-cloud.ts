import { isIn, parseAddress, type Address } from '../../../addressing/address';
import { hostPrefix, parsePrefix } from '../../../addressing/prefix';
import type { AzureEnvironment } from '../../../contract/egress-clouds';
import { isMap, listOf, mapOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { isIpamError } from '../../../errors/ipam-error';
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
import { ArmClient } from './arm-client';
import { AzureLogin, azureServers, type AzureServers } from './azure-login';
import { attachedConfig, ipConfigsOf, joining, primaryOf, sameIds, withConfigs, type IpConfig } from './read-nic';

/** Parts of {@link AzureCloud}. */
export interface AzureCloudParts extends Pick<Tools, 'clock' | 'meter'> {
  readonly environment: AzureEnvironment;
  readonly secret: CloudSecret;
  /**
   * Servers in place of those of the environment.
   *
   * @default - the public ones
   */
  readonly servers?: AzureServers;
}

/** Most private addresses of an interface, both families together (limits of Azure networking). */
const MOST_ADDRESSES = 256;
/** Network, gateway and two for DNS; and broadcast (Azure Virtual Network FAQ). */
const RESERVED = { first: 4, last: 1 } as const;
/** Time for which it is used again whether a pool has outbound rules. */
const POOL_KEPT_MS = 300_000;
/** Seconds for which a virtual network may show an address that was detached. */
const QUARANTINE_SECONDS = 900;

interface ResourceGroup {
  readonly subscription: string;
  readonly group: string;
}

/** Azure: IP configurations of the primary network interface of a virtual machine, written with its ETag. */
export class AzureCloud implements Cloud {
  readonly name = 'azure';
  readonly quarantineSeconds = QUARANTINE_SECONDS;
  readonly #clock: Tools['clock'];
  readonly #http: CloudHttp;
  readonly #arm: ArmClient;
  /** Pools with outbound rules, and without, by their identifiers. */
  readonly #pools = new Map<string, { readonly hasOutbound: boolean; readonly readAtMs: number }>();

  /**
   * Opens nothing yet.
   *
   * @param parts - environment, login, tools
   */
  constructor({ clock, meter, environment, secret, servers = azureServers(environment) }: AzureCloudParts) {
    this.#clock = clock;
    this.#http = new CloudHttp({ clock, meter });
    const login = new AzureLogin({ clock, http: this.#http, secret, servers });
    this.#arm = new ArmClient({ clock, http: this.#http, login, manager: servers.manager });
  }

  /** @inheritdoc */
  knows(providerId: string): boolean {
    return machineIn(providerId) !== undefined;
  }

  /** @inheritdoc */
  async machines(nodes: readonly CloudNode[]): Promise<readonly CloudMachine[]> {
    const groups = new Map<string, ResourceGroup>();
    for (const { providerId } of nodes) {
      const found = machineIn(providerId);
      if (found !== undefined) groups.set(`${found.subscription}/${found.group}`, found);
    }
    const [machine] = nodes;
    // for a single one, two reads; for many, two lists
    const all =
      nodes.length === 1 && machine ? await this.#oneMachine(machine) : await this.#listed([...groups.values()]);
    const made = await Promise.all(
      nodes.map(async ({ name, providerId }) => {
        const vm = all.machines.get(vmIdOf(providerId));
        const nic = vm && (await this.#primaryNic(vm, all.nics));
        return nic === undefined ? undefined : this.#machineOf(name, { vm, nic });
      }),
    );
    return made.filter((each) => each !== undefined);
  }

  /** @inheritdoc */
  async uses(machines: readonly CloudMachine[]): Promise<CloudUses> {
    const networks = new Set(machines.map(({ subnetId }) => subnetId.replace(/\/subnets\/[^/]+$/iu, '')));
    const read = await Promise.all(
      [...networks].map((id) => this.#arm.read('list-used', id, { $expand: 'subnets/ipConfigurations' })),
    );
    const subnets = read.flatMap((network) => listOf(mapOf(network?.['properties'])['subnets']).filter(isMap));
    return { subnets: subnets.map(readSubnet), uses: subnets.flatMap(usesIn) };
  }

  /** @inheritdoc */
  async attach({ interfaceId, pools }: CloudMachine, wants: readonly CloudWant[]): Promise<CloudChange> {
    return this.#change('attach', interfaceId, (configs) => {
      const primary = primaryOf(configs);
      const ids = primary?.pools ?? [];
      const poolsOf = ({ loadBalancer }: CloudWant): readonly string[] =>
        ids.filter((id) => pools[loadBalancer].includes(id.toLowerCase()));
      const kept = configs.map((config) => {
        const want = wants.find(({ address }) => config.address?.equals(address) === true);
        if (want === undefined || config === primary) return config.object;
        const now = poolsOf(want);
        return sameIds(now).join() === sameIds(config.pools).join() ? config.object : joining(config.object, now);
      });
      const missing = wants.filter(({ address }) => !configs.some((each) => each.address?.equals(address) === true));
      const subnetId = primary?.subnetId ?? '';
      return [...kept, ...missing.map((want) => attachedConfig(want.address, { subnetId, pools: poolsOf(want) }))];
    });
  }

  /** @inheritdoc */
  async detach({ interfaceId }: CloudMachine, addresses: readonly Address[]): Promise<CloudChange> {
    return this.#change('detach', interfaceId, (configs) => {
      const primary = primaryOf(configs);
      const left = configs.filter(
        (each) => each === primary || each.address === undefined || !isIn(each.address, addresses),
      );
      return left.map(({ object }) => object);
    });
  }

  /** @inheritdoc */
  close(): void {
    this.#http.close();
  }

  // Over the interface as it is stored now; nothing is written where it is right already.
  async #change(
    op: string,
    interfaceId: string,
    decide: (configs: readonly IpConfig[]) => readonly JsonMap[],
  ): Promise<CloudChange> {
    const nic = await this.#arm.read('read-interface', interfaceId);
    if (nic === undefined) return 'gone';
    const configs = ipConfigsOf(nic);
    const now = decide(configs);
    const isSame = now.length === configs.length && now.every((each, index) => each === configs[index]?.object);
    return isSame ? 'done' : this.#arm.write(op, withConfigs(nic, now));
  }

  async #oneMachine({ providerId }: CloudNode): Promise<Listed> {
    const id = vmIdOf(providerId);
    const vm = await this.#arm.read('machines', id);
    return { machines: new Map(vm === undefined ? [] : [[id, vm]]), nics: new Map() };
  }

  async #listed(groups: readonly ResourceGroup[]): Promise<Listed> {
    const lists = await Promise.all(
      groups.map(async ({ subscription, group }) => {
        const root = `/subscriptions/${subscription}/resourceGroups/${group}/providers`;
        return Promise.all([
          this.#arm.list('machines', `${root}/Microsoft.Compute/virtualMachines`),
          this.#arm.list('interfaces', `${root}/Microsoft.Network/networkInterfaces`),
        ]);
      }),
    );
    const byId = (all: readonly JsonMap[]) => new Map(all.map((each) => [textOf(each['id']).toLowerCase(), each]));
    return { machines: byId(lists.flatMap(([vms]) => vms)), nics: byId(lists.flatMap(([, nics]) => nics)) };
  }

  async #primaryNic(vm: JsonMap, nics: Listed['nics']): Promise<JsonMap | undefined> {
    const profile = mapOf(mapOf(vm['properties'])['networkProfile']);
    const all = listOf(profile['networkInterfaces']).filter(isMap);
    const primary = all.length === 1 ? all[0] : all.find((each) => mapOf(each['properties'])['primary'] === true);
    const id = textOf(primary?.['id']);
    if (id === '') return undefined;
    // one of another group of resources is not in the list
    return nics.get(id.toLowerCase()) ?? this.#arm.read('read-interface', id);
  }

  async #machineOf(
    node: string,
    { vm, nic }: { readonly vm: JsonMap | undefined; readonly nic: JsonMap },
  ): Promise<CloudMachine | undefined> {
    const configs = ipConfigsOf(nic);
    const primary = primaryOf(configs);
    if (primary?.address === undefined) return undefined;
    const secondary = configs.flatMap((config) => {
      const { address, pools } = config;
      return config === primary || address === undefined ? [] : [{ address, pools: sameIds(pools) }];
    });
    const same = sameIds(primary.pools);
    const outbound = await Promise.all(primary.pools.map((id) => this.#hasOutboundRules(id)));
    const auto = sameIds(primary.pools.filter((_, index) => outbound[index] === false));
    return {
      node,
      name: textOf(vm?.['name']),
      interfaceId: textOf(nic['id']),
      // in the lists that are compared it may be written in another case
      subnetId: primary.subnetId.toLowerCase(),
      own: [primary.address],
      secondary,
      most: { 4: MOST_ADDRESSES - 1, 6: MOST_ADDRESSES - 1 },
      otherUse: 0,
      pools: { auto, none: [], 'same-as-primary-ip': same },
    };
  }

  // Azure refuses secondary configurations in a pool that an outbound rule uses
  async #hasOutboundRules(id: string): Promise<boolean> {
    const known = this.#pools.get(id);
    const nowMs = this.#clock.nowMs();
    if (known !== undefined && nowMs - known.readAtMs < POOL_KEPT_MS) return known.hasOutbound;
    const pool = await this.#readPool(id);
    const { outboundRules, outboundRule } = mapOf(pool?.['properties']);
    const hasOutbound = pool === undefined || listOf(outboundRules).length > 0 || isMap(outboundRule);
    this.#pools.set(id, { hasOutbound, readAtMs: nowMs });
    return hasOutbound;
  }

  // Without the right to read pools none is joined.
  async #readPool(id: string): Promise<JsonMap | undefined> {
    try {
      return await this.#arm.read('read-pool', id);
    } catch (thrown) {
      if (isIpamError(thrown, 'cloud/refused')) return undefined;
      throw thrown;
    }
  }
}

interface Listed {
  /** By their identifiers in lower case. */
  readonly machines: ReadonlyMap<string, JsonMap>;
  readonly nics: ReadonlyMap<string, JsonMap>;
}

// azure:///subscriptions/S/resourceGroups/G/providers/Microsoft.Compute/virtualMachines/N
function machineIn(providerId: string): ResourceGroup | undefined {
  const form =
    /^azure:\/\/\/subscriptions\/(?<subscription>[^/]+)\/resourceGroups\/(?<group>[^/]+)\/providers\/Microsoft\.Compute\/virtualMachines\/[^/]+$/iu;
  const groups = form.exec(providerId)?.groups;
  const [subscription, group] = [groups?.['subscription'], groups?.['group']];
  return subscription === undefined || group === undefined
    ? undefined
    : { subscription: subscription.toLowerCase(), group: group.toLowerCase() };
}

const vmIdOf = (providerId: string): string => providerId.replace(/^azure:\/\//u, '').toLowerCase();

function readSubnet(subnet: JsonMap): CloudSubnet {
  const { addressPrefix, addressPrefixes } = mapOf(subnet['properties']);
  const texts = addressPrefixes === undefined ? [addressPrefix] : listOf(addressPrefixes);
  const prefixes = texts.flatMap((text) => {
    const parsed = parsePrefix(textOf(text));
    return parsed.ok ? parsed.value : [];
  });
  return {
    id: textOf(subnet['id']).toLowerCase(),
    prefixes,
    reserved: prefixes.flatMap((prefix) => addressesAtEnds(prefix, RESERVED)),
  };
}

const usesIn = (subnet: JsonMap): readonly CloudUse[] =>
  listOf(mapOf(subnet['properties'])['ipConfigurations'])
    .filter(isMap)
    .flatMap(({ id, properties }) => {
      const parsed = parseAddress(textOf(mapOf(properties)['privateIPAddress']));
      return parsed.ok ? { block: hostPrefix(parsed.value), source: sourceIn(textOf(id)) } : [];
    });

// …/providers/Microsoft.Network/networkInterfaces/NIC/ipConfigurations/NAME
function sourceIn(id: string): string {
  const [kind = '', name = ''] = /\/Microsoft\.[^/]+\/(?<kind>[^/]+)\/(?<name>[^/]+)/iu.exec(id)?.slice(1) ?? [];
  return kind === '' ? 'the virtual network' : `${kind}/${name}`;
}
