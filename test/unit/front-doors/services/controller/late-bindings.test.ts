import { IpamError } from '../../../../../operator/errors/ipam-error';
import { bindLateOnes } from '../../../../../operator/front-doors/services/controller/late-bindings';
import { ControllerWorld } from '../../../../support/controller-world';
import { service } from '../../../../support/review-builder';
import { settled } from '../../../../support/settled';
import { wrapped } from '../../../../support/wrapped-book';

const ZONE = 'ipam.vitistack.io/zone';

/** Two processes over one record and one API server: what leads, and what does not. */
class Two {
  readonly leader: ControllerWorld;
  readonly stop: () => Promise<void>;
  leading = false;

  constructor(leader = new ControllerWorld(), follower = leader.secondController()) {
    this.leader = leader;
    const { clock, logger, meter } = leader.door;
    this.stop = bindLateOnes({
      feed: leader.services,
      controller: follower,
      clock,
      logger,
      meter,
      leading: () => this.leading,
      random: () => 0,
    });
  }

  create(name: string): ReturnType<ControllerWorld['create']> {
    return this.leader.create(service({ [ZONE]: 'inet' }, {}, { name }));
  }

  async pass(ms: number): Promise<void> {
    this.leader.door.clock.advance(ms);
    for (let i = 0; i < 5; i += 1) await settled();
  }

  /** Calls of the record meanwhile. */
  async callsOf(action: () => Promise<unknown>): Promise<readonly string[]> {
    const { calls } = this.leader.door;
    const before = calls.length;
    await action();
    return calls.slice(before);
  }

  get counted(): unknown {
    return this.leader.door.meter.of('late_bindings_total').map(({ labels, value }) => [labels, value]);
  }
}

describe('bindLateOnes', () => {
  test('CONC-02 binds what nobody bound a second after it was stored, and writes nothing but the record', async () => {
    const two = new Two();
    const writes = await two.leader.writesOf(async () => {
      await two.create('web');
      await two.pass(999);
      expect(await two.leader.bound()).toEqual([]);
      await two.pass(1);
    });
    expect(await two.leader.bound()).toEqual(['web=192.0.2.0']);
    expect(writes).toEqual([]);
    expect(two.counted).toEqual([[{ by: 'other' }, 1]]);
    await two.stop();
  });

  test('asks the record for nothing where the leader said in time that the address is bound, also after a move', async () => {
    const two = new Two();
    await two.leader.compare();
    await two.create('web');
    await two.leader.settle();
    await two.leader.pass(500);
    expect(two.leader.condition('web')).toMatchObject({ status: 'True' });
    await two.leader.update('web', ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, 'ipam.vitistack.io/addresses': '192.0.2.9' };
    });
    await two.leader.settle();
    await two.leader.pass(500);
    expect(await two.callsOf(() => two.pass(10_000))).toEqual([]);
    expect(two.counted).toEqual([]);
    await two.stop();
  });

  test('FU-14 asks the record once for all that the leader bound and has told nothing of yet', async () => {
    const two = new Two();
    two.leader.announces = false;
    await two.leader.compare();
    for (let i = 0; i < 20; i += 1) await two.create(`web-${String(i)}`);
    await two.leader.settle();
    expect(two.leader.condition('web-0')).toBeUndefined();
    expect(await two.callsOf(() => two.pass(1_000))).toEqual(['unbound']);
    expect(await two.callsOf(() => two.pass(10_000))).toEqual([]);
    expect(two.counted).toEqual([]);
    await two.stop();
  });

  test('FU-14 looks up those alone that nobody bound', async () => {
    const two = new Two();
    two.leader.announces = false;
    await two.leader.compare();
    await two.create('bound');
    await two.leader.settle();
    await two.create('unbound');
    const calls = await two.callsOf(() => two.pass(1_000));
    expect(calls.filter((verb) => verb !== 'unbound')).toEqual(['holdings', 'bind']);
    expect(await two.leader.bound()).toEqual(['bound=192.0.2.0', 'unbound=192.0.2.1']);
    await two.stop();
  });

  test('CONC-02 lets a namespace go on beyond its limit of reservations while nobody leads', async () => {
    const two = new Two(new ControllerWorld({ maxReservedInNamespace: 4 }));
    for (let i = 0; i < 12; i += 1) {
      const { stored } = await two.create(`web-${String(i)}`);
      expect(stored).toBeDefined();
      await two.pass(400);
    }
    for (let i = 0; i < 3; i += 1) await two.pass(400);
    expect(await two.leader.bound()).toHaveLength(12);
    await two.stop();
  });

  test('binds a Service without a name by the id of its reservation', async () => {
    const two = new Two();
    const { stored } = await two.leader.create(service({ [ZONE]: 'inet' }, {}, { name: '', generateName: 'web-' }));
    await two.pass(1_000);
    expect(await two.leader.bound()).toEqual([`${stored?.metadata.name ?? ''}=192.0.2.0`]);
    await two.stop();
  });

  test('binds the new address of a move, and leaves the old one to the leader', async () => {
    const two = new Two();
    await two.create('web');
    await two.pass(1_000);
    await two.leader.update('web', ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, 'ipam.vitistack.io/addresses': '192.0.2.9' };
    });
    await two.pass(1_000);
    expect(await two.leader.bound()).toEqual(['web=192.0.2.0', 'web=192.0.2.9']);
    await two.stop();
  });

  test('takes an address from no Service that was made anew under the name', async () => {
    const two = new Two();
    await two.create('web');
    two.leader.services.follows = false;
    two.leader.services.remove('web');
    await two.create('web');
    const { uid } = two.leader.services.object('web').metadata;
    const world = two.leader.secondController();
    two.leader.services.catchUp();
    await world.bindLate({ namespace: 'a', name: 'web', uid: uid ?? '' });
    const bound = await two.leader.owners();
    await two.pass(5_000);
    expect(bound).toEqual([uid]);
    expect(await two.leader.owners()).toEqual(bound);
    await two.stop();
  });

  test('WH-11 keeps nothing bound to a Service whose end the leader saw before the binding', async () => {
    let beforeBind = (): void => undefined;
    const two = new Two(
      new ControllerWorld({
        wrapBook: wrapped((book) => ({
          bind: (request) => {
            beforeBind();
            return book.bind(request);
          },
        })),
      }),
    );
    await two.create('web');
    beforeBind = () => {
      two.leader.services.follows = false;
      two.leader.services.remove('web');
    };
    await two.pass(1_000);
    expect(await two.leader.bound()).toEqual(['web=192.0.2.0']);
    two.leader.services.catchUp();
    await two.pass(1_000);
    expect(await two.leader.bound()).toEqual([]);
    await two.stop();
  });

  test.each(['cluster', 'store'] as const)(
    'WH-11 releases what is bound to a deleted Service again and again while the %s is away, within bounds',
    async (away) => {
      const failure = new IpamError('store/unavailable', 'away');
      let beforeBind = (): void => undefined;
      let releases = 0;
      let isAway = true;
      const failing = <V>(run: () => Promise<V>): Promise<V> => {
        releases += 1;
        return isAway ? Promise.reject(failure) : run();
      };
      const leader = new ControllerWorld({
        wrapBook: wrapped((book) => ({
          bind: (request) => {
            beforeBind();
            return book.bind(request);
          },
          ...(away === 'store' ? { releaseByUid: (request) => failing(() => book.releaseByUid(request)) } : {}),
        })),
      });
      const over = leader.services.clusterOver.bind(leader.services);
      leader.services.clusterOver = (memory) => {
        const cluster = over(memory);
        const service: typeof cluster.service = (...of) => failing(() => cluster.service(...of));
        return away === 'cluster' ? { ...cluster, service } : cluster;
      };
      const two = new Two(leader);
      await two.create('web');
      beforeBind = () => {
        two.leader.services.follows = false;
        two.leader.services.remove('web');
      };
      await two.pass(1_000);
      two.leader.services.catchUp();
      for (let i = 0; i < 30; i += 1) await two.pass(5_000);
      expect(await two.leader.bound()).toEqual(['web=192.0.2.0']);
      expect(releases).toBeGreaterThan(3);
      isAway = false;
      for (let i = 0; i < 12; i += 1) await two.pass(5_000);
      expect(await two.leader.bound()).toEqual([]);
      const tried = releases;
      for (let i = 0; i < 12; i += 1) await two.pass(5_000);
      expect(releases).toBe(tried);
      await two.stop();
    },
  );

  test('WH-11 releases what is bound while the deletion is heard, also where the first release fails', async () => {
    let beforeBind = (): void => undefined;
    let releases = 0;
    const two = new Two(
      new ControllerWorld({
        wrapBook: wrapped((book) => ({
          bind: (request) => {
            beforeBind();
            return book.bind(request);
          },
          releaseByUid: (request) => {
            releases += 1;
            const failure = new IpamError('store/unavailable', 'away');
            return releases === 1 ? Promise.reject(failure) : book.releaseByUid(request);
          },
        })),
      }),
    );
    await two.create('web');
    beforeBind = () => {
      two.leader.services.follows = false;
      two.leader.services.remove('web');
      two.leader.services.catchUp();
    };
    await two.pass(1_000);
    expect(await two.leader.bound()).toEqual(['web=192.0.2.0']);
    for (let i = 0; i < 3; i += 1) await two.pass(5_000);
    expect(await two.leader.bound()).toEqual([]);
    expect(releases).toBe(2);
    await two.stop();
  });

  test('leaves out who waits, who is dying, other classes and what is gone', async () => {
    const two = new Two();
    two.leader.force(service({ [ZONE]: 'nowhere', 'metallb.io/address-pool': 'ipam-waiting' }, {}, { name: 'waits' }));
    two.leader.force(
      service(
        { 'metallb.io/address-pool': 'inet', 'metallb.io/loadBalancerIPs': '192.0.2.7' },
        { loadBalancerClass: 'other/class' },
        { name: 'foreign' },
      ),
    );
    await two.create('dying');
    two.leader.services.change('dying', ({ metadata }) => {
      metadata['deletionTimestamp'] = '2026-01-01T00:00:00Z';
    });
    await two.create('gone');
    two.leader.services.remove('gone');
    expect(await two.callsOf(() => two.pass(5_000))).toEqual([]);
    expect(await two.leader.bound()).toEqual([]);
    await two.stop();
  });

  test('tries again until the store is back, and says so once a minute', async () => {
    let away = true;
    const two = new Two(
      new ControllerWorld({
        wrapBook: wrapped((book) => ({
          bind: (request) => (away ? Promise.reject(new IpamError('store/unavailable', 'away')) : book.bind(request)),
        })),
      }),
    );
    await two.create('one');
    await two.create('two');
    await two.pass(30_000);
    const { lines } = two.leader.door.logger;
    expect(lines.filter(({ message }) => message.includes('cannot be bound or released now'))).toHaveLength(1);
    away = false;
    await two.pass(2_000);
    expect(await two.leader.bound()).toEqual(['one=192.0.2.0', 'two=192.0.2.1']);
    await two.stop();
  });

  test('helps a leader that does not keep up, and counts that apart', async () => {
    const two = new Two();
    two.leading = true;
    await two.create('web');
    await two.pass(1_000);
    expect(two.counted).toEqual([[{ by: 'leader' }, 1]]);
    await two.stop();
  });

  test('ends with its timers', async () => {
    const two = new Two();
    await two.create('web');
    await two.stop();
    await two.pass(5_000);
    expect(await two.leader.bound()).toEqual([]);
  });
});
