import type { OwnStore } from '../../operator/ports/store';
import type { FreedEntry, FreedLog, FreedLogHost } from '../../operator/ports/freed-log';
import { valueOf } from '../../operator/errors/ipam-error';
import { binding, holderOf, NOW, releasing, taken } from '../support/claim-requests';
import { openPostgres, openSqlite } from '../support/open-stores';
import type { StoreUnderTest } from '../support/store-under-test';

const logOf = (store: OwnStore): FreedLog => (store as OwnStore & FreedLogHost).freedLog();
const textOf = ({ address, freeAtMs }: FreedEntry): string => `${address.toString()} at ${freeAtMs - NOW}`;

describe.each([
  ['sqlite', openSqlite],
  ['postgres', openPostgres],
])('the log of freed addresses of %s', (_name, open) => {
  let subject: StoreUnderTest;
  let store: OwnStore;
  beforeEach(async () => {
    subject = await open();
    ({ store } = subject);
  });
  afterEach(() => subject.dispose());

  const free = async (name: string, pauseMs = 0): Promise<string> => {
    const record = await taken(store, name);
    valueOf(await store.release(releasing(record, pauseMs === 0 ? {} : { quarantineMs: pauseMs })));
    return record.address.toString();
  };
  const from = (place: string, limit = 100): Promise<readonly FreedEntry[]> => logOf(store).after(place, { limit });

  test('has each address that lost its last holder once, with the time at which everybody may have it', async () => {
    const log = logOf(store);
    const start = await log.here();
    const shared = await taken(store, 'a');
    const both = valueOf(await store.bind(binding(shared, holderOf('b'))));
    const half = valueOf(await store.release(releasing(both)));
    expect(await from(start)).toEqual([]);
    valueOf(await store.release(releasing(half!)));
    await free('c', 500);
    // the end of a quarantine frees nothing that was not told
    await subject.clock.advance(1000);
    await taken(store, 'd');
    expect((await from(start)).map(textOf)).toEqual(['10.0.0.0 at 0', '10.0.0.0 at 500']);
  });

  test('is read in pages, from any place to any other', async () => {
    const log = logOf(store);
    const start = await log.here();
    for (const name of ['a', 'b', 'c', 'd']) await free(name, 1000);
    const all = await from(start);
    expect(all.map(({ address }) => address.toString())).toEqual(['10.0.0.0', '10.0.0.1', '10.0.0.2', '10.0.0.3']);
    const [first, second, third] = all.map(({ place }) => place);
    expect(await from(first!, 2)).toEqual(all.slice(1, 3));
    expect(await log.after(first!, { limit: 100, until: third! })).toEqual(all.slice(1, 3));
    expect(await log.after(second!, { limit: 100, until: second! })).toEqual([]);
    expect(await from(await log.here())).toEqual([]);
  });

  test('goes on after a restart, from the places of before', async () => {
    const start = await logOf(store).here();
    await free('a', 1000);
    const [seen] = await from(start);
    await free('b', 1000);
    store = await subject.reopen!();
    await free('c', 1000);
    const log = logOf(store);
    expect([await log.knows(start), await log.knows(seen!.place), await log.knows(await log.here())]).toEqual([
      true,
      true,
      true,
    ]);
    const later = await from(seen!.place);
    expect(later.map(({ address }) => address.toString())).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(await from(start)).toEqual([seen, ...later]);
  });

  test.each(['', 'x', '999999999999-1', '99999999999999999999-1', '1-', '-1-1'])(
    'knows no place "%s"',
    async (place) => {
      await free('a');
      expect(await logOf(store).knows(place)).toBe(false);
    },
  );
});
