import { EGRESS_LOAD_BALANCER } from '../../../../../operator/contract/egress';
import { AzureWorld } from '../../../../support/clouds/cloud-world';
import { egressSpec } from '../../../../support/egress-kind-samples';

const CIDR = { CIDR: '10.1.0.32/28', labelValue: 'a', subnet: '10.1.0.0/24' };

let world: AzureWorld;

beforeEach(async () => {
  world = await AzureWorld.begin();
});

afterEach(async () => {
  await world.close();
});

const choosing = (value: string) => ({ annotations: { [EGRESS_LOAD_BALANCER.key]: value } });
const poolsOfLast = (name: string): unknown =>
  (world.azure.nics.get(`${name}-nic`)?.configs.at(-1)?.['properties'] as Record<string, unknown> | undefined)?.[
    'loadBalancerBackendAddressPools'
  ];

describe('an EgressIPAM on Azure', () => {
  test('EG-case-40 writes an interface once, and nothing in later looks', async () => {
    world.machine('n1', '10.1.0.10');
    world.namespace('a', 'bm');
    world.bm(CIDR);
    await world.open();
    await world.sends('a', '10.1.0.32@n1');
    expect(world.azure.has('n1')).toEqual(['10.1.0.10', '10.1.0.32']);
    const looks = (): number => world.azure.calls.filter(({ url }) => url.pathname.endsWith('/vnet')).length;
    const before = looks();
    world.clock.advance(60_000);
    await world.until('the cloud was looked at again', () => looks() > before);
    expect(world.azure.writes).toBe(1);
  });

  test('EG-case-39 brings addresses to other pools after an edit of the annotation', async () => {
    world.azure.pools.set('Plain', false);
    world.machine('n1', '10.1.0.10', ['Plain']);
    world.namespace('a', 'bm');
    world.ipam('bm', egressSpec(CIDR), choosing('none'));
    await world.open();
    await world.sends('a', '10.1.0.32@n1');
    expect(poolsOfLast('n1')).toBeUndefined();
    world.ipam('bm', egressSpec(CIDR), choosing('same-as-primary-ip'));
    await world.until('the pool is joined', () => Array.isArray(poolsOfLast('n1')));
    world.ipam('bm', egressSpec(CIDR), choosing('none'));
    await world.until('the pool is left', () => poolsOfLast('n1') === undefined);
    expect(world.azure.has('n1')).toEqual(['10.1.0.10', '10.1.0.32']);
  });

  test('keeps a released address in quarantine for the time in which Azure shows it', async () => {
    world.machine('n1', '10.1.0.10');
    world.namespace('a', 'bm');
    world.bm(CIDR);
    await world.open();
    await world.sends('a', '10.1.0.32@n1');
    world.removeNamespace('a');
    await world.until('it is in quarantine', () => world.record().includes('10.1.0.32=a?'));
    expect(world.azure.has('n1')).toEqual(['10.1.0.10']);
  });
});
