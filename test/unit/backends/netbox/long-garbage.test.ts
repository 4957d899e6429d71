import { FakeNetBox } from '../../../support/fake-netbox';
import { startWorld, type NetBoxWorld } from '../../../support/netbox-world';

const GARBAGE = [
  { status: 200, body: '<html>proxy</html>' },
  { status: 200, body: '{"count":3,"next":null,"results":[7,{},"x"]}' },
  { status: 500, body: '\u0000'.repeat(2_000) },
  { status: 403, body: '{"detail":"Invalid token"}' },
  { status: 200, body: '{"count":0,"next":null,"results":[]}' },
];

describe('NetBox beside the store', () => {
  let netbox: FakeNetBox;
  let world: NetBoxWorld;
  beforeEach(async () => {
    netbox = await FakeNetBox.start();
    netbox.records.container('inet', '10.0.0.0/24');
    world = await startWorld(netbox);
  });
  afterEach(async () => {
    await world.close();
    await netbox.stop();
  });
  const shown = (): readonly string[] =>
    world.zones.current().zones.map(({ name, prefixes }) => `${name} ${prefixes.join(' ')}`);

  test('keeps the last good list and each claim over a thousand comparisons with garbage, and gathers nothing', async () => {
    const address = await world.taken();
    await world.settle();
    const zones = shown();
    let count = 0;
    // no containers are garbage, but that there are no host prefixes is an answer
    let given = 0;
    netbox.faults.push(({ query }) => {
      given++;
      return GARBAGE[count % (query.has('mask_length') ? 2 : GARBAGE.length)];
    });
    const round = async (): Promise<void> => {
      count++;
      await world.zones.refresh();
      await world.sweep.sweep();
      netbox.calls.length = 0;
      world.logger.lines.length = 0;
      world.clock.advance(600_000);
    };
    for (let i = 0; i < 100; i++) await round();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 900; i++) await round();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024);
    expect(given).toBeGreaterThan(1_000);
    expect(shown()).toEqual(zones);
    expect(await world.differences()).toEqual([]);
    await world.zones.refresh();
    netbox.faults = [];
    // longer than calls are held back, shorter than a call may last
    world.clock.advance(31_000);
    expect(await world.zones.refresh()).toBe('ok');
    expect(await world.sweep.sweep()).toBe(true);
    expect(netbox.records.hosts()).toContain(`${address.toString()}/32`);
    expect((await world.store.tally())[0]?.held).toBe(1);
  });

  test('takes addresses of a container in another VRF there, and none of a foreign one', async () => {
    netbox.records.vrfs.set(8, { name: 'other', enforceUnique: true });
    netbox.records.container('dmz', '10.9.0.0/30', { vrf: 8 });
    netbox.records.put('10.9.0.0/32', { vrf: 7 });
    await world.zones.refresh();
    const address = await world.taken({ zone: 'dmz' });
    await world.settle();
    const made = [...netbox.records.prefixes.values()].filter(({ vrf, prefix }) => vrf === 8 && prefix.endsWith('/32'));
    expect(made.map(({ prefix }) => prefix)).toEqual([`${address.toString()}/32`]);
  });
});
