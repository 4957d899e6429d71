import { valueOf } from '../../operator/errors/ipam-error';
import type { TakeRequest } from '../../operator/ports/claims';
import { addressText, leaseOf, listed, refusalOf, releasing, spaceOf, taken, taking } from './claim-requests';
import type { ClaimParts, ClaimStore, Subject } from './store-under-test';

/**
 * Contract of `peek`.
 *
 * @param subject - the store of the running test
 * @param has - which optional parts of a claim it keeps
 */
export function describePeek(subject: Subject<ClaimStore>, has: ClaimParts): void {
  describe('peek', () => {
    const peek = async (request: TakeRequest): Promise<string> => {
      const found = await subject.store.peek!(request);
      return found.ok ? found.value.map(({ address }) => address.toString()).join() : found.refusal.code;
    };

    if (has.keys) {
      test('tells what a take then answers', async () => {
        await taken(subject.store, 'a');
        const paused = await taken(subject.store, 'p');
        const left = valueOf(await subject.store.release(releasing(paused, { quarantineMs: 9 })));
        const small = { space: spaceOf('10.0.0.0/31') };
        const requests: TakeRequest[] = [
          taking('a'),
          taking('b', { address: '10.0.0.0' }),
          taking('b', { address: '10.0.0.1' }),
          taking('b', { address: '10.0.0.1', returningOver: left!.version }),
          taking('b', small),
          taking('b', { network: 'vpn' }),
          taking('b'),
        ];
        const told = [];
        for (const request of requests) told.push(await peek(request));
        expect(told).toEqual([
          ...['10.0.0.0', 'address/held', 'address/quarantined', '10.0.0.1', 'pool/exhausted'],
          ...['10.0.0.0', '10.0.0.2'],
        ]);
        await subject.clock.advance(9);
        expect(await peek(taking('b', small))).toBe('10.0.0.1');
      });
    }

    test('takes nothing', async () => {
      expect(await peek(taking('a'))).toBe('10.0.0.0');
      expect(await peek(taking('b'))).toBe('10.0.0.0');
      expect(await listed(subject.store, { by: 'pool', network: 'default', pool: 'z' })).toEqual([]);
      expect(addressText(await taken(subject.store, 'c'))).toBe('10.0.0.0');
    });

    test('refuses in the words of a take', async () => {
      await taken(subject.store, 'a');
      const requests = [taking('b', { address: '10.0.0.0' }), taking('b', { space: spaceOf('10.0.0.0/32') })];
      if (has.limits) {
        requests.push(
          taking('b', { poolQuota: 1 }),
          taking('b', { maxReservedInNamespace: 0, holder: leaseOf('b', 9) }),
        );
      }
      for (const request of requests) {
        expect(refusalOf(await subject.store.peek!(request))).toEqual(refusalOf(await subject.store.take(request)));
      }
    });
  });
}
