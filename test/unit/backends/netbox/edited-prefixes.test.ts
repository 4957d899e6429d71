import type { Address } from '../../../../operator/addressing/address';
import { FakeNetBox } from '../../../support/fake-netbox';
import { startWorld, type NetBoxWorld } from '../../../support/netbox-world';

describe('prefixes of ours that were edited by hand', () => {
  let netbox: FakeNetBox;
  let world: NetBoxWorld;
  const row = (address: Address) => world.rows.get('default', address);
  const kinds = async () => (await world.differences()).map(({ kind, address }) => `${kind} ${address}`);

  beforeEach(async () => {
    netbox = await FakeNetBox.start();
    netbox.records.container('inet', '10.0.0.0/29');
    world = await startWorld(netbox);
  });
  afterEach(async () => {
    await world.close();
    await netbox.stop();
  });

  test.each([
    ['to another zone', { custom_fields: { k8s_zone: 'dmz' } }],
    ['to no zone', { custom_fields: { k8s_zone: null } }],
    ['to another status', { status: 'reserved' }],
    ['to a container of another zone', { status: 'container', custom_fields: { k8s_zone: 'dmz' } }],
  ])('FU-55 keeps the prefix of a claim that was edited %s, and puts it right', async (_what, edit) => {
    netbox.records.container('dmz', '10.9.0.0/29');
    await world.zones.refresh();
    const address = await world.taken();
    const id = (await row(address))?.externalId ?? 0;
    const made = netbox.records.prefixes.get(id);
    if (made === undefined) throw new RangeError('no prefix');
    netbox.records.change(made, edit);
    for (let comparisons = 0; comparisons < 4; comparisons++) {
      await world.sweep.sweep();
      await world.outbox.work();
      world.clock.advance(600_000);
    }
    expect(netbox.calls.filter(({ method }) => method === 'DELETE' || method === 'POST')).toHaveLength(1);
    expect(netbox.records.prefixes.get(id)).toEqual(made);
    await world.sweep.sweep();
    expect(await kinds()).toEqual([]);
  });

  test('FU-54 names the right that putting a prefix right takes', async () => {
    const address = await world.taken();
    const id = (await row(address))?.externalId ?? 0;
    const made = netbox.records.prefixes.get(id);
    if (made !== undefined) netbox.records.change(made, { status: 'reserved' });
    netbox.records.unwritable.add(id);
    await world.sweep.sweep();
    await world.outbox.work();
    expect((await row(address))?.fault).toContain(`shows prefix ${id}, but does not let the token change it`);
  });
});
