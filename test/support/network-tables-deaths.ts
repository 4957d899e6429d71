import { valueOf } from '../../operator/errors/ipam-error';
import { GatedClient, TABLE, toClaims, type ClaimScene } from './claim-objects-scene';
import { refusalOf } from './claim-requests';
import {
  allocation,
  answersOf,
  blocksOf,
  draftOf,
  giving,
  ipPrefix,
  leaving,
  poolOf,
  subnetOf,
  wishing,
  writing,
} from './network-decisions';

const NET = 'default';
/** Longer than a decision is left to its writer. */
const LATE = 30_000;

/**
 * Network tables of processes that die or are late.
 *
 * @param scene - processes over one server
 */
export function describeTableDeaths(scene: ClaimScene): void {
  describe('a process that dies', () => {
    test('at whatever request leaves all of a decision or nothing, and gives no space twice', async () => {
      for (let request = 1; request <= 10; request += 1) {
        const net = `10.7.${request}`;
        const { store, client } = await scene.mortal();
        const other = await scene.process();
        await store.decide(NET, writing([poolOf(`${net}.0/24`, `p${request}`)]));
        const old = ['16', '17'].map((last) =>
          draftOf(`${net}.${last}`, allocation(`old${request}`), { role: 'allocation', kind: 'pool' }),
        );
        const host = draftOf(`${net}.1`, ipPrefix(`h${request}`), {
          role: 'host',
          kind: 'network',
          parent: `${net}.0/28`,
        });
        await store.decide(NET, writing([...old, host]));
        let left = request;
        client.dieBefore(() => (left -= 1) === 0);
        // outer to inner, over an entry, and beside two that go
        const user = allocation(`u${request}`);
        const put = [
          { ...host, user },
          subnetOf(`${net}.0/28`),
          draftOf(`${net}.2`, allocation(`new${request}`), { role: 'allocation', kind: 'network' }),
        ];
        const decision = store.decide(NET, writing(put, [`${net}.16`, `${net}.17`]));
        const [, ...meanwhile] = await Promise.allSettled([
          decision,
          ...[0, 1, 2].map((i) => other.decide(NET, giving(allocation(`m${request}-${i}`), { parent: `${net}.0/24` }))),
        ]);
        scene.server.clock.advance(LATE);
        const last = await scene.process();
        expect(await scene.decisions()).toBe(0);
        const isDone = last.look(NET, (table) => table.ofOwner(user).length === 1);
        const blocks = last.look(NET, (table) =>
          blocksOf([...table.ofOwner(allocation(`new${request}`)), ...table.ofOwner(allocation(`old${request}`))]),
        );
        expect(blocks).toEqual(isDone ? [`${net}.2/32`] : [`${net}.16/32`, `${net}.17/32`]);
        const given = meanwhile.flatMap((each) => (each.status === 'fulfilled' ? answersOf([each.value]) : []));
        const entries = last.page(NET, { most: 1_000 }).filter(({ block }) => given.includes(block.toString()));
        expect(new Set(entries.map(({ owner }) => owner.name)).size).toBe(given.length);
        const hosts = blocksOf(last.page(NET, { most: 1_000 })).filter((each) => each.endsWith('/32'));
        expect(new Set(hosts).size).toBe(hosts.length);
      }
    }, 120_000);

    test('between table and claim keeps the space, and another one finishes what it decided', async () => {
      const { store, client } = await scene.mortal();
      await store.decide(NET, writing([poolOf('10.0.0.0/30')]));
      client.dieBefore(toClaims('POST'));
      await expect(store.decide(NET, giving(allocation('a'), { parent: '10.0.0.0/30' }))).rejects.toMatchObject({
        code: 'cluster/unavailable',
      });
      const other = await scene.process();
      expect(valueOf(await other.decide(NET, giving(allocation('b'), { parent: '10.0.0.0/30' })))).toBe('10.0.0.1/32');
      // who depends on the decision itself waits for its end
      const early = other.decide(NET, giving(allocation('a'), { parent: '10.0.0.0/30' }));
      await expect(early).rejects.toMatchObject({ code: 'store/unavailable' });
      scene.server.clock.advance(LATE);
      expect(valueOf(await other.decide(NET, giving(allocation('a'), { parent: '10.0.0.0/30' })))).toBe('10.0.0.0/32');
      expect([(await scene.claims()).length, await scene.decisions()]).toEqual([3, 0]);
    }, 60_000);

    test('and lives on finishes itself what an answer was lost of', async () => {
      const { store, client } = await scene.mortal();
      client.dieBefore(toClaims('POST'));
      await expect(store.decide(NET, writing([poolOf('10.0.0.0/30')]))).rejects.toMatchObject({
        code: 'cluster/unavailable',
      });
      client.revive();
      expect(valueOf(await store.decide(NET, giving(allocation('a'), { parent: '10.0.0.0/30' })))).toBe('10.0.0.0/32');
      expect([(await scene.claims()).length, await scene.decisions()]).toEqual([2, 0]);
    });

    test('in the middle of two changes is finished by another one', async () => {
      const { store, client } = await scene.mortal();
      const hosts = ['10.0.1.5', '10.0.1.6'].map((host) =>
        draftOf(host, ipPrefix('p'), { role: 'host', kind: 'network', parent: '10.0.1.0/24' }),
      );
      await store.decide(NET, writing([subnetOf('10.0.1.0/24'), ...hosts]));
      client.dieBefore(toClaims('PUT', 2));
      const used = hosts.map((host) => ({ ...host, user: allocation('u') }));
      await expect(store.decide(NET, writing(used))).rejects.toMatchObject({ code: 'cluster/unavailable' });
      const other = await scene.process();
      const users = (): readonly unknown[] =>
        other.look(NET, (table) => hosts.map(({ block }) => table.at(block)?.user?.name));
      expect(users()).toEqual(['u', undefined]);
      await expect(other.decide(NET, writing(hosts))).rejects.toMatchObject({ code: 'store/unavailable' });
      scene.server.clock.advance(LATE);
      await other.decide(NET, writing([poolOf('10.9.0.0/16')]));
      expect([users(), await scene.decisions()]).toEqual([['u', 'u'], 0]);
    }, 60_000);

    test('in the middle of a removal frees the space when another one has finished it, and not earlier', async () => {
      const { store, client } = await scene.mortal();
      const host = draftOf('10.0.1.5', ipPrefix('p'), { role: 'host', kind: 'network', parent: '10.0.1.0/24' });
      await store.decide(NET, writing([subnetOf('10.0.1.0/24'), host]));
      client.dieBefore(toClaims('DELETE', 2));
      const going = store.decide(NET, writing([], ['10.0.1.0/24', '10.0.1.5']));
      await expect(going).rejects.toMatchObject({ code: 'cluster/unavailable' });
      // the host went first: no reader finds one without its subnet
      expect((await scene.claims()).map(({ length }) => length)).toEqual([24]);
      const other = await scene.process();
      await expect(other.decide(NET, wishing(allocation('a'), '10.0.1.0/25'))).rejects.toMatchObject({
        code: 'store/unavailable',
      });
      scene.server.clock.advance(LATE);
      expect(valueOf(await other.decide(NET, wishing(allocation('a'), '10.0.1.0/25')))).toBe('10.0.1.0/25');
    }, 60_000);
  });

  describe('a process whose watch is late', () => {
    test('decides nothing before it knows the entries of the others', async () => {
      const { store, client } = await scene.gated();
      const other = await scene.process();
      await store.decide(NET, writing([poolOf('10.1.0.0/16')]));
      client.watches.shut();
      await other.decide(NET, wishing(allocation('out'), '10.1.0.0/24'));
      let isAnswered = false;
      const wish = store.decide(NET, wishing(allocation('in'), '10.1.0.7')).finally(() => (isAnswered = true));
      await new Promise((resolve) => setTimeout(resolve, 60));
      expect(isAnswered).toBe(false);
      client.watches.open();
      expect(refusalOf(await wish).code).toBe('address/held');
    });

    test('knows what a dead process wrote before it decides', async () => {
      const { store, client } = await scene.mortal();
      const gate = new GatedClient(scene.server.client);
      const other = await scene.process({ client: gate });
      gate.watches.shut();
      let tables = 0;
      client.dieBefore(({ method, path }) => path === TABLE && method === 'PUT' && (tables += 1) === 1);
      await store.decide(NET, wishing(allocation('out'), '10.1.0.0/24'));
      client.revive();
      await store.decide(NET, wishing(allocation('else'), '10.3.0.1'));
      const wish = other.decide(NET, wishing(allocation('in'), '10.1.0.7'));
      await new Promise((resolve) => setTimeout(resolve, 60));
      gate.watches.open();
      expect(refusalOf(await wish).code).toBe('address/held');
    });

    test('gives space that the call before it frees once that is done, and not earlier', async () => {
      const { store, client } = await scene.gated();
      await store.decide(NET, wishing(allocation('out'), '10.1.0.0/24'));
      client.writes.shut();
      client.gated = ({ method }) => method === 'DELETE';
      const calls = [
        store.decide(NET, leaving(allocation('out'))),
        store.decide(NET, wishing(allocation('in'), '10.1.0.7')),
      ];
      while ((await scene.decisions()) !== 1) await new Promise((resolve) => setTimeout(resolve, 5));
      expect((await scene.claims()).map(({ length }) => length)).toEqual([24]);
      client.writes.open();
      expect(answersOf(await Promise.all(calls))).toEqual([1, '10.1.0.7']);
      expect((await scene.claims()).map(({ length }) => length)).toEqual([32]);
    });
  });
}
