import { addressOf } from '../../../../operator/addressing/address';
import {
  ask,
  askByApi,
  claimant,
  CUSTOM,
  DEFAULT,
  granted,
  LedgerWorld,
  refusal,
  sharing,
} from '../../../support/ledger-world';

describe('reserve without a wish', () => {
  test('gives the lowest free address with a lease', async () => {
    const world = new LedgerWorld();
    const grant = await world.has(ask('a/web'));
    expect(grant).toMatchObject({ zone: 'z', family: 4, state: 'reserved', created: true, sharedWith: [] });
    expect(grant.address.toString()).toBe('192.0.2.0');
    const record = await world.record('192.0.2.0');
    expect(record?.holders[0]?.expiresAtMs).toBe(world.clock.nowMs() + 300_000);
  });

  test('answers a repeat with the same grant and writes nothing', async () => {
    const world = new LedgerWorld();
    const first = await world.has(ask('a/web'));
    const writes = await world.writesOf(async () => {
      expect(await world.has(ask('a/web'))).toEqual({ ...first, created: false });
    });
    expect(writes).toBe(0);
  });

  test('answers a repeat of a bound Service without a write', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web'), 'u1');
    const update = ask(claimant('a/web', { serviceUid: 'u1' }));
    expect(await world.writesOf(() => world.has(update))).toBe(0);
  });

  test('renews a lease whose first half is over', async () => {
    const world = new LedgerWorld();
    await world.has(ask('a/web'));
    world.clock.advance(149_000);
    expect(await world.writesOf(() => world.has(ask('a/web')))).toBe(0);
    world.clock.advance(2_000);
    expect(await world.writesOf(() => world.has(ask('a/web')))).toBe(1);
    const record = await world.record('192.0.2.0');
    expect(record?.holders[0]?.expiresAtMs).toBe(world.clock.nowMs() + 300_000);
  });

  test('pushes changed options by one write', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web'), 'u1');
    const options = { retentionPeriodDays: 7, denyExternalCleanup: true };
    const update = ask(claimant('a/web', { serviceUid: 'u1' }), { options });
    expect(await world.writesOf(() => world.has(update))).toBe(1);
    expect((await world.record('192.0.2.0'))?.holders[0]).toMatchObject({ state: 'bound', options });
  });

  test('prefers the bound holding to the reserved one', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web', { at: '192.0.2.9' }), 'u1');
    await world.has(ask('a/web', { at: '192.0.2.3' }));
    expect((await world.has(ask('a/web'))).address.toString()).toBe('192.0.2.9');
  });

  test('keeps families and zones apart', async () => {
    const world = new LedgerWorld([
      { name: 'z', prefixes: ['192.0.2.0/24', '2001:db8::/120'] },
      { name: 'y', prefixes: ['198.51.100.0/24'] },
    ]);
    const texts = [];
    for (const change of [{}, { family: 6 }, { zone: 'y' }] as const) {
      texts.push((await world.has(ask('a/web', change))).address.toString());
    }
    expect(texts).toEqual(['192.0.2.0', '2001:db8::', '198.51.100.0']);
  });

  test('gives two generateName Services of one namespace different addresses', async () => {
    const world = new LedgerWorld();
    const first = ask(claimant('a/', { reservation: 'r1' }));
    const second = ask(claimant('a/', { reservation: 'r2' }));
    const grants = [await world.has(first), await world.has(second), await world.has(first)];
    expect(grants.map(({ address }) => address.toString())).toEqual(['192.0.2.0', '192.0.2.1', '192.0.2.0']);
  });

  test('takes no reservation of another namespace for its own', async () => {
    const world = new LedgerWorld();
    await world.has(ask(claimant('a/', { reservation: 'r1' })));
    const guess = claimant('b/', { reservation: 'r1' });
    expect(refusal(await world.book.reserve(ask(guess, { at: '192.0.2.0' }))).code).toBe('address/held');
    const checked = await world.book.check({ claimant: guess, zone: 'z', address: addressOf('192.0.2.0') });
    expect(refusal(checked).code).toBe('reservation/missing');
    expect(await world.book.holdings(guess)).toEqual([]);
  });

  test('gives a claim of the IPAM-API to its triple, at once and without a lease', async () => {
    const world = new LedgerWorld();
    const grant = await world.has(askByApi(claimant('a/web')));
    expect(grant).toMatchObject({ state: 'bound', created: true });
    expect((await world.record('192.0.2.0'))?.holders[0]?.expiresAtMs).toBeUndefined();
    expect(await world.has(askByApi(claimant('a/web')))).toEqual({ ...grant, created: false });
  });

  test('gives an IPAM-API claim under another secret an address of its own', async () => {
    const world = new LedgerWorld();
    await world.has(askByApi(claimant('a/web')));
    const other = askByApi(claimant('a/web'), { secret: { value: 'another-secret', scope: 'shared' } });
    expect((await world.has(other)).address.toString()).toBe('192.0.2.1');
    expect((await world.has(other)).address.toString()).toBe('192.0.2.1');
  });

  test('refuses the stored object under a wrong secret instead of adding a second address', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web'), 'u1');
    const update = ask(claimant('a/web', { serviceUid: 'u1' }), { secret: CUSTOM });
    expect(refusal(await world.book.reserve(update)).code).toBe('secret/wrong');
    expect(await world.tally()).toEqual({ held: 1, quarantined: 0 });
  });

  test('gives a new Service of an old name under another secret its own address', async () => {
    const world = new LedgerWorld();
    await world.has(ask('a/web'));
    expect((await world.has(ask('a/web', { secret: CUSTOM }))).address.toString()).toBe('192.0.2.1');
  });
});

describe('reserve in a zone that cannot give', () => {
  test('refuses an unknown zone and names the zones', async () => {
    const { code, message } = refusal(await new LedgerWorld().book.reserve(ask('a/web', { zone: 'x' })));
    expect(code).toBe('zone/unknown');
    expect(message).toContain('the zones are "z"');
  });

  test('refuses a family that the zone does not have', async () => {
    const world = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/24'] }]);
    const { code, message } = refusal(await world.book.reserve(ask('a/web', { family: 6 })));
    expect(code).toBe('zone/no-family');
    expect(message).toContain('no IPv6 prefix, it has IPv4');
  });

  test('names zone and family when nothing is free', async () => {
    const world = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/32'] }]);
    await world.has(ask('a/web'));
    const { code, message } = refusal(await world.book.reserve(ask('a/db')));
    expect(code).toBe('pool/exhausted');
    expect(message).toContain('zone "z" has no free IPv4 address');
  });

  test('refuses above the quota of the zone', async () => {
    const world = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/24'], quota: 1 }]);
    await world.has(ask('a/web'));
    expect(refusal(await world.book.reserve(ask('a/db'))).code).toBe('zone/quota');
    expect((await world.has(ask('a/web'))).created).toBe(false);
  });

  test('gives nothing new while the zone drains, and leaves everybody what they have', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web'), 'u1');
    world.zones.become([{ name: 'z', prefixes: ['192.0.2.0/24'], draining: true }]);
    const held = ask(claimant('a/web', { serviceUid: 'u1' }));
    expect((await world.has(held)).address.toString()).toBe('192.0.2.0');
    expect((await world.has({ ...held, wish: addressOf('192.0.2.0') })).created).toBe(false);
    for (const request of [ask('a/db'), ask('a/db', { at: '192.0.2.7' }), ask('a/db', { at: '192.0.2.0' })]) {
      expect(refusal(await world.book.reserve(request)).code).toBe('zone/draining');
    }
  });

  test('leaves a holder its address when the zone is taken out of the document', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web'), 'u1');
    world.zones.become([{ name: 'y', prefixes: ['198.51.100.0/24'] }]);
    const who = claimant('a/web', { serviceUid: 'u1' });
    expect((await world.has(ask(who))).address.toString()).toBe('192.0.2.0');
    expect((await world.has(ask(who, { at: '192.0.2.0' }))).address.toString()).toBe('192.0.2.0');
    const checked = await world.book.check({ claimant: who, zone: 'z', address: addressOf('192.0.2.0') });
    expect(granted(checked).state).toBe('bound');
  });

  test('POOL-05 leaves a holder an address that was excluded later, and never gives it again', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web', { at: '192.0.2.5' }), 'u1');
    world.zones.become([{ name: 'z', prefixes: ['192.0.2.0/24'], excluded: ['192.0.2.5-192.0.2.9'] }]);
    const held = ask(claimant('a/web', { serviceUid: 'u1' }), { at: '192.0.2.5' });
    expect(await world.writesOf(() => world.has(held))).toBe(0);

    await world.book.releaseByUid({ serviceUid: 'u1' });
    expect(refusal(await world.book.reserve(ask('a/web', { at: '192.0.2.5' }))).code).toBe('address/excluded');
    expect((await world.has(ask('a/web'))).address.toString()).toBe('192.0.2.0');
  });
});

describe('reserve with a wish', () => {
  test.each([
    ['outside of the zone', '198.51.100.1', 'address/outside-zone', 'which has 192.0.2.0/24'],
    ['excluded', '192.0.2.9', 'address/excluded', 'is excluded from zone "z"'],
  ] as const)('refuses an address that is %s', async (_name, at, ...[code, text]) => {
    const world = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/24'], excluded: ['192.0.2.9'] }]);
    const refused = refusal(await world.book.reserve(ask('a/web', { at })));
    expect(refused).toMatchObject({ code, value: at });
    expect(refused.message).toContain(text);
  });

  test('refuses an address of the other family', async () => {
    const request = ask('a/web', { at: '192.0.2.1', family: 6 });
    expect(refusal(await new LedgerWorld().book.reserve(request)).code).toBe('address/wrong-family');
  });

  test('SVC-06 keeps the old address until the new one is released, and a refusal changes nothing', async () => {
    const world = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/29'], excluded: ['192.0.2.0'] }]);
    const s1 = await world.owns(ask('a/s1'), 'u1');
    const s2 = await world.owns(ask('a/s2'), 'u2');
    const s3 = await world.owns(ask('a/s3'), 'u3');
    expect([s1, s2, s3].map(({ address }) => address.toString())).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.3']);

    await world.book.releaseByUid({ serviceUid: 'u1' });
    const again = world.restarted();
    const who3 = claimant('a/s3', { serviceUid: 'u3' });
    expect(granted(await again.reserve(ask(claimant('a/s2', { serviceUid: 'u2' })))).address).toEqual(s2.address);
    expect(granted(await again.reserve(ask(who3))).address).toEqual(s3.address);

    const moved = granted(await again.reserve(ask(who3, { at: '192.0.2.7' })));
    expect((await again.holdings(who3)).map(({ address }) => address.toString())).toEqual(['192.0.2.3', '192.0.2.7']);
    granted(await again.bind({ claimant: { ...who3, serviceUid: 'u3' }, grant: moved }));
    expect(granted(await again.releaseByUid({ serviceUid: 'u3', keep: [moved.address] })).released).toEqual([
      s3.address,
    ]);

    const taken = refusal(await again.reserve(ask(who3, { at: '192.0.2.2' })));
    expect(taken.code).toBe('address/in-use');
    expect(taken.message).toContain('"a/s2"');
    expect((await again.holdings(who3)).map(({ address }) => address.toString())).toEqual(['192.0.2.7']);
  });

  test('lets the owner rotate the secret whose former one is shown, durably when the stored object is bound with it', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web'), 'u1');
    const who = { ...claimant('a/web'), serviceUid: 'u1' };
    const request = ask(who, { at: '192.0.2.0', secret: CUSTOM, previousSecret: DEFAULT });
    const grant = await world.has(request);
    expect(grant).toMatchObject({ state: 'bound', created: false });
    expect(await world.writesOf(() => world.has(request))).toBe(0);
    expect(await world.writesOf(() => world.has(ask(who, { at: '192.0.2.0' })))).toBe(0);
    const { options, writtenKeys } = request;
    granted(await world.book.bind({ claimant: who, grant, terms: { secret: CUSTOM, options, writtenKeys } }));
    expect(await world.writesOf(() => world.has(ask(who, { secret: CUSTOM })))).toBe(0);
    expect(refusal(await world.book.reserve(ask(who, { at: '192.0.2.0' }))).code).toBe('secret/wrong');
  });

  test('keeps and rotates the address also without a wish', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web'), 'u1');
    const request = ask(claimant('a/web', { serviceUid: 'u1' }), { secret: CUSTOM, previousSecret: DEFAULT });
    expect((await world.has(request)).address.toString()).toBe('192.0.2.0');
    expect(await world.tally()).toEqual({ held: 1, quarantined: 0 });
  });

  test('gives a new Service of the name its own address under the secret that was rotated away', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web'), 'u1');
    const who = claimant('a/web', { serviceUid: 'u1' });
    await world.owns(ask(who, { at: '192.0.2.0', secret: CUSTOM, previousSecret: DEFAULT }), 'u1', CUSTOM);
    expect((await world.has(ask('a/web'))).address.toString()).toBe('192.0.2.1');
  });

  test('refuses to rotate a shared address', async () => {
    const world = new LedgerWorld();
    const terms = { sharing: sharing('k'), at: '192.0.2.5' };
    await world.owns(ask('a/web', terms), 'u1');
    await world.owns(ask('a/dns', { ...terms, sharing: sharing('k', { ports: ['53/UDP'] }) }), 'u2');
    const request = ask(claimant('a/web', { serviceUid: 'u1' }), { ...terms, secret: CUSTOM, previousSecret: DEFAULT });
    const refused = refusal(await world.book.reserve(request));
    expect(refused.code).toBe('secret/shared');
    expect(refused.message).toContain('"a/dns"');
  });

  test('W-10 refuses a secret of a length that no later request could show', async () => {
    const world = new LedgerWorld();
    const request = ask('a/web', { secret: { value: 'four', scope: 'shared' } });
    const refused = refusal(await world.book.reserve(request));
    expect(refused.code).toBe('secret/invalid');
    expect(JSON.stringify(refused)).not.toContain('"four"');
    expect(await world.tally()).toEqual({ held: 0, quarantined: 0 });
  });

  test("names nobody's secret in any refusal", async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web', { secret: CUSTOM }), 'u1');
    const wrong = { value: 'a-wrong-secret', scope: 'shared' } as const;
    const texts = [
      refusal(await world.book.reserve(ask('b/web', { at: '192.0.2.0', secret: wrong }))),
      refusal(await world.book.reserve(askByApi(claimant('b/web'), { at: '192.0.2.0', secret: wrong }))),
      refusal(await world.book.reserve(ask(claimant('a/web', { serviceUid: 'u1' }), { secret: wrong }))),
    ].map(({ message }) => message);
    for (const text of texts) {
      expect(text).not.toContain(CUSTOM.value);
      expect(text).not.toContain(wrong.value);
      expect(text).not.toContain('k1:');
    }
  });
});
