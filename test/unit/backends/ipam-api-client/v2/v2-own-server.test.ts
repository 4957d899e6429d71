import { addressOf } from '../../../../../operator/addressing/address';
import { V2Client } from '../../../../../operator/backends/ipam-api-client/v2/v2-client';
import { rememberingHasher } from '../../../../../operator/backends/ipam-api-client/v2/v2-hasher';
import { RemoteClaimStore } from '../../../../../operator/backends/ipam-api-client/v2/v2-store';
import { MemoryIntentRows, sharedIntents } from '../../../../../operator/backends/memory/memory-intent-rows';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import { LocalAddressBook } from '../../../../../operator/ledger/local-address-book';
import { IpamApiWorld } from '../../../../support/ipam-api-world';
import { ask, claimant, CUSTOM, granted, refusal, TestZones } from '../../../../support/ledger-world';
import { RecordedLogger, RecordedMeter } from '../../../../support/recorded-telemetry';

describe('a remote record on our own version 2', () => {
  let server: IpamApiWorld;
  let store: RemoteClaimStore;
  let book: LocalAddressBook;
  const intents = sharedIntents();
  beforeEach(async () => {
    server = new IpamApiWorld();
    await server.start();
    const tools = { clock: SYSTEM_CLOCK, logger: new RecordedLogger(), meter: new RecordedMeter() };
    const hasher = rememberingHasher('c1');
    const calls = new V2Client({ url: `http://127.0.0.1:${String(server.port)}`, ...tools });
    const zones = new TestZones([
      { name: 'inet', prefixes: ['83.118.168.0/28', '2a05:1234::/64'] },
      { name: 'tiny', prefixes: ['198.51.100.8/32'] },
    ]);
    store = new RemoteClaimStore({ rows: new MemoryIntentRows(intents), calls, hasher, ...tools, budgetMs: 4_000 });
    book = new LocalAddressBook({ record: { claims: store, counts: store }, zones, hasher, clock: SYSTEM_CLOCK });
  });
  afterEach(async () => {
    await store.close();
    await server.server.close();
  });

  const owners = () => server.ledger.book.owners('c1');

  test('reserves both families, and gives them back', async () => {
    const four = granted(await book.reserve(ask('a/web', { zone: 'inet' })));
    const six = granted(await book.reserve(ask('a/web', { zone: 'inet', family: 6 })));
    expect((await owners()).map(({ address }) => address)).toEqual([four.address, six.address]);
    for (const grant of [four, six]) {
      granted(await book.bind({ claimant: { ...claimant('a/web'), serviceUid: 'u1' }, grant }));
    }
    granted(await book.releaseByUid({ serviceUid: 'u1' }));
    for (let tries = 0; tries < 200 && intents.rows.size > 0; tries += 1) await new Promise(setImmediate);
    await store.close();
    expect(await owners()).toEqual([]);
    expect(intents.rows.size).toBe(0);
  });

  test('refuses in the words of the server: a full zone, and the address of another secret', async () => {
    granted(await book.reserve(ask('a/one', { zone: 'tiny', secret: CUSTOM })));
    expect(refusal(await book.reserve(ask('a/two', { zone: 'tiny' }))).code).toBe('pool/exhausted');
    const held = { service: { serviceName: 'x', namespaceUid: 'n9', clusterUid: 'c9' }, namespace: '' };
    const at = '83.118.168.5';
    granted(await server.ledger.book.reserve({ ...ask(held, { zone: 'inet', at, secret: CUSTOM }), as: 'bound' }));
    expect(refusal(await book.reserve(ask('a/web', { zone: 'inet', at }))).code).toBe('secret/wrong');
    expect((await book.owners('c1')).map(({ address }) => address)).toEqual([addressOf('198.51.100.8')]);
  });
});
