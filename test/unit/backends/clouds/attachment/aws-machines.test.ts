import { AwsWorld } from '../../../../support/clouds/cloud-world';
import { EC2_FAULTS } from '../../../../support/clouds/fake-ec2';
import { CIDR_A, CIDR_B } from '../../../../support/placement-world';

let world: AwsWorld;

beforeEach(async () => {
  world = await AwsWorld.begin();
});

afterEach(async () => {
  await world.close();
});

describe('an EgressIPAM on AWS', () => {
  test('EG-case-31 attaches one address of each zone in one call, and writes nothing in a second look', async () => {
    world.machine('n1');
    world.machine('n2', { subnet: 'b' });
    world.namespace('a', 'bm');
    world.bm(CIDR_A, CIDR_B);
    await world.open();
    await world.carried('10.0.0.4@n1', '10.1.0.4@n2');
    expect(world.attached()).toEqual(['10.0.0.4@i-01', '10.1.0.4@i-02']);
    await world.sends('a', '10.0.0.4@n1,10.1.0.4@n2');
    expect(world.ec2.actions('writes')).toEqual(['AssignPrivateIpAddresses', 'AssignPrivateIpAddresses']);
    const looks = (): number => world.ec2.actions().filter((action) => action === 'DescribeNetworkInterfaces').length;
    const before = looks();
    world.clock.advance(60_000);
    await world.until('the cloud was looked at again', () => looks() > before);
    expect(world.ec2.actions('writes')).toHaveLength(2);
  });

  test('EG-case-32 gives no address of a load balancer, and none that AWS keeps', async () => {
    world.ec2.interfaces.push({ id: 'eni-lb', subnetId: 'subnet-a', addresses: ['10.0.0.4'], addresses6: [] });
    world.machine('n1');
    world.namespace('a', 'bm');
    world.bm();
    await world.open();
    await world.carried('10.0.0.5@n1');
    expect(world.attached()).toEqual(['10.0.0.5@i-01']);
  });

  test('EG-case-33 gives nothing new while uses cannot be read, and moves addresses on', async () => {
    world.machine('n1');
    world.machine('n2');
    world.namespace('a', 'bm');
    world.bm();
    const end = await world.open();
    await world.attaches('10.0.0.4@i-01');
    await world.sends('a', '10.0.0.4@n1');
    await end();
    world.ec2.faults = [EC2_FAULTS.throttled('DescribeNetworkInterfaces')];
    world.namespace('b', 'bm');
    await world.open();
    await world.until('b waits', () => world.waiting('b').includes('too many calls'));
    expect(world.waiting('b')).toContain('UsesUnknown');
    world.machine('n1', { downForMs: 60_000 });
    world.clock.advance(400_000);
    await world.attaches('10.0.0.4@i-02');
    await world.sends('a', '10.0.0.4@n2');
    expect(world.list('b')).toBeUndefined();
  });

  test('EG-case-35 takes an instance that ended for detached, while its Node is there still', async () => {
    world.machine('n1');
    world.machine('n2');
    world.namespace('a', 'bm');
    world.bm();
    await world.open();
    await world.carried('10.0.0.4@n1');
    world.ec2.terminate('i-01');
    world.machine('n1', { downForMs: 1_000 });
    await world.attaches('10.0.0.4@i-02');
    await world.sends('a', '10.0.0.4@n2');
    expect(world.record()).toEqual(['10.0.0.4=a']);
  });

  test('EG-case-36 leaves an address unplaced while all interfaces are full, and uses a new node', async () => {
    world.ec2.limits.set('m5.large', 3);
    world.machine('n1');
    for (const name of ['a', 'b', 'c']) world.namespace(name, 'bm');
    world.bm();
    await world.open();
    await world.until('the nodes are full', () => world.condition('bm', 'CapacityExhausted')[0] === 'True');
    expect(world.attached()).toHaveLength(2);
    world.machine('n2');
    world.clock.advance(1_000);
    await world.until('all are attached', () => world.attached().length === 3);
    await world.until('there is room', () => world.condition('bm', 'CapacityExhausted')[0] === 'False');
  });

  test('EG-case-37 leaves an address of something else on the machine, and counts it', async () => {
    world.machine('n1');
    world.ec2.interfaces[0]?.addresses.push('10.0.0.4');
    world.namespace('a', 'bm');
    world.bm();
    await world.open();
    await world.carried('10.0.0.5@n1');
    world.removeNamespace('a');
    await world.attaches('10.0.0.4@i-01');
    expect(world.ec2.interfaces[0]?.addresses).toEqual(['10.0.0.14', '10.0.0.4']);
  });

  test('takes over what an older operator attached, and moves it to the node that the dataplane shows', async () => {
    world.machine('n1');
    world.ec2.interfaces[0]?.addresses.push('10.0.0.7');
    world.namespace('a', 'bm', '10.0.0.7');
    world.bm();
    await world.open();
    await world.sends('a', '10.0.0.7@n1');
    expect(world.ec2.actions('writes')).toEqual([]);
  });

  test('releases an address only after it was detached', async () => {
    world.machine('n1');
    world.namespace('a', 'bm');
    world.bm();
    await world.open();
    await world.carried('10.0.0.4@n1');
    world.ec2.faults = [EC2_FAULTS.throttled('UnassignPrivateIpAddresses')];
    world.removeNamespace('a');
    await world.until('the detach was tried', () => world.ec2.actions().includes('UnassignPrivateIpAddresses'));
    expect(world.record()).toContain('10.0.0.4=a');
    world.ec2.faults = [];
    world.clock.advance(400_000);
    await world.attaches();
    await world.until('the claim is gone', () => !world.record().includes('10.0.0.4=a'));
  });

  test('attaches nothing with spec.cloud none, and nothing where the platform attaches', async () => {
    world.isPlatformAttaching = true;
    world.machine('n1');
    world.namespace('a', 'bm');
    world.bm();
    await world.open();
    await world.sends('a', '10.0.0.4@n1');
    expect(world.ec2.actions('writes')).toEqual([]);
  });

  test('says that another cloud is asked for', async () => {
    world.machine('n1');
    world.ipam('bm', { cloud: 'azure', topologyLabel: 'egressGateway', cidrAssignments: [CIDR_A] });
    await world.open();
    await world.until('it is told', () => world.condition('bm', 'DataplaneAvailable')[1] === 'CloudAbsent');
    expect(world.attached()).toEqual([]);
  });

  test('EG-case-41 shows nothing of the Secret where a key is missing', async () => {
    world.secret = { aws_access_key_id: 'AKID-shown-nowhere' };
    world.machine('n1');
    world.namespace('a', 'bm');
    world.bm();
    await world.open();
    await world.until('a waits', () => world.waiting('a').includes('aws_secret_access_key'));
    expect(JSON.stringify([world.logger.text, world.storedIpam('bm'), world.events])).not.toContain(
      'AKID-shown-nowhere',
    );
  });
});
