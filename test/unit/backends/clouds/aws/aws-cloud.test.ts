import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressOf } from '../../../../../operator/addressing/address';
import { prefixOf } from '../../../../../operator/addressing/prefix';
import { AwsCloud } from '../../../../../operator/backends/clouds/aws/aws-cloud';
import { CloudSecret } from '../../../../../operator/backends/clouds/shared/cloud-secret';
import type { CloudMachine } from '../../../../../operator/ports/cloud';
import { EC2_FAULTS, FakeEc2 } from '../../../../support/clouds/fake-ec2';
import { ManualClock } from '../../../../support/manual-clock';
import { onlyMachine } from '../../../../support/clouds/only-machine';
import { RecordedMeter } from '../../../../support/recorded-telemetry';

const STATIC = { aws_access_key_id: 'AKIDEXAMPLE', aws_secret_access_key: 'a-secret-key' };

let ec2: FakeEc2;
let clock: ManualClock;
let meter: RecordedMeter;
let values: Record<string, string> | undefined;
let aws: AwsCloud;

beforeEach(async () => {
  ec2 = await new FakeEc2().listen();
  clock = new ManualClock();
  meter = new RecordedMeter();
  values = { ...STATIC };
  const read = () => Promise.resolve(values);
  const secret = new CloudSecret({ clock, name: 'Secret ipam-system/cloud', read });
  aws = new AwsCloud({ clock, meter, region: 'eu-west-1', secret, endpoint: ec2.url });
  ec2.subnets.push(
    { id: 'subnet-a', cidr: '10.0.0.0/24', cidr6: 'fd00::/64' },
    { id: 'subnet-b', cidr: '10.0.1.0/24' },
  );
});

afterEach(async () => {
  aws.close();
  await ec2.close();
});

const nodeOf = (id: string) => ({ name: `node-${id}`, providerId: `aws:///eu-west-1a/${id}` });
const texts = (machine: CloudMachine | undefined) => machine?.secondary.map(({ address }) => address.toString());

const machineOf = (id: string): Promise<CloudMachine> => onlyMachine(aws, nodeOf(id));

const want = (text: string) => ({ address: addressOf(text), loadBalancer: 'auto' as const });

describe('AwsCloud', () => {
  test('reads the interface with device index 0, wherever it stands in the list', async () => {
    ec2.addInstance('i-0a', { subnet: 'subnet-a', addresses: ['10.0.0.10', '10.0.0.11'] });
    ec2.interfaces.push({
      id: 'eni-second',
      subnetId: 'subnet-b',
      instanceId: 'i-0a',
      deviceIndex: 1,
      addresses: ['10.0.1.10', '10.0.1.11'],
      addresses6: [],
    });
    const machine = await machineOf('i-0a');
    expect(machine).toMatchObject({ interfaceId: 'eni-i-0a', subnetId: 'subnet-a', most: { 4: 9, 6: 10 } });
    expect(machine.own.map(String)).toEqual(['10.0.0.10']);
    expect(texts(machine)).toEqual(['10.0.0.11']);
  });

  test('EG-case-35 leaves an instance out that ends, and one that is not known any more', async () => {
    ec2.addInstance('i-0a', { subnet: 'subnet-a', addresses: ['10.0.0.10'] });
    ec2.addInstance('i-0b', { subnet: 'subnet-a', addresses: ['10.0.0.20'] });
    ec2.terminate('i-0b');
    const machines = await aws.machines(['i-0a', 'i-0b', 'i-0c'].map(nodeOf));
    expect(machines.map(({ node }) => node)).toEqual(['node-i-0a']);
  });

  test('EG-case-34 reads every page of what has addresses in the subnets', async () => {
    ec2.addInstance('i-0a', { subnet: 'subnet-a', addresses: ['10.0.0.10'] });
    ec2.interfaces.push({
      id: 'eni-lb',
      subnetId: 'subnet-a',
      addresses: ['10.0.0.4'],
      addresses6: [],
      prefixes: ['10.0.0.32/28'],
    });
    ec2.interfaces.push({ id: 'eni-elsewhere', subnetId: 'subnet-b', addresses: ['10.0.1.4'], addresses6: [] });
    ec2.pageSize = 1;
    const { uses, subnets } = await aws.uses([await machineOf('i-0a')], [prefixOf('10.0.0.128/25')]);
    expect(uses.map(({ block, source }) => [block.toString(), source])).toEqual([
      ['10.0.0.10/32', 'network interface eni-i-0a of i-0a'],
      ['10.0.0.4/32', 'network interface eni-lb'],
      ['10.0.0.32/28', 'network interface eni-lb'],
    ]);
    expect(subnets.map(({ id }) => id)).toEqual(['subnet-a', 'subnet-b']);
  });

  test('knows the addresses that AWS keeps of a subnet, both families', async () => {
    ec2.addInstance('i-0a', { subnet: 'subnet-a', addresses: ['10.0.0.10'] });
    const { subnets } = await aws.uses([await machineOf('i-0a')], []);
    expect(subnets[0]?.reserved.map(String)).toEqual([
      ...['10.0.0.0', '10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.255'],
      ...['fd00::', 'fd00::1', 'fd00::2', 'fd00::3', 'fd00::ffff:ffff:ffff:ffff'],
    ]);
  });

  test('attaches and detaches addresses of both families, each family in one call', async () => {
    ec2.addInstance('i-0a', { subnet: 'subnet-a', addresses: ['10.0.0.10'] });
    const machine = await machineOf('i-0a');
    await expect(aws.attach(machine, ['10.0.0.20', '10.0.0.21', 'fd00::20'].map(want))).resolves.toBe('done');
    expect(texts(await machineOf('i-0a'))).toEqual(['10.0.0.20', '10.0.0.21', 'fd00::20']);
    await expect(aws.detach(machine, ['10.0.0.20', 'fd00::20'].map(addressOf))).resolves.toBe('done');
    expect(texts(await machineOf('i-0a'))).toEqual(['10.0.0.21']);
    expect(ec2.actions('writes')).toEqual([
      ...['AssignPrivateIpAddresses', 'AssignIpv6Addresses'],
      ...['UnassignPrivateIpAddresses', 'UnassignIpv6Addresses'],
    ]);
  });

  test('never takes an address from another interface', async () => {
    ec2.addInstance('i-0a', { subnet: 'subnet-a', addresses: ['10.0.0.10'] });
    ec2.addInstance('i-0b', { subnet: 'subnet-a', addresses: ['10.0.0.11', '10.0.0.20'] });
    await expect(aws.attach(await machineOf('i-0a'), [want('10.0.0.20')])).rejects.toMatchObject({
      code: 'cloud/in-use',
    });
    expect(texts(await machineOf('i-0b'))).toEqual(['10.0.0.20']);
  });

  test('tells the code of EC2 for an interface that is full', async () => {
    ec2.limits.set('small', 1);
    ec2.addInstance('i-0a', { subnet: 'subnet-a', addresses: ['10.0.0.10'], type: 'small' });
    const machine = await machineOf('i-0a');
    expect(machine.most[4]).toBe(0);
    await expect(aws.attach(machine, [want('10.0.0.20')])).rejects.toMatchObject({
      code: 'cloud/refused',
      message: expect.stringContaining('PrivateIpAddressLimitExceeded') as string,
    });
  });

  test('tells that the machine is gone where its interface does not exist', async () => {
    ec2.addInstance('i-0a', { subnet: 'subnet-a', addresses: ['10.0.0.10', '10.0.0.20'] });
    const machine = await machineOf('i-0a');
    ec2.terminate('i-0a');
    await expect(aws.detach(machine, [addressOf('10.0.0.20')])).resolves.toBe('gone');
    await expect(aws.attach(machine, [want('10.0.0.21')])).resolves.toBe('gone');
  });

  test('leaves EC2 alone for a time after it refused for too many calls', async () => {
    ec2.addInstance('i-0a', { subnet: 'subnet-a', addresses: ['10.0.0.10'] });
    ec2.faults = [EC2_FAULTS.throttled('DescribeInstances')];
    await expect(machineOf('i-0a')).rejects.toMatchObject({ code: 'cloud/throttled' });
    const calls = ec2.calls.length;
    await expect(machineOf('i-0a')).rejects.toMatchObject({ code: 'cloud/throttled' });
    expect(ec2.calls).toHaveLength(calls);
    ec2.faults = [];
    clock.advance(1_000);
    await expect(machineOf('i-0a')).resolves.toBeDefined();
    const counted = meter.of('egressip_cloud_requests_total').map(({ labels }) => labels);
    expect(counted).toContainEqual({ op: 'machines', result: 'throttled' });
  });

  test('names a right that is missing', async () => {
    ec2.faults = [EC2_FAULTS.unauthorized('DescribeInstances')];
    await expect(machineOf('i-0a')).rejects.toMatchObject({
      code: 'cloud/refused',
      message: expect.stringContaining('UnauthorizedOperation') as string,
    });
  });

  test('tells a connection that breaks', async () => {
    ec2.faults = [() => 'reset'];
    await expect(machineOf('i-0a')).rejects.toMatchObject({ code: 'cloud/unavailable' });
  });

  test('EG-case-41 names the key that the Secret lacks, and nothing of what it has', async () => {
    values = { aws_access_key_id: 'AKIDEXAMPLE', other: 'hidden' };
    await expect(machineOf('i-0a')).rejects.toMatchObject({
      code: 'cloud/login',
      message: 'Secret ipam-system/cloud has no key "aws_secret_access_key"',
    });
    values = undefined;
    clock.advance(30_000);
    await expect(machineOf('i-0a')).rejects.toMatchObject({
      code: 'cloud/login',
      message: 'there is no Secret ipam-system/cloud, which is to have the login of the cloud',
    });
  });

  test('reads rotated keys at once after a refusal, and says nothing of them', async () => {
    ec2.addInstance('i-0a', { subnet: 'subnet-a', addresses: ['10.0.0.10'] });
    await machineOf('i-0a');
    ec2.keys.set('AKIDEXAMPLE', 'a-new-key');
    const refused = await machineOf('i-0a').catch((thrown: unknown) => thrown as Error);
    expect(refused).toMatchObject({ code: 'cloud/login', message: 'machines: EC2 refuses (SignatureDoesNotMatch)' });
    values = { ...STATIC, aws_secret_access_key: 'a-new-key' };
    await expect(machineOf('i-0a')).resolves.toBeDefined();
  });

  test('logs in by web identity with the token of the ServiceAccount, once for many calls', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'token-')), 'token');
    await writeFile(file, 'a-token\n');
    const role = 'arn:aws:iam::1:role/ipam';
    ec2.identities.set('a-token', role);
    values = { credentials: `[default]\nrole_arn = ${role}\nweb_identity_token_file = ${file}\n` };
    ec2.addInstance('i-0a', { subnet: 'subnet-a', addresses: ['10.0.0.10'] });
    await Promise.all([machineOf('i-0a'), machineOf('i-0a')]);
    expect(ec2.logins).toBe(1);
    expect(ec2.calls.at(-1)?.headers['x-amz-security-token']).toBe('session-1');
  });

  test('says nothing of a token that STS does not take', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'token-')), 'token');
    await writeFile(file, 'a-token');
    values = { role_arn: 'arn:aws:iam::1:role/ipam', web_identity_token_file: file };
    await expect(machineOf('i-0a')).rejects.toMatchObject({
      code: 'cloud/login',
      message: 'login: STS does not give the role arn:aws:iam::1:role/ipam (InvalidIdentityToken)',
    });
  });
});
