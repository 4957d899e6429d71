import { valueOf } from '../../operator/errors/ipam-error';
import { GatedClient, overlaps, TABLE, toClaims, type ClaimScene } from './claim-objects-scene';
import {
  addressText,
  at,
  binding,
  firstHolder,
  holderOf,
  placeOf,
  refusalOf,
  releasing,
  spaceOf,
  taken,
  takenOf,
  taking,
  takingBoth,
} from './claim-requests';

/**
 * Claims of processes that die in the middle of a decision.
 *
 * @param scene - processes over one server
 */
export function describeDeaths(scene: ClaimScene): void {
  describe('a process that dies', () => {
    const late = 30_000;

    test('between table and claim keeps the space, and another one finishes what it decided', async () => {
      const { store, client } = await scene.mortal();
      client.dieBefore(toClaims('POST'));
      await expect(store.take(taking('a', { address: '10.1.0.0/24' }))).rejects.toMatchObject({
        code: 'cluster/unavailable',
      });
      expect([await scene.claims(), await scene.decisions()]).toEqual([[], 1]);
      const other = await scene.process();
      const refusal = refusalOf(await other.take(taking('b', { address: '10.1.0.7' })));
      expect(refusal).toMatchObject({ code: 'address/held' });
      expect(refusal.message).toContain('"a/a"');
      expect(refusalOf(await other.take(taking('a'))).code).toBe('store/conflict');
      scene.server.clock.advance(late);
      expect(await takenOf(other, taking('a'))).toMatchObject({ created: false, record: { length: 24 } });
      expect([(await scene.claims()).length, await scene.decisions()]).toEqual([1, 0]);
    });

    test('is followed by a restart that finishes what it decided', async () => {
      const { store, client } = await scene.mortal();
      await taken(store, 'x', { address: '10.0.0.0' });
      client.dieBefore(toClaims('POST', 2));
      await expect(store.take(takingBoth('a'))).rejects.toMatchObject({ code: 'cluster/unavailable' });
      expect([(await scene.claims()).length, await scene.decisions()]).toEqual([2, 1]);
      scene.server.clock.advance(late);
      const restarted = await scene.process();
      expect([(await scene.claims()).length, await scene.decisions()]).toEqual([3, 0]);
      const both = valueOf(await restarted.take(takingBoth('a')));
      expect(both.map(({ created }) => created)).toEqual([false, false]);
    });

    test('after its claims are written leaves nothing to do', async () => {
      const { store, client } = await scene.mortal();
      await taken(store, 'x');
      let writes = 0;
      client.dieBefore(({ method, path }) => method === 'PUT' && path === TABLE && (writes += 1) === 2);
      expect(addressText(await taken(store, 'a'))).toBe('10.0.0.1');
      expect(await scene.decisions()).toBe(1);
      const before = await scene.claims();
      scene.server.clock.advance(late);
      await scene.process();
      expect([await scene.claims(), await scene.decisions()]).toEqual([before, 0]);
    });

    test('at whatever request leaves all of a decision or nothing', async () => {
      const space = spaceOf('10.7.0.0/16', '2001:db8:7::/64');
      for (let request = 1; request <= 8; request += 1) {
        const place = `10.7.${request}`;
        const six = `2001:db8:7::${request}`;
        const { store, client } = await scene.mortal();
        const old = await taken(store, `old${request}`, { space, address: `${place}.1` });
        const ended = await taken(store, `e${request}`, { space, address: `${place}.129` });
        await store.release(releasing(ended, { quarantineMs: 1 }));
        scene.server.clock.advance(1_000);
        let left = request;
        client.dieBefore(() => (left -= 1) === 0);
        await Promise.allSettled([
          store.bind(binding(old, holderOf(`new${request}`), { holderId: firstHolder(old).id })),
          store.take(takingBoth(`t${request}`, { space, address: `${place}.128/25`, six: { address: six } })),
        ]);
        scene.server.clock.advance(late);
        const other = await scene.process();
        expect(await scene.decisions()).toBe(0);
        const { owner } = firstHolder((await other.get(placeOf(old)))!);
        expect([`old${request}`, `new${request}`]).toContain(owner.name);
        const [four, sixth] = [await other.get(at(`${place}.128/25`)), await other.get(at(six))];
        expect(four === undefined).toBe(sixth === undefined);
      }
      expect(overlaps(await scene.claims())).toBe(0);
    }, 60_000);

    test('and lives on finishes itself what an answer was lost of', async () => {
      const { store, client } = await scene.mortal();
      client.dieBefore(toClaims('POST'));
      await expect(store.take(taking('a'))).rejects.toMatchObject({ code: 'cluster/unavailable' });
      client.revive();
      expect(await takenOf(store, taking('a'))).toMatchObject({ created: false });
      expect([(await scene.claims()).length, await scene.decisions()]).toEqual([1, 0]);
    });

    test('after its claim is written does not hide that claim from a process whose watch is late', async () => {
      const { store, client } = await scene.mortal();
      const gate = new GatedClient(scene.server.client);
      const other = await scene.process({ client: gate });
      gate.watches.shut();
      let tables = 0;
      client.dieBefore(({ method, path }) => path === TABLE && method === 'PUT' && (tables += 1) === 1);
      await taken(store, 'out', { address: '10.1.0.0/24' });
      client.revive();
      await taken(store, 'other', { address: '10.3.0.1' });
      const wish = other.take(taking('in', { address: '10.1.0.7' }));
      await new Promise((resolve) => setTimeout(resolve, 60));
      gate.watches.open();
      expect(refusalOf(await wish).code).toBe('address/held');
    });

    test('over the end of a quarantine under another name is finished', async () => {
      const { store, client } = await scene.mortal();
      const inner = await taken(store, 'in', { address: '10.1.0.5' });
      await store.release(releasing(inner, { quarantineMs: 1_000 }));
      scene.server.clock.advance(1_000);
      client.dieBefore(toClaims('POST'));
      await expect(store.take(taking('out', { address: '10.1.0.0/24' }))).rejects.toMatchObject({
        code: 'cluster/unavailable',
      });
      expect(await scene.claims()).toEqual([]);
      scene.server.clock.advance(late);
      await scene.process();
      expect((await scene.claims()).map(addressText)).toEqual(['10.1.0.0/24']);
    });
  });
}
