import { AddressLocks } from '../../../../../operator/backends/netbox/address-locks';
import { addressOf } from '../../../../../operator/addressing/address';
import {
  refusalOfLate,
  withinDeadline,
  type Attempt,
} from '../../../../../operator/front-doors/services/wanted/admission-deadline';
import { awaitSystem, type AwaitedSystem } from '../../../../../operator/runtime/awaited-system';
import { ArmedClock } from '../../../../support/armed-clock';
import { RecordedMeter } from '../../../../support/recorded-telemetry';
import { settled } from '../../../../support/wrapped-book';

const never = (): Promise<never> => new Promise(() => undefined);

describe('withinDeadline', () => {
  let clock: ArmedClock;
  let meter: RecordedMeter;
  beforeEach(() => {
    clock = new ArmedClock();
    meter = new RecordedMeter();
  });

  async function lateRefusal(run: (attempt: Attempt) => Promise<unknown>): Promise<string> {
    const ended = withinDeadline(clock, 8, run);
    await settled();
    clock.advance(8_000);
    const late = await ended;
    if (late.kind === 'done') throw new TypeError('the work ended in time');
    const { code, message } = refusalOfLate(meter, late);
    return `${code}: ${message.split(';', 1)[0]!}`;
  }

  test.each<[AwaitedSystem, string]>([
    ['netbox', 'store/deadline: NetBox gave no answer within 8 s'],
    ['ipam-api', 'store/deadline: the IPAM-API of --ipam-api-url gave no answer within 8 s'],
    ['postgres', 'store/deadline: PostgreSQL, the store of addresses, gave no answer within 8 s'],
    ['api-server', 'cluster/unavailable: the API server gave no answer within 8 s'],
  ])('FU-36 tells in message and metric that %s was waited for, inside a call of the store', async (system, text) => {
    expect(
      await lateRefusal(async (attempt) => {
        attempt.awaits = 'store';
        await awaitSystem('api-server', () => Promise.resolve());
        await awaitSystem(system, never);
      }),
    ).toBe(text);
    expect(meter.of('admission_deadlines_total')).toMatchObject([{ labels: { awaited: system }, value: 1 }]);
  });

  test('FU-36 names the system that a system waits for itself', async () => {
    const text = await lateRefusal(() => awaitSystem('netbox', () => awaitSystem('postgres', never)));
    expect(text).toContain('PostgreSQL, the store of addresses, gave no answer');
  });

  test('FU-36 names the store again once every other system has answered', async () => {
    const text = await lateRefusal(async () => {
      await awaitSystem('netbox', () => Promise.reject(new RangeError('away'))).catch(() => undefined);
      await never();
    });
    expect(text).toBe('store/deadline: the store of addresses gave no answer within 8 s');
    expect(meter.of('admission_deadlines_total')).toMatchObject([{ labels: { awaited: 'store' }, value: 1 }]);
  });

  test('FU-36 tells requests apart that wait for different systems at the same time', async () => {
    const texts = await Promise.all([
      lateRefusal(() => awaitSystem('netbox', never)),
      lateRefusal(never),
      lateRefusal(() => awaitSystem('api-server', never)),
    ]);
    expect(texts.map((text) => /: (.*) gave/u.exec(text)?.[1])).toEqual([
      'NetBox',
      'the store of addresses',
      'the API server',
    ]);
  });

  test('FU-36 names NetBox to a request that waits in line behind one that asks it', async () => {
    const locks = new AddressLocks();
    const at = { network: 'default', address: addressOf('10.0.0.1') };
    void locks.run(at, never);
    expect(await lateRefusal(() => locks.run(at, () => Promise.resolve()))).toContain('NetBox gave no answer');
  });

  test.each([
    ['pool/unpublished', 'metallb-pool'],
    ['reservation/limit', 'reservations'],
  ] as const)('FU-36 counts the wait that ends as %s as %s', async (code, awaited) => {
    const text = await lateRefusal((attempt) => {
      attempt.cause = { code, message: 'the cause' };
      return never();
    });
    expect(text).toBe(`${code}: the cause`);
    expect(meter.of('admission_deadlines_total')).toMatchObject([{ labels: { awaited }, value: 1 }]);
  });
});
