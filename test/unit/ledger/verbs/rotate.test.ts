import { addressOf } from '../../../../operator/addressing/address';
import type { RotateRequest } from '../../../../operator/ports/address-book';
import { ask, askByApi, claimant, CUSTOM, granted, LedgerWorld, refusal } from '../../../support/ledger-world';

const at = '192.0.2.8';
const next = { value: 'the-next-secret', scope: 'shared' } as const;
const other = { value: 'some-other-secret', scope: 'shared' } as const;

function rotation(change: Partial<RotateRequest> = {}): RotateRequest {
  return {
    zone: 'z',
    family: 4,
    address: addressOf(at),
    claimant: claimant('a/web', { namespace: '' }),
    secret: CUSTOM,
    newSecret: next,
    options: { retentionPeriodDays: 0, denyExternalCleanup: false },
    ...change,
  };
}

async function apiWorld(): Promise<LedgerWorld> {
  const world = new LedgerWorld();
  await world.has(askByApi(claimant('a/web'), { at }));
  return world;
}

describe('rotate', () => {
  test('replaces the secret; the old one owns nothing any more', async () => {
    const world = await apiWorld();
    granted(await world.book.rotate(rotation()));
    expect(refusal(await world.book.reserve(askByApi(claimant('a/web'), { at }))).code).toBe('secret/wrong');
    expect((await world.has(askByApi(claimant('a/web'), { at, secret: next }))).created).toBe(false);
    const record = await world.record(at);
    expect(JSON.stringify(record)).not.toContain(next.value);
  });

  test('finds the rotated claim again without a wish, and frees its old key', async () => {
    const world = new LedgerWorld();
    const first = await world.has(askByApi(claimant('a/web')));
    granted(await world.book.rotate(rotation({ address: first.address })));
    expect((await world.has(askByApi(claimant('a/web'), { secret: next }))).address).toEqual(first.address);
    expect((await world.has(askByApi(claimant('a/web')))).address).not.toEqual(first.address);
  });

  test('succeeds again without a write when it is done already', async () => {
    const world = await apiWorld();
    granted(await world.book.rotate(rotation()));
    expect(await world.writesOf(async () => granted(await world.book.rotate(rotation())))).toBe(0);
  });

  test.each([
    ['a new secret of four characters', { newSecret: { value: 'four', scope: 'shared' } }, 'new_secret'],
    ['a new secret of 65 characters', { newSecret: { value: 'x'.repeat(65), scope: 'shared' } }, 'new_secret'],
    ['an old secret of four characters', { secret: { value: 'four', scope: 'shared' } }, 'secret'],
  ] as const)('W-10 refuses %s', async (_name, change, field) => {
    const world = await apiWorld();
    expect(refusal(await world.book.rotate(rotation(change)))).toMatchObject({ code: 'secret/invalid', field });
    expect((await world.has(askByApi(claimant('a/web'), { at }))).created).toBe(false);
  });

  test('refuses while somebody shares the address', async () => {
    const world = await apiWorld();
    await world.has(askByApi(claimant('a/web', { cluster: 'c2' }), { at }));
    const refused = refusal(await world.book.rotate(rotation()));
    expect(refused.code).toBe('secret/shared');
    expect(refused.message).toContain('while an object of cluster c2 share it');
  });

  test('names the cluster alone of a sharer of another one', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web', { at, secret: CUSTOM }), 'uid-of-web');
    await world.owns(ask(claimant('a/web', { cluster: 'c2' }), { at, secret: CUSTOM }), 'uid-of-far');
    expect(refusal(await world.book.rotate(rotation())).message).toContain('while an object of cluster c2 share it');
  });

  test.each([
    ['a wrong secret', { secret: other }, 'secret/wrong'],
    ['another service with the secret', { claimant: claimant('a/db') }, 'address/held'],
    ['another service without it', { claimant: claimant('a/db'), secret: other }, 'secret/wrong'],
    ['an address that nobody holds', { address: addressOf('192.0.2.9') }, 'claim/not-found'],
    ['an unknown zone', { zone: 'x' }, 'zone/unknown'],
  ] as const)('refuses %s', async (_name, change, code) => {
    const world = await apiWorld();
    expect(refusal(await world.book.rotate(rotation(change))).code).toBe(code);
  });

  test('W-13 lets a join or a rotation win, never both', async () => {
    const world = await apiWorld();
    const join = askByApi(claimant('a/web', { cluster: 'c2' }), { at });
    const [joined, rotated] = await Promise.all([world.book.reserve(join), world.book.rotate(rotation())]);
    expect([joined.ok, rotated.ok].filter(Boolean)).toHaveLength(1);
  });

  test('recalls a retained claim', async () => {
    const world = await apiWorld();
    const options = { retentionPeriodDays: 1, denyExternalCleanup: false };
    const { service } = claimant('a/web');
    const address = addressOf(at);
    granted(
      await world.book.releaseByService({ zone: 'z', family: 4, address, service, secret: CUSTOM.value, options }),
    );
    expect(granted(await world.book.rotate(rotation())).state).toBe('bound');
  });
});
