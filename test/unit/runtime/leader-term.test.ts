import type { ObjectChange, ObjectFeed } from '../../../operator/ports/object-feed';
import { leaderTerm } from '../../../operator/runtime/leader-term';
import { ManualClock } from '../../support/manual-clock';
import { RecordedLogger, RecordedMeter } from '../../support/recorded-telemetry';
import { settled } from '../../support/settled';

/** A feed of one kind that the test plays. */
class PlayedFeed implements Pick<ObjectFeed, 'whenSynced' | 'onChange'> {
  sync: () => void = () => undefined;
  readonly listeners = new Set<(change: ObjectChange) => void>();
  readonly #synced = new Promise<void>((resolve) => (this.sync = resolve));

  whenSynced(): Promise<void> {
    return this.#synced;
  }

  onChange(listener: (change: ObjectChange) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  change(name: string): void {
    for (const listener of this.listeners) listener({ key: { namespace: '', name, uid: name } });
  }
}

function world() {
  const [networks, claims] = [new PlayedFeed(), new PlayedFeed()];
  const worked: string[] = [];
  let ended = 0;
  const work = leaderTerm<string>({
    name: 'networks',
    feeds: [
      { feed: networks, keysOf: ({ key }) => [key.name] },
      { feed: claims, keysOf: ({ key }) => [`${key.name}/a`, `${key.name}/b`] },
    ],
    textOf: (key) => key,
    workers: 1,
    resyncSeconds: 600,
    reconcile: (key) => {
      worked.push(key);
      return Promise.resolve({});
    },
    compare: () => Promise.resolve(['routine']),
    onCompareFailed: () => undefined,
    onEnded: () => (ended += 1),
    clock: new ManualClock(),
    logger: new RecordedLogger(),
    meter: new RecordedMeter(),
  });
  return { networks, claims, worked, work, ended: () => ended };
}

describe('leaderTerm', () => {
  test('compares only once every feed is complete, then works on the changes of each', async () => {
    const { networks, claims, worked, work } = world();
    work.begin();
    networks.sync();
    networks.change('early');
    await settled();
    expect(worked).toEqual([]);
    claims.sync();
    await settled();
    claims.change('one');
    await settled();

    expect(worked).toEqual(['early', 'routine', 'one/a', 'one/b']);
    await work.end();
  });

  test('leaves every feed at its end, and tells so after the last work', async () => {
    const { networks, claims, work, ended } = world();
    work.begin();
    await work.end();

    expect([networks.listeners.size, claims.listeners.size, ended()]).toEqual([0, 0, 1]);
  });
});

/** A feed over a server that may be replaced by an older one. */
class RenewableFeed extends PlayedFeed {
  readonly lists: string[] = [];
  reset: () => void = () => undefined;
  next: Promise<void> = Promise.resolve();

  override whenSynced(): Promise<void> {
    return this.next;
  }

  onReset(listener: () => void): () => void {
    this.reset = listener;
    return () => undefined;
  }

  relist(): Promise<void> {
    this.lists.push('list');
    return Promise.resolve();
  }
}

describe('FU-07 leaderTerm', () => {
  function renewable(compare: () => Promise<readonly string[]>) {
    const feed = new RenewableFeed();
    const clock = new ManualClock();
    const worked: string[] = [];
    const work = leaderTerm<string>({
      name: 'services',
      feeds: [{ feed, keysOf: ({ key }) => [key.name] }],
      textOf: (key) => key,
      workers: 1,
      resyncSeconds: 600,
      reconcile: (key) => {
        worked.push(key);
        return Promise.resolve({});
      },
      compare: () => {
        feed.lists.push('compare');
        return compare();
      },
      onCompareFailed: () => undefined,
      random: () => 0.5,
      clock,
      logger: new RecordedLogger(),
      meter: new RecordedMeter(),
    });
    return { feed, clock, worked, work };
  }

  test('compares with a new list each time but the first, after a pause that is up to a fifth shorter', async () => {
    const { feed, clock, work } = renewable(() => Promise.resolve([]));
    work.begin();
    await settled();
    clock.advance(539_999);
    await settled();
    expect(feed.lists).toEqual(['compare']);
    clock.advance(1);
    await settled();
    expect(feed.lists).toEqual(['compare', 'list', 'compare']);
    await work.end();
  });

  test('compares anew after a reset, and works on nothing before', async () => {
    const { feed, worked, work } = renewable(() => Promise.resolve(['routine']));
    work.begin();
    await settled();
    let sync = (): void => undefined;
    feed.next = new Promise((resolve) => (sync = resolve));
    feed.reset();
    feed.change('back');
    await settled();
    expect(worked).toEqual(['routine']);
    sync();
    await settled();
    expect(worked).toEqual(['routine', 'back', 'routine']);
    expect(feed.lists).toEqual(['compare', 'compare']);
    await work.end();
  });

  test('takes nothing from a comparison that a reset overtook', async () => {
    const answers: ((keys: readonly string[]) => void)[] = [];
    const { feed, worked, work } = renewable(() => new Promise((resolve) => answers.push(resolve)));
    work.begin();
    await settled();
    feed.reset();
    answers[0]?.(['stale']);
    await settled();
    answers[1]?.(['fresh']);
    await settled();
    expect(worked).toEqual(['fresh']);
    await work.end();
  });
});
