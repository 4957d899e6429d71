import { addressOf } from '../../../operator/addressing/address';
import { shownByClaims } from '../../../operator/assembly/claims-in-use';
import { recordNetwork } from '../../../operator/contract/kinds/record-network';
import { NETWORK_ANNOTATIONS } from '../../../operator/contract/nephio';
import { followShown } from '../../../operator/ledger/occupied/follow-shown';
import { ShownIndex } from '../../../operator/ledger/occupied/shown-index';
import { ListedObjects } from '../../support/listed-objects';

const OWN = recordNetwork({ namespace: 'a', name: 'vpc-1' });
const HOLDER = { apiVersion: 'ipam.nephio.org/v1alpha1', kind: 'IPAllocation', namespace: 'a', name: 'web' };

class World {
  readonly addressClaims = new ListedObjects();
  readonly instances = new ListedObjects();
  readonly changed: string[] = [];
  readonly index = new ShownIndex((block) => {
    this.changed.push(block.toString());
  });
  readonly shown = shownByClaims(this);
  readonly stop = followShown([this.shown], this.index);

  instance(network?: string, name = 'vpc-1'): void {
    const annotations = network === undefined ? {} : { [NETWORK_ANNOTATIONS.network]: network };
    this.instances.put({ metadata: { namespace: 'a', name, uid: `u-${name}`, annotations } });
  }

  claim(address: string, spec: Readonly<Record<string, unknown>> = {}): void {
    const name = `c-${address}`;
    const entry = { role: 'allocation', kind: 'network' };
    this.addressClaims.put({
      metadata: { name, uid: `u-${name}` },
      spec: { network: OWN, address, door: 'networks', holder: HOLDER, entry, ...spec },
    });
  }

  at(address: string): readonly string[] {
    return this.index.at(addressOf(address)).map(({ source, network = '' }) => `${source} in ${network}`);
  }
}

describe('what AddressClaims have', () => {
  test('is in use in the network that the NetworkInstance names, under the name of the holder', () => {
    const world = new World();
    world.instance('default');
    world.claim('10.0.0.1');
    expect(world.at('10.0.0.1')).toEqual(['IPAllocation/a/web in default']);
    world.addressClaims.remove('', 'c-10.0.0.1');
    expect(world.at('10.0.0.1')).toEqual([]);
    expect(world.changed).toEqual(['10.0.0.1/32', '10.0.0.1/32']);
  });

  test('is in use nowhere else where the NetworkInstance names no network, and follows each change of that', () => {
    const world = new World();
    world.instance();
    world.claim('10.0.0.1');
    world.claim('10.0.0.2', { network: 'a.other' });
    expect([world.at('10.0.0.1'), world.changed]).toEqual([[], []]);
    world.instance('default');
    expect([world.at('10.0.0.1'), world.at('10.0.0.2')]).toEqual([['IPAllocation/a/web in default'], []]);
    world.instance('edge');
    expect(world.at('10.0.0.1')).toEqual(['IPAllocation/a/web in edge']);
    world.instance();
    expect(world.at('10.0.0.1')).toEqual([]);
    world.stop();
    world.instance('default');
    expect(world.at('10.0.0.1')).toEqual([]);
  });

  test('counts for each reader from its first change on', () => {
    const world = new World();
    world.instance('default');
    world.claim('10.0.0.1');
    const later = new ShownIndex(() => undefined);
    followShown([world.shown], later);
    expect(later.addresses().map(String)).toEqual(['10.0.0.1']);
  });

  test('is no address in use where it only declares space', () => {
    const world = new World();
    world.instance('default');
    for (const role of ['prefix', 'subnet']) world.claim('10.0.0.0/24', { entry: { role, kind: 'network' } });
    expect([world.index.blocks(), world.at('10.0.0.1')]).toEqual([[], []]);
    world.claim('10.0.0.9', { entry: { role: 'host', kind: 'network' } });
    expect(world.at('10.0.0.9')).toHaveLength(1);
    // a loopback prefix of one address is one that a router has
    world.claim('10.0.0.10', { entry: { role: 'prefix', kind: 'loopback' } });
    expect(world.at('10.0.0.10')).toHaveLength(1);
  });

  test('is every address of a prefix', () => {
    const world = new World();
    world.instance('default');
    world.claim('10.0.0.0/28');
    world.claim('10.0.0.0/30', { holder: { ...HOLDER, name: 'inner' } });
    expect(world.at('10.0.0.3')).toEqual(['IPAllocation/a/inner in default', 'IPAllocation/a/web in default']);
    expect([world.at('10.0.0.15'), world.at('10.0.0.16')]).toEqual([['IPAllocation/a/web in default'], []]);
    expect(world.index.addresses()).toEqual([]);
    expect(world.index.blocks().map(({ block, networks }) => [block.toString(), networks])).toEqual([
      ['10.0.0.0/28', ['default']],
      ['10.0.0.0/30', ['default']],
    ]);
    world.addressClaims.remove('', 'c-10.0.0.0/28');
    world.addressClaims.remove('', 'c-10.0.0.0/30');
    expect([world.at('10.0.0.3'), world.index.blocks()]).toEqual([[], []]);
  });

  test('is in the network that a claim of another door names, and a claim by hand blocks its whole space', () => {
    const world = new World();
    world.claim('10.0.0.1', { network: 'default', door: 'egress', entry: undefined, holder: undefined });
    expect(world.at('10.0.0.1')).toEqual(['AddressClaim/c-10.0.0.1 in default']);
    world.instance('edge');
    world.claim('10.0.1.0/24', { entry: undefined });
    expect(world.at('10.0.1.7')).toEqual(['IPAllocation/a/web in edge']);
    world.claim('10.0.2.1', { door: 'networks', network: 'default', entry: undefined });
    expect(world.at('10.0.2.1')).toEqual([]);
  });

  test('EG-22 is left out for the door that made it, and needs no NetworkInstances where no door serves them', () => {
    const world = new World();
    world.claim('10.0.0.1', { network: 'default', door: 'egress', entry: undefined });
    const claims = [...world.addressClaims.list()];
    const { addressClaims } = world;
    const read = (own?: 'egress') => {
      const feed = shownByClaims({ addressClaims }, own);
      return claims.flatMap((claim) => feed.shownBy(claim)).map(({ source }) => source);
    };
    expect([read(), read('egress')]).toEqual([['IPAllocation/a/web'], []]);
    expect(shownByClaims({ addressClaims }).feed.synced()).toBe(true);
  });
});
