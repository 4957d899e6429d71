import type { Address } from '../../../../operator/addressing/address';
import { FakeNetBox } from '../../../support/fake-netbox';
import type { FakePrefix } from '../../../support/fake-netbox-records';
import { startWorld, type NetBoxWorld } from '../../../support/netbox-world';

describe('an address that NetBox gives to somebody else', () => {
  let netbox: FakeNetBox;
  let world: NetBoxWorld;
  const heard: string[] = [];
  const worlds: NetBoxWorld[] = [];

  beforeEach(async () => {
    netbox = await FakeNetBox.start();
    netbox.records.container('inet', '10.0.0.0/29');
    world = await startWorld(netbox);
    worlds.push(world);
    heard.length = 0;
    world.disputes.onChange(({ address }) => heard.push(address.toString()));
  });
  afterEach(async () => {
    for (const each of worlds.splice(0)) await each.close();
    await netbox.stop();
  });

  /** Takes the prefix of an address away in NetBox, and gives it to others. */
  async function contest(address: Address): Promise<FakePrefix> {
    const row = await world.rows.get('default', address);
    netbox.records.prefixes.delete(row?.externalId ?? 0);
    return netbox.records.put(`${address.toString()}/32`, { custom_fields: { k8s_uuid: '64f0' } });
  }

  const said = (at = world): readonly (string | undefined)[] =>
    at.disputes.places().map((place) => at.disputes.over(place)?.message);

  const THEIRS = 'address "10.0.0.0" is held by another owner: NetBox has prefix 10.0.0.0/32 with k8s_uuid "64f0"';

  test('is disputed as soon as our prefix cannot be made again, and no longer once it is', async () => {
    const theirs = await contest(await world.taken());
    expect([world.disputes.known(), await world.sweep.sweep(), world.disputes.known()]).toEqual([false, true, true]);
    expect(said()).toEqual([]);
    await world.outbox.work();
    expect([said(), heard]).toEqual([[THEIRS], ['10.0.0.0']]);
    await world.sweep.sweep();
    await world.outbox.work();
    expect([said(), heard]).toEqual([[THEIRS], ['10.0.0.0']]);
    netbox.records.prefixes.delete(theirs.id);
    await world.sweep.sweep();
    expect(said()).toEqual([THEIRS]);
    await world.outbox.work();
    expect([said(), heard]).toEqual([[], ['10.0.0.0', '10.0.0.0']]);
  });

  test('is disputed in the words of before while NetBox does not answer', async () => {
    await contest(await world.taken());
    await world.sweep.sweep();
    await world.outbox.work();
    netbox.fail({ status: 503 }, () => true, 99);
    world.clock.advance(700_000);
    await world.outbox.work();
    await world.sweep.sweep();
    expect(said()).toEqual([THEIRS]);
  });

  test('is disputed no longer when it is released', async () => {
    const address = await world.taken();
    await contest(address);
    await world.sweep.sweep();
    await world.outbox.work();
    await world.release(address);
    await world.settle();
    expect([said(), await world.rows.get('default', address)]).toEqual([[], undefined]);
  });

  test('is known to the next leader by its first comparison, also while NetBox is away', async () => {
    await contest(await world.taken());
    await world.sweep.sweep();
    await world.outbox.work();
    const next = await startWorld(netbox, world);
    worlds.push(next);
    netbox.fail({ status: 503 }, () => true, 99);
    await next.sweep.sweep();
    expect([said(next), next.disputes.known()]).toEqual([[THEIRS], true]);
  });

  test('is settled by a comparison where another process made our prefix', async () => {
    const address = await world.taken();
    const theirs = await contest(address);
    await world.sweep.sweep();
    await world.outbox.work();
    netbox.records.prefixes.delete(theirs.id);
    await world.sweep.sweep();
    const other = await startWorld(netbox, world);
    worlds.push(other);
    await other.outbox.work();
    expect(said()).toEqual([THEIRS]);
    await world.sweep.sweep();
    expect(said()).toEqual([]);
  });

  test('is known to nobody who leads no longer', async () => {
    const stop = world.sweep.start();
    world.clock.advance(1);
    await stop();
    expect(world.disputes.known()).toBe(false);
  });
});
