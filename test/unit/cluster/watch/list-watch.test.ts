import { openServiceFeed } from '../../../../operator/cluster/watch/service-feed';
import type { ServiceChange } from '../../../../operator/ports/service-feed';
import type { FakeWatch } from '../../../support/fake-api-server';
import { feedService as service, startFeedWorld, type FeedWorld } from '../../../support/feed-world';
import { Heard } from '../../../support/heard-changes';

let world: FeedWorld['world'];
let feed: FeedWorld['feed'];
let heard: FeedWorld['heard'];
let up: FeedWorld['up'];
let stop: FeedWorld['stop'];

beforeEach(async () => {
  ({ world, feed, heard, up, stop } = await startFeedWorld());
});

afterEach(() => stop());

const ends = (): readonly (string | undefined)[] =>
  world.meter.of('watch_ends_total').map(({ labels }) => labels['reason']);

describe('the list', () => {
  test('asks for pages of 500 and is complete with the last of them', async () => {
    const first = await world.server.next();
    expect(first.query).toEqual({ limit: '500' });
    first.list([service('one', '10')], { resourceVersion: '100', continue: 'more' });
    const second = await world.server.next();
    expect(second.query).toEqual({ limit: '500', continue: 'more' });
    expect(feed.synced()).toBe(false);
    expect(feed.list()).toEqual([]);

    second.list([service('two', '11')]);
    await feed.whenSynced();

    expect(feed.synced()).toBe(true);
    expect(feed.get('a', 'two')).toEqual({ apiVersion: 'v1', kind: 'Service', ...service('two', '11') });
    expect(heard.names).toEqual(['+one', '+two']);
  });

  test('starts over in pages, then in one piece, when its continuation expires', async () => {
    for (let i = 0; i < 2; i += 1) {
      (await world.server.next()).list([service('old', '9')], { resourceVersion: '90', continue: 'more' });
      (await world.server.next()).status(410, 'Expired');
    }
    const whole = await world.server.next();
    expect(whole.query).toEqual({});
    whole.list([service('one', '10')]);
    await feed.whenSynced();

    expect(heard.names).toEqual(['+one']);
  });

  test('comes again with growing pauses when it fails, and is no sync', async () => {
    (await world.server.next()).status(403, 'Forbidden');
    await world.clock.pass(250);
    (await world.server.next()).status(403, 'Forbidden');
    await world.clock.pass(500);
    expect(feed.synced()).toBe(false);
    await up();

    expect(feed.synced()).toBe(true);
    expect(world.logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(2);
  });
});

describe('the watch', () => {
  test('asks for bookmarks and an end', async () => {
    (await world.server.next()).list([]);

    expect((await world.server.next()).query).toEqual({
      watch: '1',
      allowWatchBookmarks: 'true',
      resourceVersion: '100',
      timeoutSeconds: '300',
    });
  });

  test('tells what is added, modified and deleted, with the state before', async () => {
    const watch = await up();
    watch.send('ADDED', service('two', '101'));
    watch.send('MODIFIED', service('one', '102'));
    watch.send('DELETED', service('two', '103'));
    await heard.count(4);

    expect(heard.names).toEqual(['+one', '+two', '~one', '-two']);
    expect(heard.changes[2]).toMatchObject({ before: service('one', '10'), after: service('one', '102') });
    expect(feed.list()).toEqual([service('one', '102')]);
  });

  test('goes on from the last version after a clean close, within a second', async () => {
    const watch = await up();
    watch.send('MODIFIED', service('one', '102'));
    await heard.count(2);
    watch.end();

    expect((await world.server.next()).query).toMatchObject({ resourceVersion: '102' });
    expect(feed.problem()).toBeUndefined();
  });

  test('comes back after a jitter below one second, so that clients do not come all at once', async () => {
    const { client, clock, logger } = world;
    const other = openServiceFeed(client, { clock, logger, random: () => 0.5 });
    const calls = [await world.server.next(), await world.server.next()];
    for (const call of calls) call.list([]);
    const watches = [await world.server.next(), await world.server.next()];
    const late = watches.find(({ query }) => query['timeoutSeconds'] === '450');
    late?.watch().end();
    await clock.pass(500);

    expect((await world.server.next()).query).toMatchObject({ timeoutSeconds: '450' });
    await other.close();
  });

  test('goes on from the version of a bookmark, which is no change', async () => {
    const watch = await up();
    watch.bookmark('150').end();

    expect((await world.server.next()).query).toMatchObject({ resourceVersion: '150' });
    expect(heard.names).toEqual(['+one']);
  });

  test.each([
    [
      'as an answer',
      async () => {
        const watch = await up();
        watch.end();
        (await world.server.next()).status(410, 'Expired');
      },
    ],
    [
      'as an event',
      async () => {
        const watch = await up();
        watch.send('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' });
      },
    ],
  ])('lists again after 410 %s, and finds what vanished, came and changed meanwhile', async (_form, expire) => {
    await expire();
    const list = await world.server.next();
    expect(list.query).toEqual({ limit: '500' });
    list.list([service('two', '200')], { resourceVersion: '201' });
    await heard.count(3);

    expect(heard.names).toEqual(['+one', '-one', '+two']);
    expect((await world.server.next()).query).toMatchObject({ resourceVersion: '201' });
    expect(world.logger.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  test('lists with pauses when every watch is answered 410', async () => {
    (await world.server.next()).list([]);
    (await world.server.next()).status(410, 'Expired');
    (await world.server.next()).list([]);
    (await world.server.next()).status(410, 'Expired');
    await world.clock.pass(250);

    expect((await world.server.next()).query).toEqual({ limit: '500' });
  });

  test.each<readonly [string, (watch: FakeWatch) => void]>([
    [
      'a reset in the middle of the body',
      (watch) => {
        watch.raw('{"type"').reset();
      },
    ],
    [
      'a half-open connection',
      () => {
        world.clock.advance(120_000);
      },
    ],
    ['a line that is no JSON', (watch) => watch.raw('<html>\n')],
  ])('comes back from the same version after %s', async (_case, fail) => {
    const watch = await up();
    watch.bookmark('150').send('ADDED', service('two', '151'));
    await heard.count(2);
    fail(watch);
    await world.clock.pass(250);

    expect((await world.server.next()).query).toMatchObject({ resourceVersion: '151' });
    expect(ends()).toEqual(['broken']);
  });

  test.each([500, 403, 429, 503])(
    'comes back after the refusal %i, and doubts its version after the second',
    async (status) => {
      const watch = await up();
      watch.end();
      (await world.server.next()).status(status, 'Reason');
      await world.clock.pass(250);
      const again = await world.server.next();
      expect(again.query).toMatchObject({ resourceVersion: '100' });
      again.status(status, 'Reason');
      await world.clock.pass(500);

      expect((await world.server.next()).query).toEqual({ limit: '500' });
      expect(ends()).toEqual(['closed', 'refused', 'refused']);
    },
  );

  test('waits as Retry-After says', async () => {
    const watch = await up();
    watch.end();
    (await world.server.next()).status(429, 'TooManyRequests', { 'retry-after': '9' });
    await world.clock.pass(9000);

    expect((await world.server.next()).query).toMatchObject({ watch: '1' });
  });

  test('logs and counts another ERROR event, then comes back', async () => {
    const watch = await up();
    watch.send('ERROR', { kind: 'Status', code: 500, message: 'unable to decode' });
    await world.clock.pass(250);

    expect((await world.server.next()).query).toMatchObject({ resourceVersion: '100' });
    expect(ends()).toEqual(['error-event']);
    expect(world.logger.lines[0]?.fields['why']).toBe('the watch ended with error 500: unable to decode');
  });
});

describe('an object made anew under its name', () => {
  test('comes as two changes from the watch', async () => {
    const watch = await up();
    watch.send('MODIFIED', service('one', '101', 'uid-new'));
    await heard.count(3);

    expect(heard.names).toEqual(['+one', '-one', '+one']);
    expect(heard.changes.map(({ key }) => key.uid)).toEqual(['uid-one', 'uid-one', 'uid-new']);
  });

  test('comes as two changes from a list', async () => {
    const watch = await up();
    watch.send('ERROR', { code: 410 });
    (await world.server.next()).list([service('one', '200', 'uid-new')]);
    await heard.count(3);

    expect(heard.names).toEqual(['+one', '-one', '+one']);
  });

  test('is not taken away by the late deletion of its namesake', async () => {
    const watch = await up();
    watch.send('DELETED', service('one', '101', 'uid-older')).send('ADDED', service('two', '102'));
    await heard.count(2);

    expect(heard.names).toEqual(['+one', '+two']);
    expect(feed.get('a', 'one')).toBeDefined();
  });
});

describe('listeners', () => {
  test.each<readonly [string, (change: ServiceChange) => unknown]>([
    [
      'throws',
      () => {
        throw new Error('secret-of-a-listener');
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret-of-a-listener'))],
  ])('lose nothing when another one %s, in the list and in the watch', async (_how, fail) => {
    const off = feed.onChange(fail);
    const later = new Heard(feed);
    const watch = await up();
    watch.send('ADDED', service('two', '101')).send('ADDED', service('three', '102'));
    await later.count(3);
    off();

    expect(later.names).toEqual(['+one', '+two', '+three']);
    expect(world.meter.of('watch_listener_failures_total')).toHaveLength(3);
    expect(world.logger.text).not.toContain('secret-of-a-listener');
  });

  test('that come late are told what is known, at once', async () => {
    await up();

    expect(new Heard(feed).names).toEqual(['+one']);
  });

  test('that left are told nothing', async () => {
    const gone = new Heard(feed);
    gone.leave();
    await up();

    expect(gone.names).toEqual([]);
  });

  test('are not told a version twice', async () => {
    const watch = await up([service('one', '100')]);
    watch.send('MODIFIED', service('one', '100')).send('ADDED', service('two', '102'));
    await heard.count(2);

    expect(heard.names).toEqual(['+one', '+two']);
  });
});

describe('problem', () => {
  test('is told a minute after the start without a list, with the reason', async () => {
    (await world.server.next()).status(403, 'Forbidden');
    await world.logger.heard('watch failed');
    world.clock.advance(60_000);
    expect(feed.problem()).toBeUndefined();
    world.clock.advance(1);

    expect(feed.problem()).toBe(
      'services have not been watched since 2026-01-01T00:00:00.000Z: the API server answered 403 Forbidden: said Forbidden',
    );
  });

  test('is told a minute after the watch broke, and is over with the next one', async () => {
    const watch = await up();
    watch.send('MODIFIED', service('one', '101'));
    await heard.count(2);
    world.clock.advance(100_000);
    expect(feed.problem()).toBeUndefined();
    watch.reset();
    for (const pause of [250, 500, 1000, 2000, 4000]) {
      await world.clock.pass(pause);
      const call = await world.server.next();
      world.clock.advance(9000);
      call.reset();
    }
    expect(feed.problem()).toBeUndefined();
    await world.clock.pass(8000);
    expect(feed.problem()).toMatch(
      /^services have not been watched since 2026-01-01T00:01:40.000Z: .*connection failed \(ECONNRESET\)$/,
    );
    (await world.server.next()).watch().send('MODIFIED', service('one', '102'));
    await heard.count(3);

    expect(feed.problem()).toBeUndefined();
  });
});

describe('close', () => {
  test('is final: no reconnect, no late event, no timer', async () => {
    const watch = await up();
    const { seen } = world.server;
    watch.send('ADDED', service('two', '101'));
    await feed.close();
    await watch.left;
    world.clock.advance(600_000);

    expect(world.server.seen).toBe(seen);
    expect(world.clock.waiting).toBe(0);
    expect(feed.problem()).toBe('the watch of services was stopped');
  });

  test('during the first list opens no watch, and rejects who waits', async () => {
    const waiting = feed.whenSynced();
    const list = await world.server.next();
    const closed = feed.close();
    list.list([service('one', '10')]);
    await closed;

    await expect(waiting).rejects.toMatchObject({ code: 'cluster/unavailable' });
    expect(world.server.seen).toBe(1);
    expect(heard.names).toEqual([]);
  });

  test('during a pause ends the pause', async () => {
    (await world.server.next()).status(500, 'InternalError');
    world.clock.advance(50);
    await feed.close();

    expect(world.clock.waiting).toBe(0);
  });
});
