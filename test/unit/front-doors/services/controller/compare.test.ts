import { addressOf } from '../../../../../operator/addressing/address';
import type { OwnedAddress } from '../../../../../operator/ports/address-book';
import { ControllerWorld } from '../../../../support/controller-world';
import { service } from '../../../../support/review-builder';
import { wrapped } from '../../../../support/wrapped-book';

/** Counts turns of the event loop, in each of which an admission could be answered. */
function countTurns(): () => number {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOver = true;
    return turns;
  };
}

/** A world with stored Services that have nothing to do, each of which the record and the controller know. */
function worldWith(count: number): ControllerWorld {
  const uids = Array.from({ length: count }, (_, i) => `uid-${String(i)}`);
  const owners = uids.map((uid, i): OwnedAddress => {
    const address = addressOf(`10.0.${String(i >> 8)}.${String(i & 255)}`);
    return {
      network: 'default',
      zone: 'inet',
      address,
      state: 'contested',
      serviceUid: uid,
      namespace: 'a',
      name: uid,
    };
  });
  const world = new ControllerWorld({ wrapBook: wrapped(() => ({ owners: () => Promise.resolve(owners) })) });
  for (const uid of uids) world.services.put(service({}, { type: 'ClusterIP' }, { name: uid, uid }));
  return world;
}

describe('comparison of everything', () => {
  test('FU-07 lets admissions go first again and again, however many Services there are', async () => {
    const turnsWith = async (count: number): Promise<number> => {
      const world = worldWith(count);
      await world.controller.compare();
      const turns = countTurns();
      await world.controller.compare();
      return turns();
    };
    const few = await turnsWith(500);
    const many = await turnsWith(1_500);
    // three lists are gone through, and every five hundred entries of each let others go first
    expect(many - few).toBeGreaterThanOrEqual(6);
  });
});
