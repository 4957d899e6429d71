import { FakeNetBox, NETBOX_FAULTS } from '../../../support/fake-netbox';
import { ip, newGround, startWorld, type Ground, type NetBoxWorld } from '../../../support/netbox-world';

const CHOICES = '/api/extras/custom-field-choice-sets/';
const { lacksRight: LACKS_RIGHT } = NETBOX_FAULTS;
const PREFIXES = '/api/ipam/prefixes/';

describe('NetBoxZones', () => {
  let netbox: FakeNetBox;
  let world: NetBoxWorld | undefined;
  const start = async (ground?: Ground): Promise<NetBoxWorld> => (world = await startWorld(netbox, ground));
  const shown = ({ zones }: NetBoxWorld): readonly string[] =>
    zones
      .current()
      .zones.map(({ name, prefixes, draining }) => `${name} ${prefixes.join(' ')}${draining ? ' drains' : ''}`);
  const ofZone = (zone: string) => (call: { readonly query: URLSearchParams }) =>
    call.query.get('cf_k8s_zone') === zone;

  beforeEach(async () => {
    netbox = await FakeNetBox.start();
    netbox.records.container('inet', '10.0.0.0/24');
    netbox.records.container('inet', '2001:db8::/64');
    netbox.records.container('dmz', '10.9.0.0/24');
  });
  afterEach(async () => {
    await world?.close();
    await netbox.stop();
  });

  test('W-27 reads the choice set of exactly that name, and the containers of each zone', async () => {
    expect(shown(await start())).toEqual(['own 192.168.0.0/24', 'dmz 10.9.0.0/24', 'inet 10.0.0.0/24 2001:db8::/64']);
  });

  test('takes no record that does not fit, where NetBox does not know the filter', async () => {
    netbox.records.put('10.7.0.0/24', { status: 'container' });
    netbox.faults.push((call) => {
      call.query.delete('cf_k8s_zone');
      return undefined;
    });
    expect(shown(await start())).toEqual(['own 192.168.0.0/24', 'dmz 10.9.0.0/24', 'inet 10.0.0.0/24 2001:db8::/64']);
  });

  test.each([
    ['an error', { status: 500 }],
    ['a 403', { status: LACKS_RIGHT.status, body: JSON.stringify({ detail: LACKS_RIGHT.detail }) }],
    ['HTML', { status: 200, body: '<html>' }],
    ['an empty list', { status: 200, body: '{"count":0,"next":null,"results":[]}' }],
  ])('W-26 keeps the last good list of a zone that is answered with %s', async (_name, answer) => {
    const before = await start();
    const zones = shown(before);
    netbox.fail(answer, ofZone('inet'), 9);
    expect(await before.zones.refresh()).toBe('partial');
    expect(shown(before)).toEqual(zones);
  });

  test('W-26 keeps every zone while the list of zones cannot be read', async () => {
    const before = await start();
    const zones = shown(before);
    for (const answer of [{ status: 502 }, { status: 200, body: '{"count":0,"next":null,"results":[]}' }]) {
      netbox.fail(answer, ({ path }) => path === CHOICES, 2);
      expect(await before.zones.refresh()).toBe('failed');
      netbox.faults = [];
    }
    expect(shown(before)).toEqual(zones);
  });

  test('reads a zone whose neighbour fails', async () => {
    const before = await start();
    netbox.fail({ status: 500 }, ofZone('dmz'), 2);
    netbox.records.container('inet', '10.1.0.0/24');
    await before.zones.refresh();
    expect(shown(before)).toContain('inet 10.0.0.0/24 2001:db8::/64 10.1.0.0/24');
  });

  test('drains a zone that NetBox does not name any more as long as it has holders', async () => {
    const before = await start();
    const address = await before.taken();
    netbox.records.choiceSets[1] = { name: 'k8s_zone_choices', choices: ['dmz'] };
    await before.zones.refresh();
    expect(shown(before)).toContain('inet 10.0.0.0/24 2001:db8::/64 drains');
    await before.release(address);
    await before.zones.refresh();
    expect(shown(before)).toEqual(['own 192.168.0.0/24', 'dmz 10.9.0.0/24']);
  });

  const RELABEL = { status: 'active' };
  const loseContainers = (change: 'deleted' | 'relabelled'): void => {
    for (const record of [...netbox.records.prefixes.values()]) {
      if (record.status !== 'container' || record.custom_fields['k8s_zone'] !== 'inet') continue;
      if (change === 'deleted') netbox.records.prefixes.delete(record.id);
      else netbox.records.change(record, RELABEL);
    }
  };

  test.each(['deleted', 'relabelled'] as const)(
    'FU-51 drains a zone whose containers were %s, once two good readings agree, and forgets it with its last holder',
    async (change) => {
      const before = await start();
      const address = await before.taken();
      loseContainers(change);
      expect(await before.zones.refresh()).toBe('partial');
      expect(shown(before)).toContain('inet 10.0.0.0/24 2001:db8::/64');
      netbox.fail({ status: 500 }, ofZone('inet'), 2);
      expect(await before.zones.refresh()).toBe('partial');
      expect(shown(before)).toContain('inet 10.0.0.0/24 2001:db8::/64');
      netbox.faults = [];
      expect(await before.zones.refresh()).toBe('ok');
      expect(shown(before)).toContain('inet 10.0.0.0/24 2001:db8::/64 drains');
      await before.zones.refresh();
      expect(shown(before)).toContain('inet 10.0.0.0/24 2001:db8::/64 drains');
      await before.release(address);
      await before.zones.refresh();
      expect(shown(before)).toEqual(['own 192.168.0.0/24', 'dmz 10.9.0.0/24']);
    },
  );

  test('FU-51 looks again soon at a zone that was found empty once, and serves it when a container is back', async () => {
    const before = await start();
    await before.taken();
    loseContainers('deleted');
    await before.zones.refresh();
    before.clock.advance(15_000);
    await before.zones.refresh();
    expect(shown(before)).toContain('inet 10.0.0.0/24 2001:db8::/64 drains');
    netbox.records.container('inet', '10.0.0.0/24');
    await before.zones.refresh();
    expect(shown(before)).toContain('inet 10.0.0.0/24');
  });

  test('reads NetBox anew where the kept zones cannot be read', async () => {
    const before = await start();
    const zones = shown(before);
    await before.close();
    for (const text of ['{"version":1,"zo', '[]', 'null', '{"zones":[7,{"name":"inet","containers":"none"}]}']) {
      await before.store.outsideRows().keep('netbox-zones', text);
      const after = await start(before);
      expect([text, shown(after)]).toEqual([text, zones]);
      await after.close();
    }
  });

  test('starts with the last good zones while NetBox is away', async () => {
    const before = await start();
    const zones = shown(before);
    const ground = before;
    await before.close();
    netbox.fail({ status: 503 }, () => true, 99);
    const after = await start(ground);
    expect([shown(after), after.zones.problem()]).toEqual([zones, undefined]);
    expect(after.zones.containerFor('inet', ip('10.0.0.7'))).toMatchObject({
      vrf: 7,
      tenant: 3,
      role: 5,
      infra: 'prod',
    });
  });

  test('says what is wrong while NetBox was never read, and tries again', async () => {
    netbox.fail({ status: 503 }, () => true, 2);
    const after = await start();
    expect(after.zones.problem()).toBe('the zones of NetBox were never read: NetBox answered 503');
    const heard = new Promise<void>((resolve) => {
      after.zones.onChange(resolve);
    });
    after.clock.advance(15_000);
    await heard;
    expect(after.zones.problem()).toBeUndefined();
  });

  test('reads again after the pause that is set', async () => {
    const before = await start();
    netbox.records.container('dmz', '10.9.1.0/24');
    const heard = new Promise<void>((resolve) => {
      before.zones.onChange(resolve);
    });
    before.clock.advance(600_000);
    await heard;
    expect(shown(before)).toContain('dmz 10.9.0.0/24 10.9.1.0/24');
  });

  test('puts the settings of the document on a zone of NetBox', async () => {
    const settings = { quota: 5, quarantineSeconds: 9, namespaces: { matchLabels: { team: 'a' } }, network: 'blue' };
    const inet = { name: 'inet', fromNetBox: true, prefixes: [], excluded: ['10.0.0.1', '172.16.0.1'], ...settings };
    const before = await start(newGround([inet]));
    const zone = before.zones.current().zone('inet');
    expect(zone).toMatchObject({ ...settings, fromNetBox: true, draining: false });
    expect([zone?.prefixes.map(String), zone?.excluded.map(String)]).toEqual([
      ['10.0.0.0/24', '2001:db8::/64'],
      ['10.0.0.1'],
    ]);
  });

  test('follows the document, and keeps a catalogue that did not change', async () => {
    const before = await start();
    const catalogue = before.zones.current();
    await before.zones.refresh();
    expect(before.zones.current()).toBe(catalogue);
    before.document.set([{ name: 'inet', fromNetBox: true, prefixes: [], quota: 3 }]);
    expect(before.zones.current().zone('inet')).toMatchObject({ quota: 3 });
    expect(before.zones.current().zone('own')).toBeUndefined();
  });

  test('lets no zone of NetBox come into force that shares addresses with another one of its network', async () => {
    netbox.records.container('dmz', '10.0.0.128/25');
    const before = await start();
    expect(shown(before)).toEqual(['own 192.168.0.0/24', 'dmz 10.9.0.0/24 10.0.0.128/25']);
    const line = before.logger.lines.find(({ level }) => level === 'error');
    expect(line?.fields['problem']).toContain('10.0.0.128/25 is in another zone of the network "default" too');
  });

  test('keeps the list that was in force where the newest one breaks a rule', async () => {
    const before = await start();
    netbox.records.container('inet', '192.168.0.0/25');
    await before.zones.refresh();
    await before.zones.refresh();
    expect(shown(before)).toContain('inet 10.0.0.0/24 2001:db8::/64');
    expect(before.logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  test('leaves out a zone whose name no Service could write', async () => {
    netbox.records.choiceSets[1] = { name: 'k8s_zone_choices', choices: ['dmz', 'Not_A_Label'] };
    netbox.records.container('Not_A_Label', '10.4.0.0/24');
    expect(shown(await start())).toEqual(['own 192.168.0.0/24', 'dmz 10.9.0.0/24']);
  });

  test('finds the longest container that contains an address', async () => {
    const inner = netbox.records.container('inet', '10.0.0.64/26', { tenant: null });
    const before = await start();
    expect(before.zones.containerFor('inet', ip('10.0.0.70'))?.id).toBe(inner.id);
    expect(before.zones.containerFor('inet', ip('10.0.0.1'))?.id).not.toBe(inner.id);
    expect(before.zones.containerFor('inet', ip('10.9.0.1'))).toBeUndefined();
    expect((await before.taken({ address: ip('10.0.0.70') })).toString()).toBe('10.0.0.70');
  });

  test('reads soon when a zone is exhausted', async () => {
    const wide = [...netbox.records.prefixes.values()].find(({ prefix }) => prefix === '10.9.0.0/24');
    netbox.records.prefixes.delete(wide?.id ?? 0);
    netbox.records.container('dmz', '10.9.0.0/31');
    const before = await start();
    await before.taken({ zone: 'dmz', name: 'a' });
    await before.taken({ zone: 'dmz', name: 'b' });
    netbox.records.container('dmz', '10.9.0.2/31');
    expect(await before.take({ zone: 'dmz', name: 'c' })).toMatchObject({ refusal: { code: 'pool/exhausted' } });
    const heard = new Promise<void>((resolve) => {
      before.zones.onChange(resolve);
    });
    before.clock.advance(15_000);
    await heard;
    expect((await before.taken({ zone: 'dmz', name: 'c' })).toString()).toBe('10.9.0.2');
  });

  test('asks for lists of prefixes only', async () => {
    await start();
    expect(new Set(netbox.calls.map(({ path }) => path))).toEqual(
      new Set([CHOICES, PREFIXES, '/api/ipam/ip-addresses/', '/api/ipam/ip-ranges/']),
    );
  });
});
