import type { ZoneProps } from '../../../../operator/contract/zones';
import { ask, CUSTOM, LedgerWorld, refusal } from '../../../support/ledger-world';

const at = '192.0.2.20';
const before: ZoneProps = { name: 'z', prefixes: ['192.0.2.0/24'] };

describe('FU-19 a retained address that its zone does not give any more', () => {
  test.each<{ what: string; after: readonly ZoneProps[]; code: string }>([
    { what: 'excluded', after: [{ ...before, excluded: [at] }], code: 'address/excluded' },
    { what: 'outside', after: [{ ...before, prefixes: ['192.0.2.128/25'] }], code: 'address/outside-zone' },
    { what: 'of a draining zone', after: [{ ...before, draining: true }], code: 'zone/draining' },
  ])('$what: by its name, by its number and by its secret the answer is $code', async ({ after, code }) => {
    const world = new LedgerWorld([before]);
    const options = { retentionPeriodDays: 30, denyExternalCleanup: false };
    await world.owns(ask('a/x', { at, options, secret: CUSTOM }), 'ux');
    await world.book.releaseByUid({ serviceUid: 'ux' });
    world.zones.become(after);
    for (const who of ['a/x', 'a/y', 'b/y']) {
      expect(refusal(await world.book.reserve(ask(who, { at, secret: CUSTOM }))).code).toBe(code);
    }
    const anything = await world.book.reserve(ask('a/x', { secret: CUSTOM }));
    expect(anything.ok ? anything.value.address.toString() : anything.refusal.code).not.toBe(at);
    expect((await world.record(at))?.holders[0]?.state).toBe('retained');
  });

  test('who has it keeps it', async () => {
    const world = new LedgerWorld([before]);
    await world.owns(ask('a/x', { at }), 'ux');
    world.zones.become([{ ...before, excluded: [at] }]);
    expect((await world.has(ask('a/x', { at }))).address.toString()).toBe(at);
  });
});
