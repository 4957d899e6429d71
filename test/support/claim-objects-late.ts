import { overlaps, TABLE, type ClaimScene } from './claim-objects-scene';
import { addressText, refusalOf, releasing, taken, taking } from './claim-requests';

/**
 * Claims of a process whose watch, or whose writes, are late.
 *
 * @param scene - processes over one server
 */
export function describeLateWatches(scene: ClaimScene): void {
  describe('a process whose watch is late', () => {
    const settledTable = async (count: number): Promise<void> => {
      while ((await scene.decisions()) !== count) await new Promise((resolve) => setTimeout(resolve, 5));
    };

    test('decides nothing before it knows the claims of the others', async () => {
      const { store, client } = await scene.gated();
      const other = await scene.process();
      await taken(store, 'first');
      client.watches.shut();
      await taken(other, 'out', { address: '10.1.0.0/24' });
      let isAnswered = false;
      const wish = store.take(taking('in', { address: '10.1.0.7' })).finally(() => (isAnswered = true));
      await new Promise((resolve) => setTimeout(resolve, 60));
      expect(isAnswered).toBe(false);
      client.watches.open();
      expect(refusalOf(await wish).code).toBe('address/held');
    });

    test('does so also where an older claim is told after a newer one of its own', async () => {
      const { store, client } = await scene.gated();
      const other = await scene.gated();
      client.watches.shut();
      other.client.writes.shut();
      // the table is created with the decision, so its first replacement takes the decision out
      other.client.gated = ({ method, path }) => path === TABLE && method === 'PUT';
      const outer = taken(other.store, 'out', { address: '10.1.0.0/24' });
      await settledTable(1);
      while ((await scene.claims()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      await taken(store, 'mine', { address: '10.2.0.1' });
      other.client.writes.open();
      await outer;
      const wish = store.take(taking('in', { address: '10.1.0.7' }));
      await new Promise((resolve) => setTimeout(resolve, 60));
      client.watches.open();
      expect(refusalOf(await wish).code).toBe('address/held');
      const all = await scene.claims();
      expect([all.length, overlaps(all)]).toEqual([2, 0]);
    });

    test('knows what another process freed as soon as a caller wishes for it', async () => {
      const { store, client } = await scene.gated();
      const other = await scene.process();
      const record = await taken(other, 'a', { address: '10.0.0.5' });
      await taken(store, 'b');
      client.watches.shut();
      await other.release(releasing(record));
      expect(addressText(await taken(store, 'c', { address: '10.0.0.5' }))).toBe('10.0.0.5');
      client.watches.open();
    });

    test('gives space that the call before it frees once that is done, and not earlier', async () => {
      const { store, client } = await scene.gated();
      const outer = await taken(store, 'out', { address: '10.1.0.0/24' });
      client.writes.shut();
      client.gated = ({ method }) => method === 'DELETE';
      const [release, take] = [store.release(releasing(outer)), store.take(taking('in', { address: '10.1.0.7' }))];
      await settledTable(1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect((await scene.claims()).map(addressText)).toEqual(['10.1.0.0/24']);
      client.writes.open();
      expect([(await release).ok, (await take).ok]).toEqual([true, true]);
      expect((await scene.claims()).map(addressText)).toEqual(['10.1.0.7']);
    });

    test('gives no space to others while a claim of it is still being deleted', async () => {
      const { store, client } = await scene.gated();
      const other = await scene.process();
      const outer = await taken(store, 'out', { address: '10.1.0.0/24' });
      client.writes.shut();
      client.gated = ({ method }) => method === 'DELETE';
      const release = store.release(releasing(outer));
      await settledTable(1);
      expect(refusalOf(await other.take(taking('in', { address: '10.1.0.7' })))).toMatchObject({
        code: 'store/conflict',
        retryAfterSeconds: 1,
      });
      client.writes.open();
      await release;
      expect(addressText(await taken(other, 'in', { address: '10.1.0.7' }))).toBe('10.1.0.7');
    });
  });
}
