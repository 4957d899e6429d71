import type { ApiAnswer, ApiClient } from '../../operator/cluster/api/api-client';
import { PrefixSet } from '../../operator/addressing/prefix-set';
import { mapOf, type JsonMap } from '../../operator/contract/loose-json';
import { valueOf } from '../../operator/errors/ipam-error';
import { CLAIMS, TABLE, type ClaimScene } from './claim-objects-scene';
import { refusalOf } from './claim-requests';
import {
  allocation,
  answersOf,
  blockOfText,
  blocksOf,
  draftOf,
  giving,
  poolOf,
  wishing,
  writing,
} from './network-decisions';

const NET = 'default';

/**
 * Network tables beside claims that other programs write, and beside other processes that write the table.
 *
 * @param scene - processes over one server
 */
export function describeTableOthers(scene: ClaimScene): void {
  const claimBody = (address: string): JsonMap => ({
    apiVersion: 'ipam.vitistack.io/v1alpha1',
    kind: 'AddressClaim',
    metadata: { name: `${NET}.${address.replace('/', '-')}` },
    spec: { network: NET, address, door: 'networks', state: 'bound', key: 'by hand' },
  });
  const make = (address: string): Promise<ApiAnswer> =>
    scene.server.client.request({ method: 'POST', path: CLAIMS, body: claimBody(address) });

  /** A client before some of whose requests something else happens. */
  const slipping = (
    isDue: (request: Parameters<ApiClient['request']>[0]) => boolean,
    first: () => Promise<unknown>,
  ): ApiClient => ({
    request: async (request) => {
      if (isDue(request)) await first();
      return scene.server.client.request(request);
    },
    stream: (request) => scene.server.client.stream(request),
    close: () => Promise.resolve(),
  });

  describe('claims that were declared by hand', () => {
    test('block their space, have no facts, and are not given again', async () => {
      await make('10.0.0.0');
      await make('10.0.0.4/30');
      const store = await scene.process();
      const entry = store.look(NET, (table) => table.at(blockOfText('10.0.0.0')))!;
      expect(entry).toMatchObject({
        facts: undefined,
        labels: {},
        door: 'networks',
        key: 'by hand',
        owner: { kind: '' },
      });
      await store.decide(NET, writing([poolOf('10.0.0.0/29')]));
      const outcomes = [];
      for (const name of ['a', 'b', 'c', 'd'])
        outcomes.push(await store.decide(NET, giving(allocation(name), { parent: '10.0.0.0/29' })));
      expect(answersOf(outcomes)).toEqual(['10.0.0.1/32', '10.0.0.2/32', '10.0.0.3/32', 'pool/exhausted']);
      expect(refusalOf(await store.decide(NET, wishing(allocation('e'), '10.0.0.5'))).code).toBe('address/held');
    });

    test('that come between decision and write undo the decision, which is made anew', async () => {
      let others = 0;
      const client = slipping(
        ({ method, body }) =>
          method === 'POST' && mapOf(mapOf(body)['metadata'])['name'] === `${NET}.10.0.0.1` && (others += 1) === 1,
        () => make('10.0.0.1'),
      );
      const store = await scene.process({ client });
      await store.decide(NET, writing([poolOf('10.0.0.0/29')]));
      const seen: number[] = [];
      const outcome = await store.decide(NET, (table) => {
        const free = table.bestFit(blockOfText('10.0.0.0/29'), { length: 31, without: PrefixSet.EMPTY });
        seen.push(table.nowMs);
        if (table.at(blockOfText('10.0.0.1')) !== undefined) return { as: 'answer', value: `beside ${String(free)}` };
        const facts = { role: 'allocation', kind: 'pool', parent: '10.0.0.0/29' } as const;
        const put = ['10.0.0.0/31', '10.0.0.1'].map((each) => draftOf(each, allocation('a'), facts));
        return { as: 'change', put, remove: [], answer: 'put' };
      });
      expect([valueOf(outcome), seen.length]).toEqual(['beside 10.0.0.2/31', 2]);
      expect(blocksOf(store.page(NET, { most: 9 }))).toEqual(['10.0.0.0/29', '10.0.0.1/32']);
      expect(await scene.decisions()).toBe(0);
    });
  });

  describe('another process that writes the table', () => {
    test('ten times in a row makes a decision be made eleven times, over what is there then', async () => {
      const other = await scene.process();
      await other.decide(NET, writing([poolOf('10.0.0.0/24')]));
      let conflicts = 0;
      const client = slipping(
        ({ method, path }) => method === 'PUT' && path === TABLE && conflicts < 10,
        () => other.decide(NET, giving(allocation(`o${(conflicts += 1)}`), { parent: '10.0.0.0/24' })),
      );
      const store = await scene.process({ client });
      let times = 0;
      const outcome = await store.decide(NET, (table) => {
        times += 1;
        return giving(allocation('mine'), { parent: '10.0.0.0/24' })(table);
      });
      expect([valueOf(outcome), times, conflicts]).toEqual(['10.0.0.10/32', 11, 10]);
      expect([(await scene.claims()).length, await scene.decisions()]).toEqual([12, 0]);
    }, 60_000);
  });
}
