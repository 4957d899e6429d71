import type { JsonMap } from '../../../../operator/contract/loose-json';
import { feedService as service, startFeedWorld, type FeedWorld } from '../../../support/feed-world';

let world: FeedWorld['world'];
let feed: FeedWorld['feed'];
let heard: FeedWorld['heard'];
let up: FeedWorld['up'];
let stop: FeedWorld['stop'];

beforeEach(async () => {
  ({ world, feed, heard, up, stop } = await startFeedWorld());
});

afterEach(() => stop());

describe('FU-07 a server that is older than what was seen of it', () => {
  let resets: number;

  beforeEach(() => {
    resets = 0;
    feed.onReset(() => {
      resets += 1;
    });
  });

  /** Answers the whole list of a server that was restored. */
  async function relisted(items: readonly JsonMap[]): Promise<void> {
    const call = await world.server.next();
    expect(call.query).toEqual({ limit: '500' });
    expect(feed.synced()).toBe(false);
    call.list(items, { resourceVersion: '50' });
    await feed.whenSynced();
    expect((await world.server.next()).query).toMatchObject({ watch: '1', resourceVersion: '50' });
  }

  test('is listed anew after a lost connection, before any watch goes on', async () => {
    const watch = await up([service('one', '10'), service('later', '90')]);
    world.server.newest = '60';
    watch.end();
    await relisted([service('one', '10'), service('back', '40')]);

    expect(resets).toBe(1);
    expect(heard.names).toEqual(['+one', '+later', '-later', '+back']);
  });

  test('is listed anew when a watch tells a version that went back', async () => {
    const watch = await up();
    watch.send('MODIFIED', service('one', '102')).send('ADDED', service('back', '60'));
    await relisted([service('one', '10'), service('back', '60')]);

    expect(resets).toBe(1);
    expect(heard.names).toEqual(['+one', '~one', '~one', '+back']);
  });

  test('is not taken for current while no watch is open', async () => {
    const watch = await up();
    expect(await feed.isCurrent()).toBe(true);
    world.server.newest = '60';
    const reset = new Promise<void>((resolve) => {
      feed.onReset(resolve);
    });
    watch.end();
    await reset;
    expect(await feed.isCurrent()).toBe(false);
    await relisted([service('one', '10')]);
  });

  test('is noticed by the list after a watch that expired', async () => {
    const watch = await up();
    watch.send('ERROR', { kind: 'Status', code: 410, message: 'too old' });
    const call = await world.server.next();
    expect(await feed.isCurrent()).toBe(true);
    call.list([service('back', '40')], { resourceVersion: '50' });
    expect((await world.server.next()).query).toMatchObject({ watch: '1', resourceVersion: '50' });

    expect(resets).toBe(1);
    expect(heard.names).toEqual(['+one', '-one', '+back']);
  });

  test('is noticed by a list beside the watch, which never tells it', async () => {
    await up();
    const relist = feed.relist();
    (await world.server.next()).list([], { resourceVersion: '50' });
    await relisted([service('back', '40')]);
    await relist;

    expect(resets).toBe(1);
    expect(heard.names).toEqual(['+one', '-one', '+back']);
  });
});

describe('FU-07 a list beside the watch', () => {
  test('tells what the watch did not, and takes nothing back that it told since', async () => {
    const watch = await up([service('one', '10'), service('lost', '20'), service('gone', '30')]);
    const relist = feed.relist();
    const call = await world.server.next();
    watch
      .send('MODIFIED', service('one', '130'))
      .send('DELETED', service('gone', '131'))
      .send('ADDED', service('new', '132'));
    await heard.count(6);
    call.list([service('one', '10'), service('gone', '30'), service('missed', '110')], { resourceVersion: '120' });
    await relist;

    expect(heard.names.slice(6)).toEqual(['-lost', '+missed']);
    expect(feed.get('a', 'one')).toEqual(service('one', '130'));
    expect(feed.get('a', 'gone')).toBeUndefined();
    expect(feed.version()).toBe('132');
  });

  test('fails as a value of its caller when the server refuses it, and the watch goes on', async () => {
    const watch = await up();
    const relist = feed.relist();
    (await world.server.next()).status(403, 'Forbidden');
    await expect(relist).rejects.toMatchObject({ code: 'cluster/unavailable' });
    watch.send('MODIFIED', service('one', '102'));
    await heard.count(2);
    expect(heard.names).toEqual(['+one', '~one']);
  });
});
