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
