import type { EntryDraft, NetworkEntry } from '../../operator/contract/networks/entry';
import type { NetworkTable } from '../../operator/contract/networks/table';
import { valueOf } from '../../operator/errors/ipam-error';
import type { NetworkTables } from '../../operator/ports/network-tables';
import { claimScene, type ClaimScene, type ClaimServer } from './claim-objects-scene';
import { refusalOf } from './claim-requests';
import {
  allocation,
  answersOf,
  blockOfText,
  blocksOf,
  draftOf,
  FULL,
  giving,
  ipPrefix,
  leaving,
  poolOf,
  setOfTexts,
  subnetOf,
  wishing,
  writing,
} from './network-decisions';
import { describeTableDeaths } from './network-tables-deaths';
import { describeTableOthers } from './network-tables-others';

/** Network of these tests. */
const NET = 'default';

/**
 * Contract of network tables over cluster objects: what a decision sees and leaves, of one process and of several.
 *
 * @param server - an empty one for each test
 */
export function networkTablesSuite(server: () => ClaimServer): void {
  const scene = claimScene(server);
  describeEntries(scene);
  describeBatches(scene);
  describeProcesses(scene);
  describeTableDeaths(scene);
  describeTableOthers(scene);
}

const look = <V>(store: NetworkTables, read: (table: NetworkTable) => V): V => store.look(NET, read);

function describeEntries(scene: ClaimScene): void {
  describe('entries', () => {
    test('are read as they were put, by every process and after a restart', async () => {
      const store = await scene.process();
      const facts = {
        role: 'host',
        kind: 'network',
        networkName: 'net1',
        isGateway: true,
        parent: '10.0.1.0/24',
      } as const;
      const host: EntryDraft = {
        ...draftOf('10.0.1.1', ipPrefix('gw'), facts),
        labels: { site: 'edge-1' },
        user: allocation('upf'),
        key: 'pkg/upf',
        door: 'grpc',
      };
      const put = [host, subnetOf('10.0.1.0/24'), poolOf('10.0.0.0/16')];
      expect(valueOf(await store.decide(NET, writing(put)))).toBe('done');
      const entry = look(store, (table) => table.at(blockOfText('10.0.1.1')))!;
      expect(entry).toMatchObject({ ...host, takenAtMs: scene.server.clock.nowMs() });
      expect(entry.version).toBeGreaterThan(0);
      const other = await scene.process();
      expect(look(other, (table) => table.at(blockOfText('10.0.1.1')))).toEqual(entry);
      expect(blocksOf(other.page(NET, { most: 9 }))).toEqual(['10.0.0.0/16', '10.0.1.0/24', '10.0.1.1/32']);
      expect(blocksOf(other.page(NET, { after: blockOfText('10.0.1.0/24'), most: 1 }))).toEqual(['10.0.1.1/32']);
      expect(await scene.decisions()).toBe(0);
    });

    test('are found by place, role, owner, user and key', async () => {
      const store = await scene.process();
      const user = allocation('upf');
      const outcome = await store.decide(
        NET,
        writing([
          poolOf('10.0.0.0/8', 'big'),
          draftOf('10.1.0.0/16', ipPrefix('agg'), { role: 'prefix', kind: 'aggregate', parent: '10.0.0.0/8' }),
          subnetOf('10.0.1.0/24'),
          { ...draftOf('10.0.1.5', ipPrefix('p5'), { role: 'host', kind: 'network', parent: '10.0.1.0/24' }), user },
          draftOf('10.2.0.0/24', allocation('carved'), { role: 'allocation', kind: 'pool', parent: '10.0.0.0/8' }),
          {
            ...draftOf('10.2.0.9', allocation('one'), { role: 'allocation', kind: 'pool', parent: '10.2.0.0/24' }),
            key: 'k',
          },
        ]),
      );
      expect(valueOf(outcome)).toBe('done');
      const read = (of: (table: NetworkTable) => readonly NetworkEntry[]): readonly string[] =>
        blocksOf(look(store, of));
      expect(read((table) => table.around(blockOfText('10.0.1.5')))).toEqual(['10.0.0.0/8', '10.0.1.0/24']);
      expect(read((table) => table.prefixes('pool'))).toEqual(['10.0.0.0/8']);
      expect(read((table) => table.prefixes('aggregate'))).toEqual(['10.1.0.0/16']);
      expect(read((table) => table.subnets())).toEqual(['10.0.1.0/24']);
      expect(read((table) => [...table.subnets('net1'), ...table.subnets('net2')])).toEqual(['10.0.1.0/24']);
      expect(read((table) => table.hosts(blockOfText('10.0.1.0/24')))).toEqual(['10.0.1.5/32']);
      expect(read((table) => table.carved('pool'))).toEqual(['10.2.0.0/24']);
      expect(read((table) => table.ofOwner(user))).toEqual(['10.0.1.5/32']);
      expect(read((table) => table.ofOwner({ ...user, uid: 'another' }))).toEqual([]);
      const { uid: _uid, ...nameless } = user;
      expect(read((table) => table.ofOwner(nameless))).toEqual(['10.0.1.5/32']);
      expect(look(store, (table) => table.ofKey('k')?.block.toString())).toBe('10.2.0.9/32');
      expect(look(store, (table) => table.ofKey('l'))).toBeUndefined();
      const children: string[] = [];
      look(store, (table) => {
        table.eachInside(blockOfText('10.0.0.0/8'), ({ block }) => children.push(block.toString()) < 2);
      });
      expect(children).toEqual(['10.0.1.0/24', '10.1.0.0/16']);
    });

    test('keep time and identity of an owner that stays, and take new ones with another', async () => {
      const store = await scene.process();
      const facts = { role: 'allocation', kind: 'pool', request: '0123456789abcdef' } as const;
      const put = async (owner = allocation('a')): Promise<NetworkEntry> => {
        await store.decide(NET, writing([draftOf('10.0.0.9', owner, facts)]));
        return look(store, (table) => table.at(blockOfText('10.0.0.9')))!;
      };
      const first = await put();
      scene.server.clock.advance(5_000);
      const again = await put(allocation('a', 'restored'));
      expect(again).toMatchObject({ takenAtMs: first.takenAtMs, owner: { uid: 'restored' }, facts });
      expect(again.version).toBeGreaterThan(first.version);
      const other = await put(allocation('b'));
      expect([other.takenAtMs - first.takenAtMs, other.labels]).toEqual([5_000, {}]);
    });

    test('of other networks are not seen', async () => {
      const store = await scene.process();
      await store.decide(
        'other',
        writing([{ ...draftOf('10.0.0.9', allocation('a'), { role: 'allocation', kind: 'pool' }), key: 'k' }]),
      );
      const seen = look(store, (table) => [
        table.at(blockOfText('10.0.0.9')),
        table.ofKey('k'),
        ...table.ofOwner(allocation('a')),
      ]);
      expect(seen).toEqual([undefined, undefined]);
      expect(store.page(NET, { most: 9 })).toEqual([]);
    });

    test('are told to those who watch claims', async () => {
      const store = await scene.process();
      const told: string[] = [];
      store.watch(({ kind }) => told.push(kind));
      await store.decide(NET, writing([poolOf('10.0.0.0/8')]));
      await store.decide(NET, writing([poolOf('10.0.0.0/8', 'renamed')]));
      await store.decide(NET, writing([], ['10.0.0.0/8', '10.9.0.0/16']));
      expect(told).toEqual(['taken', 'changed', 'freed']);
    });

    test('that the kind cannot keep are refused, and nothing is stored', async () => {
      const store = await scene.process();
      const labels = { site: 'x'.repeat(64) };
      const outcome = await store.decide(NET, writing([poolOf('10.0.0.0/8'), { ...poolOf('10.1.0.0/16'), labels }]));
      expect(refusalOf(outcome).code).toBe('claim/invalid');
      expect([await scene.claims(), await scene.decisions()]).toEqual([[], 0]);
    });
  });
}

function describeBatches(scene: ClaimScene): void {
  describe('decisions of one moment', () => {
    test('that rest on each other see what is stored', async () => {
      const store = await scene.process();
      const outcomes = await Promise.all([
        store.decide(NET, giving(allocation('early'), { parent: '10.0.0.0/29' })),
        store.decide(NET, writing([poolOf('10.0.0.0/29')])),
        store.decide(NET, giving(allocation('a'), { parent: '10.0.0.0/29' })),
        store.decide(NET, giving(allocation('a'), { parent: '10.0.0.0/29' })),
        store.decide(NET, wishing(allocation('b'), '10.0.0.0')),
        store.decide(NET, leaving(allocation('a'))),
        store.decide(NET, wishing(allocation('b'), '10.0.0.0')),
      ]);
      expect(answersOf(outcomes)).toEqual([
        ...['pool/exhausted', 'done', '10.0.0.0/32', '10.0.0.0/32', 'address/held', 1, '10.0.0.0'],
      ]);
      expect(await scene.claims()).toHaveLength(2);
    });

    test('end alone where one of them throws', async () => {
      const store = await scene.process();
      await store.decide(NET, writing([poolOf('10.0.0.0/29')]));
      const fault = new RangeError('a fault of the rules');
      const outcomes = await Promise.allSettled([
        store.decide(NET, giving(allocation('a'), { parent: '10.0.0.0/29' })),
        store.decide(NET, (table): never => {
          table.bestFit(blockOfText('10.0.0.0/29'), { length: 32, without: setOfTexts() });
          throw fault;
        }),
        store.decide(NET, giving(allocation('b'), { parent: '10.0.0.0/29' })),
      ]);
      expect(outcomes[1]).toEqual({ status: 'rejected', reason: fault });
      expect(blocksOf(store.page(NET, { most: 9 }))).toEqual(['10.0.0.0/29', '10.0.0.0/32', '10.0.0.1/32']);
      // the free space is as it was before the fault
      expect(valueOf(await store.decide(NET, giving(allocation('c'), { parent: '10.0.0.0/29' })))).toBe('10.0.0.2/32');
    });

    test('give the very refusal that was made, and look at what it rests on once more', async () => {
      const store = await scene.process();
      const other = await scene.process();
      await store.decide(NET, writing([poolOf('10.0.0.0/32', 'small')]));
      const outcome = await store.decide(NET, giving(allocation('a'), { parent: '10.0.0.0/31' }));
      expect(refusalOf(outcome)).toBe(FULL);
      await other.decide(NET, writing([poolOf('10.0.0.0/31', 'wider')]));
      expect(valueOf(await store.decide(NET, giving(allocation('a'), { parent: '10.0.0.0/31' })))).toBe('10.0.0.1/32');
    });

    test('NET-T100 give 200 allocations 200 addresses', async () => {
      const store = await scene.process();
      await store.decide(NET, writing([subnetOf('10.0.1.0/24')]));
      const without = setOfTexts('10.0.1.0');
      const request = { parent: '10.0.1.0/24', without, skip: '10.0.1.255', kind: 'network' } as const;
      const outcomes = await Promise.all(
        Array.from({ length: 200 }, (_, i) => store.decide(NET, giving(allocation(`a${i}`), request))),
      );
      const given = outcomes.map((outcome) => valueOf(outcome));
      expect(new Set(given).size).toBe(200);
      expect(given.filter((each) => ['10.0.1.0/32', '10.0.1.255/32'].includes(each))).toEqual([]);
      expect([(await scene.claims()).length, await scene.decisions()]).toEqual([201, 0]);
    }, 60_000);
  });
}

function describeProcesses(scene: ClaimScene): void {
  describe('several processes', () => {
    test('NET-T101 of 260 allocations in a /24 with a gateway 253 get an address, from two processes', async () => {
      const stores = [await scene.process(), await scene.process()];
      const gateway = draftOf('10.0.1.1', ipPrefix('gw'), {
        role: 'host',
        kind: 'network',
        parent: '10.0.1.0/24',
        isGateway: true,
      });
      await stores[0]!.decide(NET, writing([subnetOf('10.0.1.0/24'), gateway]));
      const without = setOfTexts('10.0.1.0');
      const request = { parent: '10.0.1.0/24', without, skip: '10.0.1.255', kind: 'network' } as const;
      const answers = answersOf(
        await Promise.all(
          Array.from({ length: 260 }, (_, i) => stores[i % 2]!.decide(NET, giving(allocation(`a${i}`), request))),
        ),
      );
      const given = answers.filter((each) => each !== 'pool/exhausted');
      expect([given.length, new Set(given).size]).toEqual([253, 253]);
      expect([(await scene.claims()).length, await scene.decisions()]).toEqual([255, 0]);
    }, 120_000);

    test('of overlapping blocks that two processes wish for at once, one is given', async () => {
      const stores = [await scene.process(), await scene.process()];
      await stores[0]!.decide(NET, writing([poolOf('10.0.0.0/8')]));
      for (let round = 0; round < 15; round += 1) {
        const wishes = [`10.8.${round}.0/24`, `10.8.${round}.128/25`, `10.8.${round}.130`];
        const outcomes = await Promise.all(
          wishes.map((wish, i) => stores[(round + i) % 2]!.decide(NET, wishing(allocation(`w${round}-${i}`), wish))),
        );
        const answers = answersOf(outcomes);
        expect(answers.filter((each) => each === 'address/held')).toHaveLength(2);
      }
      expect([(await scene.claims()).length, await scene.decisions()]).toEqual([16, 0]);
    }, 60_000);

    test('give one owner one space, whichever process is asked', async () => {
      const stores = [await scene.process(), await scene.process()];
      await stores[0]!.decide(NET, writing([poolOf('10.0.0.0/24')]));
      const outcomes = await Promise.all(
        [0, 1, 2, 3].map((i) => stores[i % 2]!.decide(NET, giving(allocation('a'), { parent: '10.0.0.0/24' }))),
      );
      expect(new Set(answersOf(outcomes)).size).toBe(1);
      expect(await scene.claims()).toHaveLength(2);
    });

    test('see at once what another process put and removed', async () => {
      const [one, two] = [await scene.process(), await scene.process()];
      await one.decide(NET, writing([poolOf('10.0.0.0/31')]));
      expect(valueOf(await two.decide(NET, giving(allocation('a'), { parent: '10.0.0.0/31' })))).toBe('10.0.0.0/32');
      expect(valueOf(await one.decide(NET, giving(allocation('b'), { parent: '10.0.0.0/31' })))).toBe('10.0.0.1/32');
      expect(refusalOf(await two.decide(NET, giving(allocation('c'), { parent: '10.0.0.0/31' }))).code).toBe(
        'pool/exhausted',
      );
      expect(valueOf(await one.decide(NET, leaving(allocation('a'))))).toBe(1);
      expect(valueOf(await two.decide(NET, giving(allocation('c'), { parent: '10.0.0.0/31' })))).toBe('10.0.0.0/32');
    });
  });
}
