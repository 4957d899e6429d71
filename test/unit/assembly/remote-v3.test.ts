import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SYSTEM_CLOCK } from '../../../operator/backends/system/system-clock';
import type { Clock } from '../../../operator/ports/clock';
import { openFarRecord, type FarRecord } from '../../../operator/assembly/remote-v3';
import { parseSettings } from '../../../operator/settings/parse-settings';
import type { ClaimChange } from '../../../operator/ports/claims';
import { ask, claimant, LedgerWorld } from '../../support/ledger-world';
import { RecordedLogger, RecordedMeter } from '../../support/recorded-telemetry';
import { startV3, type V3Server } from '../../support/remote-book';

const folder = mkdtempSync(join(tmpdir(), 'ipam-far-'));
const at = (name: string): string => join(folder, name);
const world = new LedgerWorld();
let v3: V3Server;
let lateMs = 0;
const clock: Clock = { nowMs: () => SYSTEM_CLOCK.nowMs() + lateMs, after: (ms, run) => SYSTEM_CLOCK.after(ms, run) };
let far: FarRecord | undefined;

beforeAll(async () => {
  v3 = await startV3(world);
  writeFileSync(at('ca.crt'), v3.authority);
});
beforeEach(() => {
  writeFileSync(at('token'), 'token-of-c1\n');
});
afterEach(() => {
  far?.close();
  far = undefined;
});
afterAll(async () => {
  await v3.server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(...more: string[]): Promise<FarRecord> {
  const usual = [`--ipam-api-token-file=${at('token')}`, `--ipam-api-ca-file=${at('ca.crt')}`];
  const named = new Set(more.map((word) => word.split('=')[0]));
  const argv = [
    ...['--store=remote', `--ipam-api-url=https://127.0.0.1:${v3.address.port}`, ...more],
    ...usual.filter((word) => !named.has(word.split('=')[0])),
  ];
  const settings = parseSettings({ argv, env: {} });
  if (!settings.ok) throw new TypeError(settings.problems.map(({ message }) => message).join('; '));
  const tools = { clock, logger: new RecordedLogger(), meter: new RecordedMeter() };
  far = await openFarRecord(settings.value, tools, { clusterUid: () => Promise.resolve('c1') });
  return far;
}

describe('openFarRecord', () => {
  test('reserves, binds and releases over the wire, and tells watchers', async () => {
    const { book, view } = await open();
    const heard: ClaimChange['kind'][] = [];
    const stop = view.watch(({ kind }) => heard.push(kind));
    await view.ping();
    const who = claimant('a/web');
    const grant = await book.reserve(ask(who));
    if (!grant.ok) throw new TypeError(grant.refusal.message);
    const { network, zone, address, family } = grant.value;
    const stored = { ...who, serviceUid: 'u1' };
    expect(await book.bind({ claimant: stored, grant: grant.value })).toMatchObject({ ok: true });
    expect(await view.list({ by: 'pool', network, pool: zone })).toMatchObject([
      { address, state: 'held', holders: [{ state: 'bound', owner: { uid: 'u1', cluster: 'c1' } }] },
    ]);
    expect(await view.tally()).toContainEqual({ network, pool: zone, family, held: 1, quarantined: 0 });
    expect(await book.releaseByUid({ serviceUid: 'u1' })).toMatchObject({ ok: true, value: { released: [address] } });
    expect(await view.list({ by: 'pool', network, pool: 'another' })).toEqual([]);
    expect(heard).toEqual(['taken', 'changed']);
    stop();
  });

  test('takes a new token at once, and counts as away while there is none', async () => {
    const { view } = await open();
    writeFileSync(at('token'), 'token-of-nobody');
    await expect(view.ping()).rejects.toMatchObject({ code: expect.stringMatching(/^(api|login)\//u) as string });
    writeFileSync(at('token'), '');
    await expect(view.ping()).rejects.toMatchObject({ code: 'store/unavailable' });
    writeFileSync(at('token'), 'token-of-c1');
    await expect(view.ping()).resolves.toBeUndefined();
  });

  test('keeps the last numbers of the zones while the server is away', async () => {
    const { view } = await open();
    const before = await view.usage([]);
    rmSync(at('token'));
    lateMs += 60_000;
    expect(before.length).toBeGreaterThan(0);
    expect(await view.usage([])).toEqual(before);
  });

  test.each([
    ['--ipam-api-token-file=/missing', '--ipam-api-token-file: the file "/missing" cannot be read (ENOENT)'],
    ['--ipam-api-ca-file=/missing', '--ipam-api-ca-file: the file "/missing" cannot be read (ENOENT)'],
  ])('refuses %s', async (flag, message) => {
    await expect(open(flag)).rejects.toMatchObject({ code: 'settings/invalid', message });
  });
});
