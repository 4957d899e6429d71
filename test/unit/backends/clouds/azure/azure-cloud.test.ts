import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressOf } from '../../../../../operator/addressing/address';
import { AzureCloud } from '../../../../../operator/backends/clouds/azure/azure-cloud';
import { CloudSecret } from '../../../../../operator/backends/clouds/shared/cloud-secret';
import type { CloudMachine, LoadBalancerChoice } from '../../../../../operator/ports/cloud';
import { AZURE_FAULTS, azureNode, FakeAzure, poolId } from '../../../../support/clouds/fake-azure';
import { onlyMachine } from '../../../../support/clouds/only-machine';
import { MovingClock } from '../../../../support/clouds/moving-clock';
import { RecordedMeter } from '../../../../support/recorded-telemetry';

const LOGIN = { azure_client_id: 'client-1', azure_client_secret: 'a-client-secret', azure_tenant_id: 'tenant-1' };
const PRIMARY = { name: 'primary', address: '10.1.0.10', primary: true };

let azure: FakeAzure;
let clock: MovingClock;
let values: Record<string, string>;
let cloud: AzureCloud;

beforeEach(async () => {
  azure = await new FakeAzure().listen();
  clock = new MovingClock();
  values = { ...LOGIN };
  const secret = new CloudSecret({ clock, name: 'Secret ipam-system/cloud', read: () => Promise.resolve(values) });
  cloud = new AzureCloud({
    clock,
    meter: new RecordedMeter(),
    environment: 'AzurePublicCloud',
    secret,
    servers: { login: azure.url, manager: azure.url },
  });
});

afterEach(async () => {
  cloud.close();
  await azure.close();
});

const machineOf = (name: string): Promise<CloudMachine> => onlyMachine(cloud, azureNode(name));

const want = (text: string, loadBalancer: LoadBalancerChoice = 'auto') => ({ address: addressOf(text), loadBalancer });
const poolsOf = async (name: string, text: string) =>
  (await machineOf(name)).secondary.find(({ address }) => address.toString() === text)?.pools;

describe('AzureCloud', () => {
  test('reads the primary interface and its primary configuration, wherever they stand', async () => {
    azure.addWithSecond(
      'a',
      [{ name: 'other', address: '10.1.0.20' }, PRIMARY],
      [{ ...PRIMARY, address: '10.1.0.99' }],
    );
    const machine = await machineOf('a');
    expect(machine.own.map(String)).toEqual(['10.1.0.10']);
    expect(machine.secondary.map(({ address }) => address.toString())).toEqual(['10.1.0.20']);
    expect(machine.most[4]).toBe(255);
  });

  test('lists the machines of many nodes by pages, and leaves out one that is gone', async () => {
    azure.pageSize = 1;
    for (const name of ['a', 'b', 'c']) azure.addMachine(name, [PRIMARY]);
    azure.remove('b');
    const machines = await cloud.machines(['a', 'b', 'c'].map(azureNode));
    expect(machines.map(({ node }) => node)).toEqual(['a', 'c']);
  });

  test('lists what has addresses in the virtual network, and what Azure keeps', async () => {
    azure.addMachine('a', [PRIMARY]);
    azure.others.set('10.1.0.200', 'lb');
    const { uses, subnets } = await cloud.uses([await machineOf('a')]);
    expect(uses.map(({ block, source }) => [block.toString(), source])).toEqual([
      ['10.1.0.10/32', 'networkInterfaces/a-nic'],
      ['10.1.0.200/32', 'loadBalancers/lb'],
    ]);
    expect(subnets[0]?.reserved.map(String)).toEqual(['10.1.0.0', '10.1.0.1', '10.1.0.2', '10.1.0.3', '10.1.0.255']);
  });

  test('attaches and detaches with the ETag, waits for the operation, and keeps everything else', async () => {
    const foreign = { name: 'foreign', address: '10.1.0.30' };
    azure.addMachine('a', [PRIMARY, foreign]);
    await expect(cloud.attach(await machineOf('a'), [want('10.1.0.20'), want('10.1.0.21')])).resolves.toBe('done');
    expect(azure.has('a')).toEqual(['10.1.0.10', '10.1.0.30', '10.1.0.20', '10.1.0.21']);
    await expect(cloud.detach(await machineOf('a'), [addressOf('10.1.0.20')])).resolves.toBe('done');
    expect(azure.has('a')).toEqual(['10.1.0.10', '10.1.0.30', '10.1.0.21']);
    const [put] = azure.calls.filter(({ method }) => method === 'PUT');
    expect(JSON.parse(put?.body ?? '')).toMatchObject({
      tags: { kept: 'yes' },
      properties: { enableIPForwarding: true },
    });
    expect(azure.writes).toBe(2);
  });

  test('EG-case-40 writes nothing where the interface is right already', async () => {
    azure.addMachine('a', [PRIMARY, { name: 'EgressIP10.1.0.20', address: '10.1.0.20' }]);
    const machine = await machineOf('a');
    await expect(cloud.attach(machine, [want('10.1.0.20')])).resolves.toBe('done');
    await expect(cloud.detach(machine, [addressOf('10.1.0.77')])).resolves.toBe('done');
    expect(azure.writes).toBe(0);
  });

  test('never detaches the primary address', async () => {
    azure.addMachine('a', [PRIMARY]);
    await cloud.detach(await machineOf('a'), [addressOf('10.1.0.10')]);
    expect(azure.has('a')).toEqual(['10.1.0.10']);
  });

  test('writes nothing over a change that something else made since the read', async () => {
    azure.addMachine('a', [PRIMARY]);
    const machine = await machineOf('a');
    azure.afterRead = (nic) => {
      nic.etag += 1;
    };
    await expect(cloud.attach(machine, [want('10.1.0.20')])).resolves.toBe('changed');
    expect(azure.has('a')).toEqual(['10.1.0.10']);
  });

  test('EG-case-38 joins no pool, the pools of the primary configuration, or those without outbound rules', async () => {
    azure.pools.set('Plain', false).set('Ruled', true);
    azure.addMachine('a', [{ ...PRIMARY, pools: ['Plain', 'Ruled'] }]);
    await cloud.attach(await machineOf('a'), [want('10.1.0.20', 'none'), want('10.1.0.21', 'auto')]);
    await expect(poolsOf('a', '10.1.0.20')).resolves.toEqual([]);
    await expect(poolsOf('a', '10.1.0.21')).resolves.toEqual([poolId('Plain').toLowerCase()]);
    await expect(cloud.attach(await machineOf('a'), [want('10.1.0.22', 'same-as-primary-ip')])).rejects.toMatchObject({
      code: 'cloud/refused',
      message: expect.stringContaining('OutboundRuleCannotBeUsedWithBackendAddressPool') as string,
    });
  });

  test('EG-case-39 brings an attached address to other pools', async () => {
    azure.pools.set('Plain', false);
    azure.addMachine('a', [{ ...PRIMARY, pools: ['Plain'] }]);
    await cloud.attach(await machineOf('a'), [want('10.1.0.20', 'none')]);
    await cloud.attach(await machineOf('a'), [want('10.1.0.20', 'same-as-primary-ip')]);
    await expect(poolsOf('a', '10.1.0.20')).resolves.toEqual([poolId('Plain').toLowerCase()]);
    await cloud.attach(await machineOf('a'), [want('10.1.0.20', 'none')]);
    await expect(poolsOf('a', '10.1.0.20')).resolves.toEqual([]);
  });

  test('joins no pool of which it may not read the rules', async () => {
    azure.pools.set('Plain', false);
    azure.addMachine('a', [{ ...PRIMARY, pools: ['Plain'] }]);
    azure.faults = [AZURE_FAULTS.forbidden('backendAddressPools')];
    expect((await machineOf('a')).pools.auto).toEqual([]);
  });

  test('tells an address that another interface has, and an operation that fails after its answer', async () => {
    azure.addMachine('a', [PRIMARY]);
    azure.addMachine('b', [{ ...PRIMARY, address: '10.1.0.11' }]);
    const machine = await machineOf('a');
    await expect(cloud.attach(machine, [want('10.1.0.11')])).rejects.toMatchObject({ code: 'cloud/in-use' });
    azure.failing = 'SubnetIsFull';
    await expect(cloud.attach(machine, [want('10.1.0.20')])).rejects.toMatchObject({
      code: 'cloud/refused',
      message: 'attach: Azure refuses (SubnetIsFull: the operation failed)',
    });
  });

  test('takes an interface that is gone for detached', async () => {
    azure.addMachine('a', [PRIMARY, { name: 'x', address: '10.1.0.20' }]);
    const machine = await machineOf('a');
    azure.remove('a');
    await expect(cloud.detach(machine, [addressOf('10.1.0.20')])).resolves.toBe('gone');
  });

  test('leaves Azure alone for the time that it asks for', async () => {
    azure.addMachine('a', [PRIMARY]);
    azure.faults = [AZURE_FAULTS.throttled('virtualMachines', 17)];
    await expect(machineOf('a')).rejects.toMatchObject({ code: 'cloud/throttled', retryAfterSeconds: 17 });
    azure.faults = [];
    clock.advance(16_000);
    await expect(machineOf('a')).rejects.toMatchObject({ code: 'cloud/throttled' });
    clock.advance(1_000);
    await expect(machineOf('a')).resolves.toBeDefined();
  });

  test('EG-case-41 names the keys that the Secret lacks, and nothing of what it has', async () => {
    values = { azure_client_secret: 'hidden' };
    await expect(machineOf('a')).rejects.toMatchObject({
      code: 'cloud/login',
      message: 'Secret ipam-system/cloud has no key "azure_tenant_id", "azure_client_id"',
    });
  });

  test('says nothing of a client secret that is not taken, and reads a rotated one at once', async () => {
    azure.addMachine('a', [PRIMARY]);
    azure.secrets.set('client-1', 'a-new-secret');
    await expect(machineOf('a')).rejects.toMatchObject({
      code: 'cloud/login',
      message: 'login: 127.0.0.1:PORT gives no token (invalid_client)'.replace('PORT', azure.url.port),
    });
    values = { ...LOGIN, azure_client_secret: 'a-new-secret' };
    clock.advance(30_000);
    await expect(machineOf('a')).resolves.toBeDefined();
  });

  test('logs in by workload identity, once for many calls', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'token-')), 'token');
    await writeFile(file, 'an-assertion');
    azure.assertions.add('an-assertion');
    azure.addMachine('a', [PRIMARY]);
    values = { azure_client_id: 'client-1', azure_tenant_id: 'tenant-1', azure_federated_token_file: file };
    await Promise.all([machineOf('a'), machineOf('a')]);
    expect(azure.logins).toBe(1);
  });

  test('follows no link to another server', async () => {
    azure.faults = [
      ({ url }) =>
        url.pathname.endsWith('/virtualMachines')
          ? { status: 200, body: JSON.stringify({ value: [], nextLink: 'https://elsewhere.example/x' }) }
          : undefined,
    ];
    await expect(cloud.machines([azureNode('a'), azureNode('b')])).rejects.toMatchObject({ code: 'cloud/refused' });
  });

  test('tells the environments of Azure apart', () => {
    expect(cloud.knows(azureNode('a').providerId)).toBe(true);
    expect(
      cloud.knows(
        'azure:///subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/x/virtualMachines/0',
      ),
    ).toBe(false);
  });
});
