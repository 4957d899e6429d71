import { withoutLargeBlocks } from '../../operator/ledger/occupied/without-large-blocks';
import { addressText, refusalOf, taken, taking } from '../support/claim-requests';
import { contract, subjectOf } from '../support/claims-suite';
import { LargeBlocksWorld } from '../support/large-blocks-world';
import { openMemory, openPostgres, openSqlite } from '../support/open-stores';
import { sharedPostgres } from '../support/postgres-server';
import type { OpenStore } from '../support/store-under-test';

beforeAll(sharedPostgres);

function largeBlocksSuite(open: OpenStore): void {
  const subject = subjectOf(open);
  let world: LargeBlocksWorld;
  beforeEach(() => {
    world = new LargeBlocksWorld();
  });
  const store = () => withoutLargeBlocks(subject.store, world.blocks);
  const next = async (name: string, family: 4 | 6 = 4): Promise<string> =>
    addressText(await taken(store(), name, { space: world.space(), family }));

  test('an address is chosen beside prefixes of any size, and in them once they are gone', async () => {
    world.has('a', ['10.0.0.0/8']);
    world.has('b', ['fd00::/64', '11.0.0.0/16']);
    expect([await next('one'), await next('two'), await next('six', 6)]).toEqual([
      '11.1.0.0',
      '11.1.0.1',
      'fd00:0:0:1::',
    ]);
    world.has('b', []);
    expect([await next('three'), await next('more', 6)]).toEqual(['11.0.0.0', 'fd00::']);
    world.has('a', []);
    expect(await next('four')).toBe('10.0.0.0');
    expect(world.changes).toEqual([true, true, true, true, true, true]);
  });

  test('a zone that such prefixes fill gives nothing, and a look tells that as the take does', async () => {
    world.has('a', ['10.0.0.0/8', '11.0.0.0/8']);
    const request = taking('one', { space: world.space() });
    expect(refusalOf(await store().take(request)).code).toBe('pool/exhausted');
    const seen = await store().peek?.(request);
    expect(seen?.ok).toBe(false);
    world.has('a', ['10.0.0.0/8']);
    const later = await store().peek?.(request);
    expect(later?.ok === true && later.value.map(({ address }) => address.toString())).toEqual(['11.0.0.0']);
  });

  test('a prefix of another network, and one of few addresses, changes nothing here', async () => {
    world.has('a', ['10.0.0.0/8'], 'lab');
    world.has('b', ['10.0.0.0/20']);
    expect([await next('one'), world.changes]).toEqual(['10.0.0.0', [true, false]]);
  });

  test('they count as foreign, but for addresses in them that are on record', async () => {
    const usage = async () => {
      const of = { network: 'default', pool: 'z', space: world.space() };
      const [four, six] = await store().usage([
        { ...of, family: 4 },
        { ...of, family: 6 },
      ]);
      return [four?.foreign, six?.foreign, four?.occupied];
    };
    await next('one');
    expect(await usage()).toEqual([undefined, undefined, 1]);
    world.has('a', ['10.0.0.0/8', 'fd00::/64']);
    expect(await usage()).toEqual([2n ** 24n - 1n, 2n ** 64n, 1]);
  });
}

contract(
  'large prefixes of other doors',
  { memory: openMemory, sqlite: openSqlite, postgres: openPostgres },
  largeBlocksSuite,
);
