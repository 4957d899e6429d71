import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressOf } from '../../../../../operator/addressing/address';
import { GcpCloud } from '../../../../../operator/backends/clouds/gcp/gcp-cloud';
import { CloudSecret } from '../../../../../operator/backends/clouds/shared/cloud-secret';
import type { CloudMachine } from '../../../../../operator/ports/cloud';
import { FakeGcp, gcpNode, GCP_FAULTS } from '../../../../support/clouds/fake-gcp';
import { onlyMachine } from '../../../../support/clouds/only-machine';
import { MovingClock } from '../../../../support/clouds/moving-clock';
import { RecordedMeter } from '../../../../support/recorded-telemetry';

let gcp: FakeGcp;
let clock: MovingClock;
let text: string | undefined;
let cloud: GcpCloud;

beforeEach(async () => {
  gcp = await new FakeGcp().listen();
  clock = new MovingClock();
  text = gcp.serviceAccount;
  cloud = cloudWith(secretOf());
});

afterEach(async () => {
  cloud.close();
  await gcp.close();
});

function secretOf(): CloudSecret {
  const read = () => Promise.resolve(text === undefined ? {} : { 'service_account.json': text });
  return new CloudSecret({ clock, name: 'Secret ipam-system/cloud', read });
}

function cloudWith(secret?: CloudSecret): GcpCloud {
  const servers = { compute: gcp.url, oauth: gcp.url, sts: gcp.url, iam: gcp.url, metadata: gcp.url };
  const parts = { clock, meter: new RecordedMeter(), servers };
  return new GcpCloud(secret === undefined ? parts : { ...parts, secret });
}

const machineOf = (name: string): Promise<CloudMachine> => onlyMachine(cloud, gcpNode(name));

const want = (address: string) => ({ address: addressOf(address), loadBalancer: 'auto' as const });
const rangesOf = (name: string) => gcp.instances.get(name)?.ranges.map(({ ipCidrRange }) => ipCidrRange);

describe('GcpCloud', () => {
  test('reads the first interface, and counts ranges of Pods as room that is taken', async () => {
    gcp.add('a', '10.2.0.10', [
      { ipCidrRange: '10.2.0.20/32' },
      { ipCidrRange: '10.50.0.0/24', subnetworkRangeName: 'pods' },
    ]);
    const machine = await machineOf('a');
    expect(machine).toMatchObject({ otherUse: 1, most: { 4: 100, 6: 0 } });
    expect(machine.own.map(String)).toEqual(['10.2.0.10']);
    expect(machine.secondary.map(({ address }) => address.toString())).toEqual(['10.2.0.20']);
  });

  test('lists many machines by pages, and leaves out those that end or are gone', async () => {
    gcp.pageSize = 1;
    for (const [index, name] of ['a', 'b', 'c'].entries()) gcp.add(name, `10.2.0.1${String(index)}`).status = 'RUNNING';
    gcp.add('b', '10.2.0.11').status = 'TERMINATED';
    const machines = await cloud.machines(['a', 'b', 'c', 'd'].map(gcpNode));
    expect(machines.map(({ node }) => node)).toEqual(['a', 'c']);
  });

  test('lists what has addresses of the network, and what Google keeps of the subnet', async () => {
    gcp.add('a', '10.2.0.10', [{ ipCidrRange: '10.2.0.64/28' }]);
    gcp.addresses.push({ name: 'reserved', address: '10.2.0.7', addressType: 'INTERNAL' });
    gcp.addresses.push({ name: 'public', address: '203.0.113.1', addressType: 'EXTERNAL' });
    gcp.rules.push({ name: 'front', IPAddress: '10.2.0.8', loadBalancingScheme: 'INTERNAL_MANAGED' });
    const { uses, subnets } = await cloud.uses([await machineOf('a')]);
    expect(uses.map(({ block, source }) => [block.toString(), source])).toEqual([
      ['10.2.0.10/32', 'instance a'],
      ['10.2.0.64/28', 'instance a'],
      ['10.2.0.7/32', 'address reserved'],
      ['10.2.0.8/32', 'forwarding rule front'],
    ]);
    expect(subnets[0]?.reserved.map(String)).toEqual(['10.2.0.0', '10.2.0.1', '10.2.0.254', '10.2.0.255']);
  });

  test('attaches and detaches single addresses, and keeps every other range', async () => {
    gcp.add('a', '10.2.0.10', [{ ipCidrRange: '10.50.0.0/24', subnetworkRangeName: 'pods' }]);
    await expect(cloud.attach(await machineOf('a'), [want('10.2.0.20'), want('10.2.0.21')])).resolves.toBe('done');
    expect(rangesOf('a')).toEqual(['10.50.0.0/24', '10.2.0.20/32', '10.2.0.21/32']);
    await expect(cloud.detach(await machineOf('a'), [addressOf('10.2.0.20')])).resolves.toBe('done');
    expect(rangesOf('a')).toEqual(['10.50.0.0/24', '10.2.0.21/32']);
    await cloud.attach(await machineOf('a'), [want('10.2.0.21')]);
    expect(gcp.writes).toBe(2);
  });

  test('writes nothing over a change that something else made since the read', async () => {
    gcp.add('a', '10.2.0.10');
    const machine = await machineOf('a');
    gcp.afterRead = (instance) => {
      instance.fingerprint += 1;
    };
    await expect(cloud.attach(machine, [want('10.2.0.20')])).resolves.toBe('changed');
    expect(rangesOf('a')).toEqual([]);
  });

  test('tells an address that another instance has, and an operation that fails', async () => {
    gcp.add('a', '10.2.0.10');
    gcp.add('b', '10.2.0.11');
    const machine = await machineOf('a');
    await expect(cloud.attach(machine, [want('10.2.0.11')])).rejects.toMatchObject({ code: 'cloud/in-use' });
    gcp.failing = 'RESOURCE_NOT_READY';
    await expect(cloud.attach(machine, [want('10.2.0.20')])).rejects.toMatchObject({
      code: 'cloud/refused',
      message: 'attach: Compute Engine refuses (RESOURCE_NOT_READY: the operation failed)',
    });
  });

  test('takes an instance that is gone for detached', async () => {
    gcp.add('a', '10.2.0.10', [{ ipCidrRange: '10.2.0.20/32' }]);
    const machine = await machineOf('a');
    gcp.instances.delete('a');
    await expect(cloud.detach(machine, [addressOf('10.2.0.20')])).resolves.toBe('gone');
  });

  test('leaves Google alone for a time after it refused for too many calls', async () => {
    gcp.add('a', '10.2.0.10');
    gcp.faults = [GCP_FAULTS.throttled('/instances/')];
    await expect(machineOf('a')).rejects.toMatchObject({ code: 'cloud/throttled' });
    const calls = gcp.calls.length;
    await expect(machineOf('a')).rejects.toMatchObject({ code: 'cloud/throttled' });
    expect(gcp.calls).toHaveLength(calls);
  });

  test('EG-case-41 names the key that the Secret lacks, and nothing of what it has', async () => {
    text = undefined;
    await expect(machineOf('a')).rejects.toMatchObject({
      code: 'cloud/login',
      message: 'Secret ipam-system/cloud has no key "service_account.json"',
    });
    text = JSON.stringify({ type: 'service_account', client_email: 'x', private_key: 'hidden' });
    clock.advance(30_000);
    await expect(machineOf('a')).rejects.toMatchObject({
      message: '"service_account.json" of the Secret of the cloud has no private key that can sign',
    });
  });

  test('says nothing of an assertion that is not taken', async () => {
    const other = new FakeGcp();
    text = other.serviceAccount;
    await expect(machineOf('a')).rejects.toMatchObject({
      code: 'cloud/login',
      message: `login: ${gcp.url.host} gives no token (invalid_grant)`,
    });
  });

  test('logs in by the metadata server where there is no Secret', async () => {
    gcp.add('a', '10.2.0.10');
    cloud = cloudWith();
    await expect(machineOf('a')).resolves.toBeDefined();
    expect(gcp.logins).toEqual(['metadata']);
  });

  test('logs in by workload identity federation, as a service account', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'token-')), 'token');
    await writeFile(file, 'a-token');
    gcp.identities.add('a-token');
    gcp.add('a', '10.2.0.10');
    text = JSON.stringify({
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/k',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      credential_source: { file },
      service_account_impersonation_url:
        'https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/ipam@p1.example:generateAccessToken',
    });
    await expect(machineOf('a')).resolves.toBeDefined();
    expect(gcp.logins).toEqual([
      'identity',
      `as /v1/projects/-/serviceAccounts/${encodeURIComponent('ipam@p1.example')}:generateAccessToken`,
    ]);
  });
});
