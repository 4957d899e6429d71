import { VITISTACK_FAULTS, type Fault } from '../../../../support/fake-vitistack-api';
import { ask, claimant, CUSTOM, granted, refusal } from '../../../../support/ledger-world';
import { inet, RemoteWorld, type RemoteProcess } from '../../../../support/remote-world';

const NARROW = { inet: ['83.118.168.0/24'], 'hnet-private': ['172.16.0.0/12'] };
const IN = { zone: 'inet', secret: CUSTOM };

let world: RemoteWorld;
let operator: RemoteProcess;
beforeEach(async () => {
  world = new RemoteWorld(NARROW);
  await world.api.start(20);
  operator = world.process({ budgetMs: 1_500 });
});
afterEach(() => world.dispose());

describe('an address that the original does not have in its zone', () => {
  test('FU-40 is refused, leaves no row, and counts as no outage, however often it is wished', async () => {
    for (let last = 1; last <= 6; last++) {
      const outside = ask('a/web', { zone: 'inet', at: `83.118.170.${last}` });
      expect(refusal(await operator.book.reserve(outside)).code).toBe('address/outside-zone');
    }
    expect(world.phases()).toEqual([]);
    expect(granted(await operator.book.reserve(ask('a/other', { zone: 'inet' }))).address).toEqual(inet(0));
  });
});

describe('a zone that the original cannot serve', () => {
  test('FU-40 is an outage of this zone alone', async () => {
    world.api.fault = ({ body }) => (body.zone === 'inet' ? VITISTACK_FAULTS.containersUnread : undefined);
    const waiting = operator.book.reserve(ask('a/web', { zone: 'inet' }));
    await expect(waiting).rejects.toMatchObject({ code: 'store/unavailable' });
    expect(world.phases()).toEqual([]);
    granted(await operator.book.reserve(ask('a/other', { zone: 'hnet-private' })));
    world.api.fault = () => undefined;
    granted(await operator.book.reserve(ask('a/web', { zone: 'inet' })));
  });
});

describe('a rotation whose answer was lost', () => {
  const ROTATED = 'the-next-secret';

  // Loses the answer to the first rotation, and answers the calls after it with a fault until `ends` is called.
  const loseAnswer = (fault: Fault): { ends: () => void } => {
    let isLost = false;
    let isOver = false;
    world.api.fault = ({ body }) => {
      if (isLost) return isOver ? undefined : fault;
      isLost = body.new_secret !== undefined;
      return isLost ? { kind: 'reset', committed: true } : undefined;
    };
    return { ends: () => (isOver = true) };
  };
  const owned = async () => {
    const grant = granted(await operator.book.reserve(ask('a/web', IN)));
    const who = { ...claimant('a/web'), serviceUid: 'u1' };
    return { claimant: who, grant: granted(await operator.book.bind({ claimant: who, grant })) };
  };
  const rotate = (own: Awaited<ReturnType<typeof owned>>, value = ROTATED) =>
    operator.book
      .bind({ ...own, terms: { ...ask('a/web'), secret: { value, scope: 'shared' } } })
      .then(({ ok }) => ok)
      .catch(() => false);
  // one that is a failure, one that is a refusal, one that may have done its work
  const faults = (['zonesUnread', 'zoneUnlisted', 'registerFailed'] as const).map(
    (name) => [name, VITISTACK_FAULTS[name]] as const,
  );

  test.each(faults)(
    'FU-41 is in doubt while it hears of %s, and settled by what looks at the address',
    async (...[, fault]) => {
      const own = await owned();
      const outage = loseAnswer(fault);
      await rotate(own);
      outage.ends();
      await world.settled();
      const [row] = world.intents.rows.values();
      expect(world.api.store.records).toMatchObject([{ secret: ROTATED }]);
      expect(row?.body['secret']).toMatchObject({ value: ROTATED });
      granted(await operator.book.releaseByUid({ serviceUid: 'u1' }));
      await world.settled();
      expect([world.api.holders(), world.phases()]).toEqual([[], []]);
    },
  );

  test.each(faults)(
    'FU-41 is settled before its address goes back, whose Service went beside %s',
    async (...[, fault]) => {
      const own = await owned();
      const outage = loseAnswer(fault);
      await rotate(own);
      granted(await operator.book.releaseByUid({ serviceUid: 'u1' }));
      outage.ends();
      await world.settled();
      expect([world.api.holders(), world.phases()]).toEqual([[], []]);
    },
  );

  test('FU-41 is not forgotten for another rotation', async () => {
    const own = await owned();
    const outage = loseAnswer(VITISTACK_FAULTS.zonesUnread);
    await rotate(own);
    await rotate(own, 'the-third-secret');
    outage.ends();
    await world.settled();
    granted(await operator.book.releaseByUid({ serviceUid: 'u1' }));
    await world.settled();
    expect([world.api.holders(), world.phases()]).toEqual([[], []]);
  });
});
