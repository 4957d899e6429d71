import { addressOf } from '../../../../operator/addressing/address';
import type { SharingTerms } from '../../../../operator/ports/claims';
import {
  ask,
  askByApi,
  claimant,
  CUSTOM,
  granted,
  LedgerWorld,
  refusal,
  sharing,
  texts,
} from '../../../support/ledger-world';

const at = '192.0.2.53';
const udp = { key: 'k', ports: ['53/UDP'], trafficPolicy: 'Cluster', selector: 'app=x' } as const;

async function dnsWorld(): Promise<LedgerWorld> {
  const world = new LedgerWorld();
  await world.owns(ask('a/A', { at, sharing: udp }), 'uA');
  return world;
}

describe('reserve of an address that somebody holds', () => {
  test('REQ-03 B joins with the other protocol', async () => {
    const world = await dnsWorld();
    const grant = await world.has(ask('a/B', { at, sharing: { ...udp, ports: ['53/TCP'] } }));
    expect(grant).toMatchObject({ state: 'reserved', created: true, sharedWith: ['a/A'] });
  });

  test.each<{ name: string; change: Partial<SharingTerms>; code: string }>([
    { name: 'C: same port', change: {}, code: 'sharing/refused' },
    { name: 'D: no key', change: { key: '', ports: ['80/TCP'] }, code: 'address/held' },
    {
      name: 'E: Local',
      change: { ports: ['443/TCP'], trafficPolicy: 'Local', selector: 'app=y' },
      code: 'sharing/refused',
    },
    {
      name: 'F: Local, same selector',
      change: { ports: ['8443/TCP'], trafficPolicy: 'Local' },
      code: 'sharing/refused',
    },
    { name: 'G: another key', change: { key: 'j', ports: ['80/TCP'] }, code: 'sharing/refused' },
  ])(
    'REQ-03 FU-12 $name waits in the namespace of A, and is refused with $code elsewhere',
    async ({ change, code }) => {
      const world = new LedgerWorld();
      await world.owns(ask('a/A', { at, sharing: udp, secret: CUSTOM }), 'uA');
      const request = ask('a/X', { at, sharing: { ...udp, ...change }, secret: CUSTOM });
      const waits = refusal(await world.book.reserve(request));
      expect(waits).toMatchObject({ code: 'address/in-use', value: at });
      expect(waits.message).toContain('"a/A"');
      const refused = refusal(await world.book.reserve({ ...request, claimant: claimant('b/X') }));
      expect(refused).toMatchObject({ code, value: at });
      expect(refused.message).toContain('"a/A"');
      expect((await world.record(at))?.holders).toHaveLength(1);
    },
  );

  test('FU-12 who is in the way of a wish may be of the namespace or not: one from elsewhere is enough for a refusal', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/A', { at, sharing: udp, secret: CUSTOM }), 'uA');
    await world.owns(ask('b/B', { at, sharing: { ...udp, ports: ['53/TCP'] }, secret: CUSTOM }), 'uB');
    const both = ask('a/X', { at, sharing: { ...udp, ports: ['53/TCP', '53/UDP'] }, secret: CUSTOM });
    expect(refusal(await world.book.reserve(both)).code).toBe('sharing/refused');
    const tcp = { ...both, sharing: { ...udp, ports: ['53/UDP'] } };
    expect(refusal(await world.book.reserve(tcp)).code).toBe('address/in-use');
  });

  test("FU-08 who came without terms is in nobody's way that came with it; the first that speaks writes its own", async () => {
    const world = new LedgerWorld();
    for (const name of ['A', 'B', 'C']) await world.has(askByApi(claimant(`a/${name}`), { at }));
    const speaks = async (name: string, terms: SharingTerms) => {
      const who = { ...claimant(`a/${name}`), serviceUid: `u${name}` };
      const [grant] = await world.book.holdings(who);
      const options = { retentionPeriodDays: 0, denyExternalCleanup: false };
      return world.book.bind({ claimant: who, grant: grant!, terms: { options, sharing: terms, writtenKeys: [] } });
    };
    granted(await speaks('A', udp));
    const refused = refusal(await speaks('B', udp));
    expect(refused).toMatchObject({ code: 'sharing/refused' });
    expect(refused.message).toContain('"a/A"');
    granted(await speaks('B', { ...udp, ports: ['53/TCP'] }));
    const changed = ask(claimant('a/A', { serviceUid: 'uA' }), {
      at,
      sharing: { ...udp, ports: ['54/UDP'] },
      secret: CUSTOM,
    });
    granted(await world.book.reserve(changed));
    // who was not there yet must know with whom it shares
    expect(refusal(await world.book.reserve({ ...changed, claimant: claimant('a/D') })).code).toBe('address/in-use');
  });

  test('FU-09 the secret recalls a retained address under another name or in another namespace', async () => {
    const world = new LedgerWorld();
    const options = { retentionPeriodDays: 30, denyExternalCleanup: false };
    await world.owns(ask('a/x', { at, options, sharing: udp, secret: CUSTOM }), 'ux');
    await world.book.releaseByUid({ serviceUid: 'ux' });
    expect(refusal(await world.book.reserve(ask('b/z', { at }))).message).toContain('retained for "a/x" until');

    const grant = await world.owns(ask('b/y', { at, sharing: udp, secret: CUSTOM }), 'uy');
    expect(grant.state).toBe('bound');
    // one has it now, and the one who left has no say about ports and secret
    expect(refusal(await world.book.reserve(ask('a/x', { at, sharing: udp, secret: CUSTOM }))).code).toBe(
      'sharing/refused',
    );
    const who = { ...claimant('b/y'), serviceUid: 'uy' };
    const terms = { options, writtenKeys: [], secret: { value: 'another-secret-of-b', scope: 'shared' } } as const;
    granted(await world.book.bind({ claimant: who, grant, terms }));
  });

  test('FU-09 who comes back beside those that came since has to share with them', async () => {
    const world = new LedgerWorld();
    const options = { retentionPeriodDays: 30, denyExternalCleanup: false };
    await world.owns(ask('a/x', { at, options, sharing: udp }), 'ux');
    await world.book.releaseByUid({ serviceUid: 'ux' });
    await world.owns(ask('a/y', { at, sharing: udp }), 'uy');
    expect(refusal(await world.book.reserve(ask('a/x', { at, sharing: udp }))).code).toBe('address/in-use');
    expect((await world.has(ask('a/x', { sharing: udp }))).address.toString()).toBe('192.0.2.0');
    expect((await world.has(ask('a/x', { at, sharing: { ...udp, ports: ['53/TCP'] } }))).sharedWith).toEqual(['a/y']);
  });

  test('FU-17 two that share can all become Local by the way that the refusal names', async () => {
    const world = await dnsWorld();
    const tcp = { ...udp, ports: ['53/TCP'] };
    await world.owns(ask('a/B', { at, sharing: tcp }), 'uB');
    const [a, b] = [claimant('a/A', { serviceUid: 'uA' }), claimant('a/B', { serviceUid: 'uB' })];
    const local = { trafficPolicy: 'Local' } as const;
    for (const [who, terms] of [
      [a, udp],
      [b, tcp],
    ] as const) {
      const refused = refusal(await world.book.reserve(ask(who, { at, sharing: { ...terms, ...local } })));
      expect(refused).toMatchObject({ code: 'sharing/refused' });
      expect(refused.message).toContain('move one away first: give it another address by ipam.vitistack.io/addresses');
    }
    await world.owns(ask(b, { at: '192.0.2.54', sharing: tcp }), 'uB');
    await world.book.releaseByUid({ serviceUid: 'uB', keep: [addressOf('192.0.2.54')] });
    await world.owns(ask(a, { at, sharing: { ...udp, ...local } }), 'uA');
    const back = await world.owns(ask(b, { at, sharing: { ...tcp, ...local } }), 'uB');
    expect(back.sharedWith).toEqual(['a/A']);
  });

  test('REQ-03 refuses H of another namespace without an opt-in of both sides', async () => {
    const world = await dnsWorld();
    const refused = refusal(await world.book.reserve(ask('b/H', { at, sharing: { ...udp, ports: ['80/TCP'] } })));
    expect(refused.code).toBe('address/held');
    expect(refused.message).toContain('"a/A"');
    expect(refused.message).toContain('one custom secret and one sharing key');
  });

  test('REQ-03 lets another namespace join with one custom secret and one sharing key', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/A', { at, sharing: udp, secret: CUSTOM }), 'uA');
    const request = ask('b/H', { at, sharing: { ...udp, ports: ['80/TCP'] }, secret: CUSTOM });
    expect((await world.has(request)).sharedWith).toEqual(['a/A']);
    const keyless = { ...request, claimant: claimant('b/I'), sharing: sharing('', { ports: ['81/TCP'] }) };
    expect(refusal(await world.book.reserve(keyless)).code).toBe('address/held');
  });

  test('W-20 does not make another namespace co-owner by the default secret', async () => {
    const world = await dnsWorld();
    const intruder = ask('b/evil', { at, sharing: { ...udp, ports: ['80/TCP'] } });
    expect(refusal(await world.book.reserve(intruder)).code).toBe('address/held');
    const byApi = askByApi(claimant('b/evil'), { at, secret: { value: intruder.secret.value, scope: 'shared' } });
    expect(refusal(await world.book.reserve(byApi)).code).toBe('secret/wrong');
  });

  test('lets another cluster join by the custom secret alone', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/A', { at, secret: CUSTOM }), 'uA');
    const there = ask(claimant('a/A', { cluster: 'c2' }), { at, secret: CUSTOM });
    expect((await world.has(there)).sharedWith).toEqual(['an object of cluster c1']);
  });

  test('lets a claim of the IPAM-API join by the secret, and refuses a wrong one', async () => {
    const world = new LedgerWorld();
    await world.has(askByApi(claimant('a/A'), { at }));
    const other = claimant('b/B', { cluster: 'c2' });
    const wrong = askByApi(other, { at, secret: { value: 'wrong-secret', scope: 'shared' } });
    expect(refusal(await world.book.reserve(wrong)).code).toBe('secret/wrong');
    expect(await world.has(askByApi(other, { at }))).toMatchObject({ state: 'bound', created: true });
  });

  test('refuses new terms that the others on the address exclude, and keeps the old ones', async () => {
    const world = await dnsWorld();
    await world.owns(ask('a/B', { at, sharing: { ...udp, ports: ['53/TCP'] } }), 'uB');
    const both = { ...udp, ports: ['53/TCP', '53/UDP'] };
    const update = ask(claimant('a/B', { serviceUid: 'uB' }), { at, sharing: both });
    expect(refusal(await world.book.reserve(update)).code).toBe('sharing/refused');
    const unrelated = { ...update, sharing: { ...udp, ports: ['53/TCP'] } };
    expect(await world.writesOf(() => world.has(unrelated))).toBe(0);
  });

  test('W-13 loses none of many that join and leave at the same moment', async () => {
    const world = new LedgerWorld();
    await world.has(askByApi(claimant('a/web'), { at }));
    const clusters = Array.from({ length: 10 }, (_, i) => claimant('a/web', { cluster: `d${i}` }));
    const joins = clusters.map((who) => world.book.reserve(askByApi(who, { at })));
    for (const outcome of await Promise.all(joins)) expect(granted(outcome).created).toBe(true);
    expect((await world.record(at))?.holders).toHaveLength(11);

    const leaves = clusters.map(({ service }) => world.book.releaseByService(releaseOf(service)));
    for (const outcome of await Promise.all(leaves)) expect(outcome.ok).toBe(true);
    const record = await world.record(at);
    expect(record?.state).toBe('held');
    expect(record?.holders.map(({ owner }) => owner.cluster)).toEqual(['c1']);
  });

  test('EXT-05 refuses a second claim on a retained address, and keeps a shared one while somebody lives there', async () => {
    const world = new LedgerWorld();
    const retained = { retentionPeriodDays: 30, denyExternalCleanup: false };
    await world.owns(ask('a/x', { at, options: retained }), 'ux');
    await world.book.releaseByUid({ serviceUid: 'ux' });
    const refused = refusal(await world.book.reserve(ask('b/y', { at })));
    expect(refused.code).toBe('address/held');
    expect(refused.message).toContain('retained for "a/x" until');

    await world.owns(ask('a/x', { at: '192.0.2.60', sharing: sharing('k'), secret: CUSTOM }), 'ux2');
    const y = ask('a/y', { at: '192.0.2.60', sharing: sharing('k', { ports: ['81/TCP'] }), secret: CUSTOM });
    await world.owns(y, 'uy');
    expect(texts(granted(await world.book.releaseByUid({ serviceUid: 'uy' })).released)).toEqual(['192.0.2.60']);
    expect((await world.record('192.0.2.60'))?.state).toBe('held');
  });
});

function releaseOf(service: { serviceName: string; namespaceUid: string; clusterUid: string }) {
  const options = { retentionPeriodDays: 0, denyExternalCleanup: false };
  return { zone: 'z', family: 4, address: addressOf(at), service, secret: CUSTOM.value, options } as const;
}
