import { isIpamError } from '../../../../../operator/errors/ipam-error';
import { ask, claimant, granted } from '../../../../support/ledger-world';
import { RemoteWorld, type RemoteProcess } from '../../../../support/remote-world';

const UNKNOWN = 'E4711 flux capacitor desynchronised';
/** Short, so that what is repeated within a call ends soon, and before the server counts as away. */
const BUDGET_MS = 400;

let world: RemoteWorld;
let operator: RemoteProcess;
beforeEach(async () => {
  world = new RemoteWorld();
  await world.api.start(20);
  operator = world.process({ budgetMs: BUDGET_MS });
});
afterEach(() => world.dispose());

/** Reads the result of the caller: a refusal, or the sentence that was thrown with `store/unavailable`. */
async function heard(): Promise<string> {
  try {
    const outcome = await operator.book.reserve(ask('a/web', { zone: 'inet' }));
    return outcome.ok ? 'granted' : outcome.refusal.message;
  } catch (thrown) {
    if (!isIpamError(thrown, 'store/unavailable')) throw thrown;
    return thrown.message;
  }
}

const ROWS = [400, 403, 404, 409, 418, 422, 500, 501, 503, 507].map((status) => [status, false] as const);
const COMMITTED = [500, 503, 504].map((status) => [status, true] as const);

describe('an answer with a text that nobody knows', () => {
  test.each([...ROWS, ...COMMITTED])(
    'of status %d (work done: %p) is told as it came, and leaves neither a lost nor a second address',
    async (status, committed) => {
      const body = JSON.stringify({ message: UNKNOWN });
      world.api.fault = ({ method }) => (method === 'POST' ? { kind: 'answer', status, body, committed } : undefined);
      expect(await heard()).toBe(
        status === 403
          ? `the IPAM-API answered 403: ${UNKNOWN}; the operator has no right to call it`
          : `the IPAM-API answered ${String(status)}: ${UNKNOWN}`,
      );
      world.api.fault = () => undefined;
      const grant = granted(await operator.book.reserve(ask('a/web', { zone: 'inet' })));
      expect(world.api.holders()).toEqual([`${grant.address.toString()}/32 web`]);
      expect(world.phases()).toEqual(['held']);
      granted(await operator.book.bind({ claimant: { ...claimant('a/web'), serviceUid: 'u1' }, grant }));
      granted(await operator.book.releaseByUid({ serviceUid: 'u1' }));
      await world.settled();
      expect(world.api.holders()).toEqual([]);
      expect(world.phases()).toEqual([]);
    },
  );

  test.each([400, 404, 409, 500, 503])(
    'of status %d to a release lets it be told again until it is heard',
    async (status) => {
      const grant = granted(await operator.book.reserve(ask('a/web', { zone: 'inet' })));
      granted(await operator.book.bind({ claimant: { ...claimant('a/web'), serviceUid: 'u1' }, grant }));
      const body = JSON.stringify({ message: UNKNOWN });
      let faults = 2;
      world.api.fault = ({ method }) =>
        method === 'DELETE' && faults-- > 0 ? { kind: 'answer', status, body } : undefined;
      granted(await operator.book.releaseByUid({ serviceUid: 'u1' }));
      await world.settled();
      expect(world.api.holders()).toEqual([]);
      expect(world.phases()).toEqual([]);
    },
  );
});
