import { IpamError } from '../../operator/errors/ipam-error';
import { DoorWorld } from '../support/door-world';
import { service } from '../support/review-builder';
import { settled, wrapped } from '../support/wrapped-book';

const ZONE = 'ipam.vitistack.io/zone';
const ADDRESSES = 'ipam.vitistack.io/addresses';
const LB_IPS = 'metallb.io/loadBalancerIPs';
const POOL = 'metallb.io/address-pool';

const away = wrapped(() => ({
  reserve: () => Promise.reject(new IpamError('store/unavailable', 'the store cannot be reached: connection refused')),
  holdings: () => Promise.reject(new IpamError('store/unavailable', 'the store cannot be reached: connection refused')),
}));

const never = (): Promise<never> => new Promise(() => undefined);

// Only once the work has come to the call that hangs.
async function endDeadline({ clock }: DoorWorld): Promise<void> {
  await clock.armed(8_000);
  await settled();
  clock.advance(8_000);
}

describe('while no address can be given', () => {
  test('WH-01 deny refuses and names the cause', async () => {
    const { denied } = await new DoorWorld({ wrapBook: away }).create(service());

    expect(denied).toMatchObject({ code: 503, reason: 'StoreUnavailable' });
    expect(denied?.message).toContain('connection refused');
  });

  test('WH-01 admit parks a new Service beside a pool that does not exist, without addresses', async () => {
    const world = new DoorWorld({ wrapBook: away, settings: { whenUnavailable: 'admit' } });
    const { stored } = await world.create(service({ [ADDRESSES]: '10.0.0.9', [POOL]: 'inet', [ZONE]: 'inet' }));
    const plain = await world.create(service({}, {}, { name: 'plain' }));

    expect(stored?.metadata.annotations).toEqual({ [ADDRESSES]: '10.0.0.9', [ZONE]: 'inet', [POOL]: 'ipam-waiting' });
    expect(plain.stored?.metadata.annotations).toEqual({ [ZONE]: 'hnet-private', [POOL]: 'ipam-waiting' });
  });

  test('WH-01 admit still refuses a wish that is wrong', async () => {
    const world = new DoorWorld({ wrapBook: away, settings: { whenUnavailable: 'admit' } });

    expect((await world.create(service({ [ADDRESSES]: '10.0.0' }))).denied?.code).toBe(400);
  });

  test('WH-01 a parked Service is served by its next change', async () => {
    let down = true;
    const world = new DoorWorld({
      settings: { whenUnavailable: 'admit' },
      wrapBook: wrapped((book) => ({
        reserve: (request) =>
          down ? Promise.reject(new IpamError('store/unavailable', 'the store is away')) : book.reserve(request),
      })),
    });
    await world.create(service());
    down = false;
    const { stored } = await world.update('web', ({ metadata }) => (metadata['labels'] = { x: 'y' }));

    expect(stored?.metadata.annotations).toMatchObject({ [POOL]: 'hnet-private', [LB_IPS]: '10.0.0.0' });
  });

  test('admit keeps the working address of a stored Service and puts its keys back', async () => {
    let down = false;
    const fail = (): Promise<never> => Promise.reject(new IpamError('store/unavailable', 'the store is away'));
    const world = new DoorWorld({
      settings: { whenUnavailable: 'admit' },
      wrapBook: wrapped((book) => ({
        reserve: (request) => (down ? fail() : book.reserve(request)),
        holdings: (claimant) => (down ? fail() : book.holdings(claimant)),
        check: (request) => (down ? fail() : book.check(request)),
      })),
    });
    await world.create(service());
    const before = world.stored('web').metadata.annotations;
    down = true;
    const stripped = await world.put('web', { team: 'x' });
    const wish = await world.put('web', { ...before, [ADDRESSES]: '10.0.0.77' });
    const direct = await world.put('web', { ...before, [LB_IPS]: '10.0.0.77' });

    expect(stripped.stored?.metadata.annotations).toEqual({ ...before, team: 'x' });
    expect(wish.stored?.metadata.annotations).toMatchObject({ [ADDRESSES]: '10.0.0.77', [LB_IPS]: '10.0.0.0' });
    expect(direct.denied?.message).toContain('would cost the Service the address that it has');
  });

  test('pool exhausted is refused or admitted by the same setting', async () => {
    const zones = {
      version: 1 as const,
      services: { defaultZone: 'z' },
      zones: [{ name: 'z', prefixes: ['10.0.0.0/32'] }],
    };
    const denying = new DoorWorld({ zones });
    const admitting = new DoorWorld({ zones, settings: { whenUnavailable: 'admit' } });
    await Promise.all([denying.create(service()), admitting.create(service())]);
    const second = service({}, {}, { name: 'b' });

    expect((await denying.create(second)).denied?.reason).toBe('PoolExhausted');
    expect((await admitting.create(second)).stored?.metadata.annotations).toMatchObject({ [POOL]: 'ipam-waiting' });
  });

  test.each(['deny', 'admit'] as const)(
    'WH-08 a slow store is answered by %s at 8 s, and three tries end with one record',
    async (policy) => {
      const gates: (() => void)[] = [];
      const world = new DoorWorld({
        settings: { whenUnavailable: policy },
        wrapBook: wrapped((book) => ({
          reserve: async (request) => {
            await new Promise<void>((resolve) => gates.push(resolve));
            return book.reserve(request);
          },
        })),
      });
      for (let i = 0; i < 3; i += 1) {
        const asked = world.mutate({ object: service() });
        await settled();
        world.clock.advance(8_000);
        const { response } = await asked;
        expect(response.allowed).toBe(policy === 'admit');
        expect(response.status?.reason).toBe(policy === 'admit' ? undefined : 'Deadline');
      }
      gates.forEach((open) => {
        open();
      });
      await settled();
      expect(await world.held()).toBe(1);

      const last = world.create(service());
      await settled();
      gates.at(-1)?.();
      expect((await last).stored?.metadata.annotations?.[LB_IPS]).toBe('10.0.0.0');
      expect(await world.held()).toBe(1);
    },
  );

  test.each<[string, string, (world: DoorWorld) => void]>([
    ['namespace', 'the API server', ({ cluster }) => (cluster.namespace = never)],
    ['families of the cluster', 'the API server', ({ cluster }) => (cluster.families = never)],
    ['Secret of the claim', 'the API server', ({ cluster }) => (cluster.secret = never)],
    ['reservation', 'the store of addresses', ({ book }) => (book.reserve = never)],
  ])('FU-36 a deadline that the %s ran into names %s', async (_call, who, hang) => {
    const world = new DoorWorld();
    hang(world);
    const asked = world.mutate({ object: service() });
    await endDeadline(world);

    expect((await asked).response.status).toMatchObject({
      code: 503,
      message: expect.stringContaining(`${who} gave no answer within 8 s`) as string,
    });
  });

  test('FU-36 a deadline that the holdings of a stored Service ran into names the store of addresses', async () => {
    const world = new DoorWorld();
    await world.create(service());
    world.book.holdings = never;
    const object = service({ [ADDRESSES]: '10.0.0.9' });
    const asked = world.mutate({ operation: 'UPDATE', object, oldObject: world.stored('web') });
    await endDeadline(world);

    expect((await asked).response.status?.message).toContain('the store of addresses gave no answer within 8 s');
  });

  test.each<[string, string, (world: DoorWorld) => void]>([
    ['namespace', 'the API server', ({ cluster }) => (cluster.namespace = never)],
    ['record', 'the store of addresses', ({ book }) => (book.check = never)],
  ])('FU-36 a deadline of the final check that the %s ran into names %s', async (_call, who, hang) => {
    const world = new DoorWorld();
    await world.create(service());
    world.clock.advance(2_000);
    hang(world);
    const asked = world.validate({ object: world.stored('web') });
    await endDeadline(world);

    expect((await asked).response.status?.message).toContain(`${who} gave no answer within 8 s`);
  });

  test('WH-08 a late refusal of the second family gives nothing back that a retry may have', async () => {
    let open = (): void => undefined;
    const world = new DoorWorld({
      families: [4, 6],
      wrapBook: wrapped((book) => ({
        reserveBoth: undefined,
        reserve: async (request) => {
          if (request.family === 6) return book.reserve(request);
          await new Promise<void>((resolve) => (open = resolve));
          return { ok: false, refusal: { code: 'address/held', message: 'too late' } };
        },
      })),
    });
    const asked = world.mutate({ object: service({ [ZONE]: 'inet', 'ipam.vitistack.io/ip-family': 'dual' }) });
    await settled();
    world.clock.advance(8_000);
    await asked;
    open();
    await settled();

    expect(world.calls).not.toContain('undo');
    expect(await world.held()).toBe(1);
  });

  test('a namespace that cannot be read yet is a matter of time', async () => {
    const world = new DoorWorld({ settings: { whenUnavailable: 'admit' } });
    world.cluster.namespace = () => Promise.resolve(undefined);
    const { stored } = await world.create(service());

    expect(stored?.metadata.annotations).toMatchObject({ [POOL]: 'ipam-waiting' });
  });

  test('undo that fails does not hide the refusal', async () => {
    const zones = { version: 1 as const, zones: [{ name: 'inet', prefixes: ['192.0.2.0/24', '2001:db8::/64'] }] };
    const world = new DoorWorld({
      families: [4, 6],
      zones,
      wrapBook: wrapped((book) => ({
        reserveBoth: undefined,
        reserve: (request) =>
          request.family === 6
            ? book.reserve(request)
            : Promise.resolve({ ok: false, refusal: { code: 'pool/exhausted', message: 'used up' } }),
        undo: () => Promise.reject(new IpamError('store/unavailable', 'away')),
      })),
    });
    const { denied } = await world.create(service({ [ZONE]: 'inet', 'ipam.vitistack.io/ip-family': 'dual' }));

    expect(denied?.message).toBe('metadata.annotations[ipam.vitistack.io/zone]: used up');
  });
});
