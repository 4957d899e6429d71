import type { SharingTerms } from '../../../../operator/ports/claims';
import { ask, CUSTOM, granted, LedgerWorld, refusal } from '../../../support/ledger-world';

const http: SharingTerms = { key: 'k', ports: ['80/TCP'], trafficPolicy: 'Cluster', selector: 'app=x' };
const on = (port: string, change: Partial<SharingTerms> = {}): SharingTerms => ({ ...http, ports: [port], ...change });

async function worldWith(at = '192.0.2.53'): Promise<LedgerWorld> {
  const world = new LedgerWorld();
  await world.owns(ask('a/web', { at, sharing: http }), 'uw');
  return world;
}

describe('FU-16 a Service with a sharing key and no address', () => {
  test('joins those of its namespace and zone that have the key', async () => {
    const world = await worldWith();
    const grant = await world.has(ask('a/dns', { sharing: on('53/UDP') }));
    expect(grant).toMatchObject({ created: true, sharedWith: ['a/web'] });
    expect(grant.address.toString()).toBe('192.0.2.53');
    expect((await world.has(ask('a/dns', { sharing: on('53/UDP') }))).created).toBe(false);
  });

  test.each<{ what: string; asked: Parameters<typeof ask>[1]; told: RegExp }>([
    { what: 'the port', asked: { sharing: http }, told: /both use port 80\/TCP/u },
    {
      what: 'the policy',
      asked: { sharing: on('53/UDP', { trafficPolicy: 'Local' }) },
      told: /externalTrafficPolicy/u,
    },
    {
      what: 'the secret',
      asked: { sharing: on('53/UDP'), secret: CUSTOM },
      told: /"a\/web" has it under another secret/u,
    },
  ])('has an address of its own where $what stands against it, and is told why', async ({ asked, told }) => {
    const world = await worldWith();
    const grant = await world.has(ask('a/dns', asked));
    expect(grant.address.toString()).toBe('192.0.2.0');
    expect(grant.apart).toMatch(told);
  });

  test('FU-21 has an address of its own where it has too many ports to be compared, and is told why', async () => {
    const world = await worldWith();
    const ports = Array.from({ length: 501 }, (_, i) => `${String(i + 1000)}/TCP`);
    const grant = await world.has(ask('a/many', { sharing: { ...http, ports } }));
    expect(grant.address.toString()).toBe('192.0.2.0');
    expect(grant.apart).toMatch(/has more than 500 ports/u);
    const wished = await world.book.reserve(ask('a/next', { at: '192.0.2.53', sharing: { ...http, ports } }));
    expect(refusal(wished).message).toMatch(/this Service has more than 500 ports/u);
    await world.owns(ask('a/many', { sharing: { ...http, ports } }), 'um');
    const beside = await world.book.reserve(ask('a/last', { at: '192.0.2.0', sharing: on('53/UDP') }));
    expect(refusal(beside).message).toMatch(/"a\/many" has more than 500 ports/u);
  });

  test.each([
    { what: 'another key', who: 'a/dns', sharing: on('53/UDP', { key: 'j' }) },
    { what: 'another namespace', who: 'b/dns', sharing: on('53/UDP') },
  ])('has an address of its own without a word: $what', async ({ who, sharing }) => {
    const world = await worldWith();
    const grant = await world.has(ask(who, { sharing }));
    expect(grant.address.toString()).toBe('192.0.2.0');
    expect(grant.apart).toBeUndefined();
  });

  test('joins the one beside which there is room, and nobody who only left an address', async () => {
    const world = await worldWith();
    await world.owns(ask('a/other', { at: '192.0.2.54', sharing: on('53/UDP') }), 'uo');
    expect((await world.has(ask('a/both', { sharing: on('80/UDP') }))).address.toString()).toBe('192.0.2.53');
    expect((await world.has(ask('a/third', { sharing: http }))).address.toString()).toBe('192.0.2.54');
    const options = { retentionPeriodDays: 9, denyExternalCleanup: false };
    await world.owns(ask('a/gone', { at: '192.0.2.55', sharing: on('1/TCP', { key: 'g' }), options }), 'ug');
    await world.book.releaseByUid({ serviceUid: 'ug' });
    expect((await world.has(ask('a/new', { sharing: on('2/TCP', { key: 'g' }) }))).address.toString()).toBe(
      '192.0.2.0',
    );
  });

  test('of several that come at once each one finds the one before', async () => {
    const world = new LedgerWorld();
    const requests = Array.from({ length: 8 }, (_, i) => ask(`a/s${i}`, { sharing: on(`${1000 + i}/TCP`) }));
    const outcomes = await Promise.all(requests.map((request) => world.book.reserve(request)));
    expect(new Set(outcomes.map((outcome) => granted(outcome).address.toString())).size).toBe(1);
  });
});
