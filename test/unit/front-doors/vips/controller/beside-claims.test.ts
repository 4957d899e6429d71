import type { JsonMap } from '../../../../../operator/contract/loose-json';
import { VIP_KEYS } from '../../../../../operator/contract/paas';
import type { VipKey } from '../../../../../operator/front-doors/vips/controller/door-parts';
import { addressClaim } from '../../../../support/gathering-world';
import { VipsDoorWorld } from '../../../../support/vips-door-world';

const keyOf = (key: VipKey | undefined): VipKey => {
  if (key === undefined) throw new RangeError('there is no such Service');
  return key;
};

describe('an IPGroup over space that another door gave before', () => {
  let world: VipsDoorWorld;
  const woken: VipKey[] = [];
  beforeEach(() => {
    world = new VipsDoorWorld();
    woken.length = 0;
    world.namespace('test');
  });
  afterEach(() => world.close());

  // what is stored before the start is known at once
  const open = async (segment: string, ...services: readonly (readonly [name: string, wish?: string])[]) => {
    world.group('g', { segment });
    const keys = services.map(([name, wish]) =>
      world.service(name, { annotations: wish === undefined ? {} : { [VIP_KEYS.addresses]: wish } }),
    );
    await world.open();
    await world.controller.compare();
    world.atEnd(world.controller.onWake((key) => woken.push(key)));
    for (const key of keys) await world.controller.reconcile(key);
    return keys;
  };
  const release = (claim: JsonMap): void => {
    world.addressClaims.remove('', (claim['metadata'] as { readonly name: string }).name);
  };

  test('does not give it, refuses a wish for it by the name of the holder, and gives it once it is free', async () => {
    const claim = addressClaim('192.0.2.0');
    world.addressClaims.put(claim);
    const [wish, , waiting] = await open('192.0.2.0/31', ['wish', '192.0.2.0'], ['first'], ['second']);
    expect(String(world.condition('wish')?.['message'])).toContain('Namespace/a');
    expect(world.ip('192.0.2.1')).toMatchObject({ holders: [{ name: 'first' }] });
    expect(world.condition('second')).toMatchObject({ status: 'False' });
    release(claim);
    expect(woken).toEqual(expect.arrayContaining([wish, waiting]));
    await world.controller.reconcile(keyOf(wish));
    expect(world.ip('192.0.2.0')).toMatchObject({ holders: [{ name: 'wish' }] });
  });

  test('gives nothing of a prefix that another door gave, and all of it once that is free', async () => {
    const claim = addressClaim('192.0.2.0/25');
    world.addressClaims.put(claim);
    const [, wish] = await open('192.0.2.0/24', ['any'], ['wish', '192.0.2.7']);
    expect(world.ip('192.0.2.128')).toMatchObject({ holders: [{ name: 'any' }] });
    expect(String(world.condition('wish')?.['message'])).toContain('Namespace/a');
    release(claim);
    expect(woken).toContainEqual(wish);
    await world.controller.reconcile(keyOf(wish));
    expect(world.ip('192.0.2.7')).toMatchObject({ holders: [{ name: 'wish' }] });
  });

  test('gives what is claimed in another network', async () => {
    for (const address of ['192.0.2.0', '192.0.2.0/25']) world.addressClaims.put(addressClaim(address, 'edge'));
    await open('192.0.2.0/24', ['any'], ['wish', '192.0.2.7']);
    expect(world.ip('192.0.2.0')).toMatchObject({ holders: [{ name: 'any' }] });
    expect(world.ip('192.0.2.7')).toMatchObject({ holders: [{ name: 'wish' }] });
  });
});
