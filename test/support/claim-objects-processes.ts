import { valueOf } from '../../operator/errors/ipam-error';
import { overlaps, type ClaimScene } from './claim-objects-scene';
import {
  addressText,
  binding,
  firstHolder,
  holderOf,
  refusalOf,
  releasing,
  spaceOf,
  taken,
  takenOf,
  taking,
} from './claim-requests';

/**
 * Claims of several processes.
 *
 * @param scene - processes over one server
 */
export function describeProcesses(scene: ClaimScene): void {
  describe('several processes', () => {
    test('of overlapping prefixes that two processes take at once, one is given', async () => {
      const stores = [await scene.process(), await scene.process()];
      const space = spaceOf('10.8.0.0/16');
      for (let round = 0; round < 25; round += 1) {
        const wishes = [`10.8.${round}.0/24`, `10.8.${round}.128/25`, `10.8.${round}.130`];
        const calls = wishes.map((address, i) =>
          stores[(round + i) % 2]!.take(taking(`w${round}${i}`, { space, address })),
        );
        const outcomes = await Promise.all(calls);
        expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
        const codes = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.refusal.code]));
        expect(codes).toEqual(['address/held', 'address/held']);
      }
      const all = await scene.claims();
      expect([all.length, overlaps(all), await scene.decisions()]).toEqual([25, 0, 0]);
    }, 60_000);

    test('give each free block of a pool once, however many ask', async () => {
      const stores = [await scene.process(), await scene.process(), await scene.process()];
      const space = spaceOf('10.9.0.0/27');
      const lengths = [32, 29, 32, 30, 31, 32];
      const calls = Array.from({ length: 18 }, (_, i) =>
        stores[i % 3]!.take(taking(`c${i}`, { space, length: lengths[i % 6]! })),
      );
      const outcomes = await Promise.all(calls);
      const codes = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.refusal.code]));
      expect(new Set(codes)).toEqual(new Set(['pool/exhausted']));
      const all = await scene.claims();
      expect([all.length, overlaps(all)]).toEqual([outcomes.filter(({ ok }) => ok).length, 0]);
    }, 60_000);

    test('give one claim to callers with one key', async () => {
      const stores = [await scene.process(), await scene.process()];
      const outcomes = await Promise.all([0, 1, 2, 3].map((i) => stores[i % 2]!.take(taking('web'))));
      // a process that meets the decision of another one under way asks its caller to come again
      const given = outcomes.flatMap((outcome) => (outcome.ok ? outcome.value : []));
      expect(given.filter(({ created }) => created)).toHaveLength(1);
      expect(new Set(outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.refusal.code])))).toEqual(
        new Set(given.length === 4 ? [] : ['store/conflict']),
      );
      expect(await takenOf(stores[1]!, taking('web'))).toMatchObject({ created: false });
      expect(await scene.claims()).toHaveLength(1);
    });

    test('see at once what another process freed, and change nothing of what it changed', async () => {
      const [one, two] = [await scene.process(), await scene.process()];
      const record = await taken(one, 'a', { address: '10.0.0.5' });
      const change = { holderId: firstHolder(record).id };
      const bound = valueOf(await two.bind(binding(record, holderOf('a', { purpose: 'two' }), change)));
      expect(bound.version).toBeGreaterThan(record.version);
      expect(refusalOf(await one.bind(binding(record, holderOf('b'), change))).code).toBe('store/conflict');
      expect(refusalOf(await one.release(releasing(record))).code).toBe('store/conflict');
      await two.release(releasing(bound));
      const again = await taken(one, 'b', { address: '10.0.0.5' });
      expect(again.version).toBeGreaterThan(bound.version);
    });

    test.each([true, false])('give a space whose quarantine is over to one of two (nested: %s)', async (nested) => {
      const stores = [await scene.process({ nested }), await scene.process({ nested })];
      const record = await taken(stores[0]!, 'a', { address: '10.0.0.5' });
      const left = valueOf(await stores[0]!.release(releasing(record, { quarantineMs: 60_000 })))!;
      const early = await stores[1]!.take(taking('x', { address: '10.0.0.5' }));
      expect(refusalOf(early)).toMatchObject({ code: 'address/quarantined', retryAfterSeconds: 60 });
      scene.server.clock.advance(60_000);
      const outcomes = await Promise.all(
        stores.map((store, i) => store.take(taking(`t${i}`, { address: '10.0.0.5' }))),
      );
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
      const [after] = await scene.claims();
      expect(after).toMatchObject({ state: 'held', length: 32 });
      expect(after!.version).toBeGreaterThan(left.version);
    });

    test('tell each other by the watch', async () => {
      const [one, two] = [await scene.process(), await scene.process()];
      const told = new Promise((resolve) => two.watch(resolve));
      await taken(one, 'a');
      expect(await told).toMatchObject({ kind: 'taken', network: 'default', pool: 'z', length: 32 });
      expect((await two.list({ by: 'uid', uid: 'uid of a' })).map(addressText)).toEqual(['10.0.0.0']);
    });
  });
}
