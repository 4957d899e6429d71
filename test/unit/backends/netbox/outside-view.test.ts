import { ownRecord } from '../../../support/own-record';
import { openLedger } from '../../../../operator/ledger/open-ledger';
import { FakeNetBox } from '../../../support/fake-netbox';
import { testHasher } from '../../../support/ledger-world';
import { ip, newGround, startWorld, type NetBoxWorld } from '../../../support/netbox-world';
import { claimBody, V3World } from '../../../support/v3-world';

const ADDRESSES = '/v3/networks/default/addresses';

describe('a zone of NetBox, as version 3 tells of it', () => {
  let netbox: FakeNetBox;
  let world: NetBoxWorld;
  let v3: V3World;
  const body = (change: object = {}): object => ({ ...claimBody({ zone: 'inet', ...change }) });
  const put = (key: string, change: object = {}) =>
    v3.send('PUT', `/v3/clusters/c1/claims/${key}`, {
      as: 'c1',
      body: { ...body(change), claimant: { ...claimBody().claimant, serviceName: key } },
    });
  const plan = async (change: object = {}) =>
    (await v3.send('POST', '/v3/plan', { body: { ...body(change), clusterUid: 'c1' } })).json;
  const sentences = async (address: string) =>
    (await v3.send('GET', `${ADDRESSES}/${address}/explain`)).json['sentences'];
  const state = async (address: string) => (await v3.send('GET', `${ADDRESSES}/${address}`)).json['state'];
  const usage = async () => (await v3.send('GET', '/v3/zones/inet')).json['usage'];

  beforeEach(async () => {
    netbox = await FakeNetBox.start();
    netbox.records.container('inet', '198.51.100.0/29');
    world = await startWorld(netbox, newGround());
    const { claims: store, zones, clock } = world;
    const { book, registry } = openLedger({ record: ownRecord(store, store), zones, clock, hasher: testHasher });
    v3 = new V3World({ book, parts: { registry, zones, clock } });
  });
  afterEach(async () => {
    await world.close();
    await netbox.stop();
  });

  test('has as many free addresses as it gives, without those of others', async () => {
    netbox.records.put('198.51.100.5/32');
    netbox.records.put('198.51.100.6/31');
    await world.zones.refresh();
    expect(await usage()).toMatchObject([{ capacity: '8', foreign: '3', free: '5' }]);
    for (const key of ['a', 'b', 'c', 'd', 'e']) expect((await put(key)).status).toBe(201);
    expect(await usage()).toMatchObject([{ bound: '5', foreign: '3', outside: '0', free: '0' }]);
    const last = await put('f');
    expect([last.status, last.json['code']]).toEqual([503, 'pool/exhausted']);
    expect(await plan()).toMatchObject({ code: 'pool/exhausted' });
  });

  test('counts what NetBox gave to somebody else later as held, as it stays with its holder', async () => {
    await put('a');
    netbox.records.put('198.51.100.0/30');
    await world.zones.refresh();
    expect(await usage()).toMatchObject([{ bound: '1', foreign: '3', outside: '0', free: '4' }]);
  });

  test('plans what a claim gets where NetBox changed since the last reading', async () => {
    netbox.records.put('198.51.100.0/32');
    netbox.records.ipAddress('198.51.100.1/24');
    expect(await plan()).toMatchObject({ kind: 'new', address: '198.51.100.2' });
    expect(await usage()).toMatchObject([{ foreign: '2', free: '6' }]);
    expect(netbox.seen().filter((line) => !line.startsWith('GET '))).toEqual([]);
    expect((await put('a')).json).toMatchObject({ address: '198.51.100.2' });
    expect(await plan({ claimant: { ...claimBody().claimant, serviceName: 'a' } })).toMatchObject({ kind: 'kept' });
  });

  test('refuses to plan, explains and shows an address of somebody else as it refuses to give it', async () => {
    netbox.records.put('198.51.100.5/32');
    const refused = await put('a', { address: '198.51.100.5' });
    expect([refused.status, refused.json['code']]).toEqual([409, 'address/foreign']);
    const planned = await plan({ address: '198.51.100.5' });
    expect(planned['detail']).toBe(refused.json['detail']);
    expect(await state('198.51.100.5')).toBe('foreign');
    expect(await sentences('198.51.100.5')).toEqual([
      'no claim holds address "198.51.100.5" here, but NetBox has prefix 198.51.100.5/32 with k8s_uuid "", so no claim gets it',
    ]);
    expect([await state('198.51.100.4'), await sentences('198.51.100.4')]).toEqual([
      'free',
      ['address "198.51.100.4" of zone "inet" is free'],
    ]);
  });

  test.each([
    ['198.51.100.5', 32],
    ['2001:db8::5', 128],
  ])(
    'FU-50 imports %s by taking over the prefix that the original IPAM-API made, where that is allowed',
    async (...of) => {
      const [address, length] = of;
      netbox.records.container('inet', '2001:db8::/120');
      const required = { domain: 'na', env: 'na', purpose: 'na', infra: 'prod' };
      const custom_fields = { ...required, k8s_uuid: '64f0aabbccddeeff00112233', k8s_zone: 'inet' };
      const { id } = netbox.records.put(`${address}/${length}`, { custom_fields });
      await world.zones.refresh();
      const service = {
        clusterUid: 'c1',
        namespaceUid: 'ns-a',
        serviceName: 'web',
        options: { retentionPeriodDays: 0, denyExternalCleanup: false },
      };
      const claims = [{ zone: 'inet', address, secret: 'custom-secret-of-a', services: [service] }];
      const bring = async (to: V3World) =>
        (await to.send('POST', '/v3/import', { body: { dryRun: false, claims } })).json['entries'];
      expect(await bring(v3)).toMatchObject([{ address, verdict: 'refused' }]);
      const adopting = await startWorld(netbox, newGround(), { adopt: true });
      const { claims: store, zones, clock } = adopting;
      const { book, registry } = openLedger({ record: ownRecord(store, store), zones, clock, hasher: testHasher });
      expect(await bring(new V3World({ book, parts: { registry, zones, clock } }))).toMatchObject([
        { address, verdict: 'imported' },
      ]);
      const row = await adopting.rows.get('default', ip(address));
      expect(row).toMatchObject({ state: 'confirmed', externalId: id });
      expect(netbox.records.prefixes.get(id)?.custom_fields['k8s_uuid']).toBe(row?.mark);
      expect(netbox.seen().filter((line) => line.startsWith('POST '))).toEqual([]);
      await adopting.close();
    },
  );

  test('promises nothing while NetBox is away, as nothing is given then', async () => {
    netbox.faults.push(() => ({ status: 503 }));
    const refused = await put('a');
    expect(await plan()).toMatchObject({ code: refused.json['code'], status: refused.status });
    expect(await sentences('198.51.100.4')).toEqual([
      expect.stringMatching(
        /^no claim holds address "198\.51\.100\.4" here, but no claim gets it now either: NetBox /u,
      ),
    ]);
  });

  test('plans an address that its former holder left and NetBox still has as ours', async () => {
    await put('a');
    await world.release(ip('198.51.100.0'));
    expect(await plan()).toMatchObject({ kind: 'new', address: '198.51.100.0' });
    expect((await put('b')).json).toMatchObject({ address: '198.51.100.0' });
  });
});
