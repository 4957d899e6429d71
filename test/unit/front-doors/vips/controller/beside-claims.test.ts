import type { JsonMap } from '../../../../../operator/contract/loose-json';
import { VIP_KEYS } from '../../../../../operator/contract/paas';
import type { VipKey } from '../../../../../operator/front-doors/vips/controller/door-parts';
import { addressClaim } from '../../../../support/gathering-world';
import { VipsDoorWorld } from '../../../../support/vips-door-world';

describe('an IPGroup over space that another door gave before', () => {
  let world: VipsDoorWorld;
  const woken: VipKey[] = [];
  beforeEach(() => {
    world = new VipsDoorWorld();
    woken.length = 0;
    world.namespace('test');
  });
  afterEach(() => world.close());

  const open = async (segment: string): Promise<void> => {
    world.group('g', { segment });
    await world.open();
    await world.controller.compare();
    world.atEnd(world.controller.onWake((key) => woken.push(key)));
  };
  const serve = async (name: string, annotations: Readonly<Record<string, string>> = {}): Promise<VipKey> => {
    const key = world.service(name, { annotations });
    await world.controller.reconcile(key);
    return key;
  };
  const release = (claim: JsonMap): void => {
    world.addressClaims.remove('', (claim['metadata'] as { readonly name: string }).name);
  };

  test('does not give it, refuses a wish for it by the name of the holder, and gives it once it is free', async () => {
    const claim = addressClaim('192.0.2.0');
    world.addressClaims.put(claim);
    await open('192.0.2.0/31');
    const wish = await serve('wish', { [VIP_KEYS.addresses]: '192.0.2.0' });
    expect(String(world.condition('wish')?.['message'])).toContain('Namespace/a');
    await serve('first');
    expect(world.ip('192.0.2.1')).toMatchObject({ holders: [{ name: 'first' }] });
    const waiting = await serve('second');
    expect(world.condition('second')).toMatchObject({ status: 'False' });
    release(claim);
    expect(woken).toContainEqual(wish);
    await world.controller.reconcile(wish);
    expect(world.ip('192.0.2.0')).toMatchObject({ holders: [{ name: 'wish' }] });
    await world.controller.reconcile(waiting);
    expect(world.condition('second')).toMatchObject({ status: 'False' });
  });

  test('wakes one that takes any address', async () => {
    const claim = addressClaim('192.0.2.0');
    world.addressClaims.put(claim);
    await open('192.0.2.0/32');
    const waiting = await serve('any');
    expect(world.condition('any')).toMatchObject({ status: 'False' });
    release(claim);
    expect(woken).toContainEqual(waiting);
    await world.controller.reconcile(waiting);
    expect(world.ip('192.0.2.0')).toMatchObject({ holders: [{ name: 'any' }] });
  });

  test('gives nothing of a prefix that another door gave, and all of it once that is free', async () => {
    const claim = addressClaim('192.0.2.0/25');
    world.addressClaims.put(claim);
    await open('192.0.2.0/24');
    await serve('any');
    expect(world.ip('192.0.2.128')).toMatchObject({ holders: [{ name: 'any' }] });
    const wish = await serve('wish', { [VIP_KEYS.addresses]: '192.0.2.7' });
    expect(String(world.condition('wish')?.['message'])).toContain('Namespace/a');
    release(claim);
    expect(woken).toContainEqual(wish);
    await world.controller.reconcile(wish);
    expect(world.ip('192.0.2.7')).toMatchObject({ holders: [{ name: 'wish' }] });
  });

  test('gives what is claimed in another network', async () => {
    for (const address of ['192.0.2.0', '192.0.2.0/25']) world.addressClaims.put(addressClaim(address, 'edge'));
    await open('192.0.2.0/24');
    await serve('any');
    await serve('wish', { [VIP_KEYS.addresses]: '192.0.2.7' });
    expect(world.ip('192.0.2.0')).toMatchObject({ holders: [{ name: 'any' }] });
    expect(world.ip('192.0.2.7')).toMatchObject({ holders: [{ name: 'wish' }] });
  });
});
