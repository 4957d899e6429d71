import { ControllerWorld } from '../../../../support/controller-world';
import { ZONES } from '../../../../support/door-world';
import { service } from '../../../../support/review-builder';

test('other space of the zones wakes all Services that wait, and no other one', async () => {
  const world = new ControllerWorld({
    zones: { ...ZONES, zones: [{ name: 'hnet-private', prefixes: ['10.0.0.0/31'] }] },
  });
  for (const name of ['s1', 's2', 's3', 's4']) {
    world.force(service({}, {}, { name }));
    await world.compare();
  }
  expect(await world.bound()).toEqual(['s1=10.0.0.0', 's2=10.0.0.1']);
  const woken: string[] = [];
  world.controller.onWake(({ name }) => woken.push(name));
  world.controller.spaceChanged();
  expect(woken).toEqual(['s3', 's4']);
});
