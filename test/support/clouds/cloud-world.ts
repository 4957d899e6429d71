import { cloudAround, type EgressCloud } from '../../../operator/assembly/egress-cloud';
import { AwsCloud } from '../../../operator/backends/clouds/aws/aws-cloud';
import { AzureCloud } from '../../../operator/backends/clouds/azure/azure-cloud';
import { CloudSecret } from '../../../operator/backends/clouds/shared/cloud-secret';
import { listOf, mapOf } from '../../../operator/contract/loose-json';
import { statusIn } from '../../../operator/contract/stored-status';
import type { Cloud } from '../../../operator/ports/cloud';
import { PlacementWorld, type WorldNode } from '../placement-world';
import type { MemoryDataplaneProps } from '../memory-dataplane';
import { azureNode, FakeAzure } from './fake-azure';
import { FakeEc2 } from './fake-ec2';

/** The Egress door with nodes that are machines of AWS. */
export class AwsWorld extends PlacementWorld {
  readonly ec2 = new FakeEc2();
  /** Login of the operator. */
  secret: Record<string, string> = { aws_access_key_id: 'AKIDEXAMPLE', aws_secret_access_key: 'a-secret-key' };

  static async begin(props: MemoryDataplaneProps = {}): Promise<AwsWorld> {
    const world = new AwsWorld(props);
    await world.ec2.listen();
    world.ec2.subnets.push({ id: 'subnet-a', cidr: '10.0.0.0/28' }, { id: 'subnet-b', cidr: '10.1.0.0/28' });
    return world;
  }

  /** A node with its instance: `n1` is `i-01` of the subnet, with an address at its upper end. */
  machine(name: string, { subnet = 'a', ...of }: WorldNode & { readonly subnet?: 'a' | 'b' } = {}): void {
    const index = Number(name.slice(1));
    const id = `i-0${String(index)}`;
    if (!this.ec2.instances.some((each) => each.id === id)) {
      const own = `10.${subnet === 'a' ? '0' : '1'}.0.${String(15 - index)}`;
      this.ec2.addInstance(id, { subnet: `subnet-${subnet}`, addresses: [own] });
    }
    this.node(name, { labels: { egressGateway: subnet }, providerId: `aws:///eu-west-1a/${id}`, ...of });
  }

  /** Why a namespace of `bm` waits, as its status has it. */
  waiting(name: string): string {
    const rows = listOf(statusIn(this.storedIpam('bm'))['unserved']).map(mapOf);
    return rows.flatMap((row) => (row['namespace'] === name ? [row['reason'], row['message']] : [])).join(': ');
  }

  /** Addresses that are attached, without those of the machines, as `10.0.0.4@i-01`. */
  attached(): readonly string[] {
    return this.ec2.interfaces
      .flatMap(({ instanceId, addresses }) => addresses.slice(1).map((each) => `${each}@${String(instanceId)}`))
      .sort();
  }

  /** Waits until these are attached, and no other. */
  async attaches(...entries: readonly string[]): Promise<void> {
    await this.until(
      () => `${entries.join(' ')} is attached, not ${this.attached().join(' ')}`,
      () => JSON.stringify(this.attached()) === JSON.stringify([...entries].sort()),
    );
  }

  protected override openCloud(parts: Parameters<typeof cloudAround>[1]): EgressCloud {
    return cloudAround(this.#cloud(), parts);
  }

  override async close(): Promise<void> {
    await super.close();
    await this.ec2.close();
  }

  #cloud(): Cloud {
    const { clock, meter } = this;
    const secret = new CloudSecret({
      clock,
      name: 'Secret ipam-system/cloud',
      read: () => Promise.resolve(this.secret),
    });
    return new AwsCloud({ clock, meter, region: 'eu-west-1', secret, endpoint: this.ec2.url });
  }
}

/** The Egress door with nodes that are machines of Azure. */
export class AzureWorld extends PlacementWorld {
  readonly azure = new FakeAzure();

  static async begin(): Promise<AzureWorld> {
    const world = new AzureWorld();
    await world.azure.listen();
    return world;
  }

  /** A node with its machine, whose configuration joins the pools. */
  machine(name: string, address: string, pools: readonly string[] = []): void {
    this.azure.addMachine(name, [{ name: 'primary', address, primary: true, pools }]);
    this.node(name, { providerId: azureNode(name).providerId });
  }

  override async close(): Promise<void> {
    await super.close();
    await this.azure.close();
  }

  protected override openCloud(parts: Parameters<typeof cloudAround>[1]): EgressCloud {
    const { clock, meter } = this;
    const values = { azure_client_id: 'client-1', azure_client_secret: 'a-client-secret', azure_tenant_id: 'tenant-1' };
    const secret = new CloudSecret({ clock, name: 'Secret ipam-system/cloud', read: () => Promise.resolve(values) });
    const servers = { login: this.azure.url, manager: this.azure.url };
    return cloudAround(new AzureCloud({ clock, meter, environment: 'AzurePublicCloud', secret, servers }), parts);
  }
}
