import { addressClaim, GatheringWorld } from '../../../support/gathering-world';

let world: GatheringWorld;
afterEach(() => world.end());

describe('what claims of other doors have', () => {
  const release = (claim: ReturnType<typeof addressClaim>): void => {
    world.addressClaims.remove('', (claim['metadata'] as { readonly name: string }).name);
  };

  test('is on record in its network alone, whether a zone has it by now or not, and ends with the claim', async () => {
    world = new GatheringWorld([
      { name: 'z', prefixes: ['10.0.0.0/24'] },
      { name: 'lab', network: 'lab', prefixes: ['10.0.0.0/24'] },
    ]);
    const claim = addressClaim('10.0.0.1');
    for (const each of [claim, addressClaim('10.9.9.9'), addressClaim('10.0.0.2', 'edge')])
      world.addressClaims.put(each);
    world.start();
    await world.pass();
    const uses = async () =>
      (await world.uses.list({ by: 'cluster', cluster: 'c1' })).map(
        ({ network, address, source }) => `${network} ${address.toString()} ${source}`,
      );
    expect(await uses()).toEqual(['default 10.0.0.1 Namespace/a', 'default 10.9.9.9 Namespace/a']);
    release(claim);
    await world.pass();
    expect(await uses()).toEqual(['default 10.9.9.9 Namespace/a']);
  });

  test('is on record address by address where a prefix lies in a zone, also in one that comes later', async () => {
    world = new GatheringWorld([{ name: 'z', prefixes: ['10.0.0.0/30'] }]);
    const claim = addressClaim('10.0.0.0/16');
    world.addressClaims.put(claim);
    world.start();
    await world.pass();
    const addresses = async () => (await world.recorded()).map((each) => each.split(' ')[0]);
    expect(await addresses()).toEqual(['10.0.0.0', '10.0.0.1', '10.0.0.2', '10.0.0.3']);
    world.zones.become([{ name: 'z', prefixes: ['10.0.7.0/31'] }]);
    await world.pass();
    expect(await addresses()).toEqual(['10.0.7.0', '10.0.7.1']);
    release(claim);
    await world.pass();
    expect(await addresses()).toEqual([]);
  });

  test('costs no row for each address where that were more than 4096', async () => {
    world = new GatheringWorld([{ name: 'z', prefixes: ['10.0.0.0/16', 'fd00::/64'] }]);
    for (const address of ['10.0.0.0/19', 'fd00::/64', '10.0.240.0/20']) world.addressClaims.put(addressClaim(address));
    world.start();
    await world.pass();
    const recorded = await world.recorded();
    expect(recorded).toHaveLength(4096);
    expect(recorded.every((each) => /^10[.]0[.]2[45]/u.test(each))).toBe(true);
  });
});
