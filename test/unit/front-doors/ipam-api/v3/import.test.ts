import { MemoryClaimStore } from '../../../../../operator/backends/memory/memory-claim-store';
import type { AnswerBody, CallOf } from '../../../../../operator/contract/ipam-api/v3/operations';
import { valueOf } from '../../../../../operator/errors/ipam-error';
import type { IpamApiV3Parts, V3Call } from '../../../../../operator/front-doors/ipam-api/v3/parts';
import { REGISTRY_HANDLERS } from '../../../../../operator/front-doors/ipam-api/v3/registry-handlers';
import { LedgerWorld } from '../../../../support/ledger-world';
import { ManualClock } from '../../../../support/manual-clock';
import { Mortal } from '../../../../support/mortal';
import { storeClock } from '../../../../support/store-clock';

type Body = CallOf<'importClaims'>['body'];
type Claim = Body['claims'][number];

const claim = (address: string, names: readonly string[], secret = 'correct-horse-battery'): Claim => ({
  zone: 'z',
  address,
  secret,
  services: names.map((serviceName) => ({
    clusterUid: 'c1',
    namespaceUid: 'ns',
    serviceName,
    options: { retentionPeriodDays: 0, denyExternalCleanup: false },
  })),
});

async function bring(world: LedgerWorld, claims: readonly Claim[]): Promise<AnswerBody<'importClaims'>['entries']> {
  const call = { body: { dryRun: false, claims: [...claims] } } as unknown as V3Call<'importClaims'>;
  const parts = { registry: world.registry } as IpamApiV3Parts;
  return valueOf(await REGISTRY_HANDLERS.importClaims(parts, call)).body.entries;
}

describe('POST /v3/import', () => {
  test('answers every entry in its place, those of one address one after the other', async () => {
    const world = new LedgerWorld();
    const many = Array.from({ length: 100 }, (_, i) => claim(`192.0.2.${i + 100}`, [`s${i}`]));
    const entries = await bring(world, [
      claim('192.0.2.1', ['a']),
      claim('192.0.2.1', ['b']),
      claim('192.0.2.x', ['a']),
      ...many,
      claim('192.0.2.1', ['a']),
      claim('192.0.2.1', ['c'], 'another-secret-here'),
    ]);
    expect(entries.map(({ address }) => address)).toEqual([
      ...['192.0.2.1', '192.0.2.1', '192.0.2.x'],
      ...many.map(({ address }) => address),
      ...['192.0.2.1', '192.0.2.1'],
    ]);
    expect([...entries.slice(0, 3), ...entries.slice(-2)].map(({ verdict }) => verdict)).toEqual([
      ...['imported', 'imported', 'refused'],
      ...['same', 'refused'],
    ]);
    expect((await world.record('192.0.2.1'))?.holders.map(({ owner }) => owner.name)).toEqual(['a', 'b']);
  });

  test('W-07 run again after a death at any moment, it ends as one that nobody killed', async () => {
    const claims = Array.from({ length: 40 }, (_, i) => claim(`192.0.2.${i + 1}`, i % 3 === 0 ? ['a', 'b'] : ['a']));
    let unfinished = 0;
    for (let calls = 0; ; calls += 5) {
      const mortal = new Mortal(calls);
      const clock = new ManualClock();
      const opened = { store: new MemoryClaimStore(clock), clock: storeClock(clock) };
      const dying = new LedgerWorld(undefined, (whole) => mortal.wrap(whole), opened);
      const ends: number[] = [];
      void bring(dying, claims).then(() => ends.push(calls));
      // in memory everything that can go on does so within some turns of the loop
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
      const world = new LedgerWorld(undefined, undefined, opened);
      const verdicts = (await bring(world, claims)).map(({ verdict }) => verdict);
      if (verdicts.includes('imported') && verdicts.includes('same')) unfinished++;
      expect(verdicts.filter((verdict) => verdict === 'refused')).toEqual([]);
      expect((await bring(world, claims)).every(({ verdict }) => verdict === 'same')).toBe(true);
      const held = await Promise.all(claims.map(({ address }) => world.record(address)));
      expect(held.map((record) => record?.holders.map(({ owner }) => owner.name))).toEqual(
        claims.map(({ services }) => services.map(({ serviceName }) => serviceName)),
      );
      if (ends.length > 0) break;
    }
    expect(unfinished).toBeGreaterThan(5);
  });
});
