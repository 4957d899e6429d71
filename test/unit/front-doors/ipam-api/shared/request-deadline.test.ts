import { IpamError } from '../../../../../operator/errors/ipam-error';
import { accept, type Outcome } from '../../../../../operator/errors/outcome';
import { withDeadline } from '../../../../../operator/front-doors/ipam-api/shared/request-deadline';
import { awaitSystem } from '../../../../../operator/runtime/awaited-system';
import { ManualClock } from '../../../../support/manual-clock';

const world = () => {
  const clock = new ManualClock();
  return { clock, limits: { clock, deadlineSeconds: 3 } };
};
const never = (): Promise<Outcome<string>> => new Promise(() => undefined);

describe('withDeadline', () => {
  test('gives what came in time, and waits for nothing afterwards', async () => {
    const { clock, limits } = world();
    expect(await withDeadline(limits, () => Promise.resolve(accept('done')))).toEqual(accept('done'));
    expect(clock.waiting).toBe(0);
  });

  test('refuses at the deadline, not before', async () => {
    const { clock, limits } = world();
    let answered: Outcome<string> | undefined;
    const answer = withDeadline(limits, never).then((outcome) => (answered = outcome));
    clock.advance(2_999);
    await Promise.resolve();
    expect(answered).toBeUndefined();
    clock.advance(1);
    expect(await answer).toMatchObject({ ok: false, refusal: { code: 'store/deadline' } });
  });

  test.each([
    ['the store', never],
    ['NetBox', () => awaitSystem('netbox', never)],
    ['PostgreSQL, the store of addresses,', () => awaitSystem('postgres', never)],
  ])('FU-36 names %s where that gave no answer', async (name, work) => {
    const { clock, limits } = world();
    const answer = withDeadline(limits, work);
    clock.advance(3_000);
    expect(await answer).toMatchObject({
      refusal: { message: `${name} gave no answer within 3 s; ask again, nothing is taken twice` },
    });
  });

  test('turns an error of ours into its refusal, and lets any other one through', async () => {
    const { clock, limits } = world();
    const away = new IpamError('store/unavailable', 'the store is away');
    expect(await withDeadline(limits, () => Promise.reject(away))).toMatchObject({
      ok: false,
      refusal: { code: 'store/unavailable', message: 'the store is away' },
    });
    await expect(withDeadline(limits, () => Promise.reject(new TypeError('a fault')))).rejects.toThrow('a fault');
    expect(clock.waiting).toBe(0);
  });
});
