import { addressOf } from '../../../../../operator/addressing/address';
import { DisputeList } from '../../../../../operator/backends/netbox/dispute-list';
import type { Refusal } from '../../../../../operator/errors/outcome';
import type { ServiceEvent } from '../../../../../operator/ports/service-writer';
import { ControllerWorld } from '../../../../support/controller-world';
import { service } from '../../../../support/review-builder';

const place = { network: 'default', address: addressOf('10.0.0.0') };
const theirs = (words: string): Refusal => ({
  code: 'address/foreign',
  message: `address "10.0.0.0" is held by another owner: ${words}`,
});
const NETBOX = 'NetBox has prefix 10.0.0.0/32 with k8s_uuid "theirs"';
const HAS = '"10.0.0.0" of zone "hnet-private" is bound to this Service';

async function served(): Promise<ControllerWorld> {
  const world = new ControllerWorld();
  await world.create(service({}, {}, { name: 'web' }));
  await world.create(service({}, {}, { name: 'other' }));
  await world.compare();
  return world;
}

/** Events of a Service, as type and reason. */
const events = (world: ControllerWorld): readonly string[] =>
  world.services.writes.flatMap(({ kind, name, what }) => {
    if (kind !== 'event') return [];
    const { type, reason } = what as ServiceEvent;
    return [`${name} ${type} ${reason}`];
  });

/** The gauge as it stands now, by zone and reason. */
const kept = (world: ControllerWorld): Readonly<Record<string, number>> =>
  Object.fromEntries(
    world.door.meter.of('services_kept').map(({ labels, value }) => [Object.values(labels).join(' '), value] as const),
  );

describe('an address that a system outside has for somebody else', () => {
  test('stays with its Service, which tells of it by condition, Event and metric until the end', async () => {
    const world = await served();
    const before = world.annotations('web');
    world.disputes.found(place, theirs(NETBOX));
    await world.settle();
    expect(world.condition('web')).toMatchObject({
      status: 'True',
      reason: 'AddressForeign',
      message: `${HAS}; kept although ${theirs(NETBOX).message}`,
    });
    expect(world.condition('other')).toMatchObject({ status: 'True', reason: 'Bound' });
    expect(events(world)).toEqual(['web Normal Bound', 'other Normal Bound', 'web Warning AddressForeign']);
    expect(kept(world)).toEqual({ 'hnet-private AddressForeign': 1 });
    expect([world.annotations('web'), world.announced('web')]).toEqual([before, ['10.0.0.0']]);
    world.disputes.ended(place);
    await world.pass(2_000);
    expect(world.condition('web')).toMatchObject({ status: 'True', reason: 'Bound', message: HAS });
    expect(kept(world)).toEqual({ 'hnet-private AddressForeign': 0 });
    expect(await world.bound()).toContain('web=10.0.0.0');
  });

  test('is told to each of those who share it', async () => {
    const world = await served();
    const joins = { 'ipam.vitistack.io/addresses': '10.0.0.0', 'ipam.vitistack.io/allow-local-shared-ip': 'k' };
    await world.update('web', (object) => {
      object.metadata.annotations = { ...object.metadata.annotations, ...joins };
    });
    await world.settle();
    await world.create(service(joins, { ports: [{ port: 81 }] }, { name: 'joined' }));
    await world.settle();
    expect(await world.bound()).toEqual(expect.arrayContaining(['web=10.0.0.0', 'joined=10.0.0.0']));
    world.disputes.found(place, theirs(NETBOX));
    await world.settle();
    expect(events(world)).toEqual(
      expect.arrayContaining(['web Warning AddressForeign', 'joined Warning AddressForeign']),
    );
  });

  test('is told in other words without a second Event', async () => {
    const world = await served();
    world.disputes.found(place, theirs(NETBOX));
    await world.settle();
    world.disputes.found(place, theirs('NetBox has prefix 10.0.0.0/30 of status active'));
    await world.pass(2_000);
    expect(world.condition('web')?.message).toContain('of status active');
    expect(events(world)).toEqual(['web Normal Bound', 'other Normal Bound', 'web Warning AddressForeign']);
  });

  test('is told once over a restart, whoever looks first', async () => {
    const world = await served();
    world.disputes.found(place, theirs(NETBOX));
    await world.settle();
    world.disputes = new DisputeList();
    world.restart();
    const quiet = await world.writesOf(() => world.compare());
    expect(quiet).toEqual([]);
    world.disputes.found(place, theirs(NETBOX));
    world.disputes.settle(true);
    expect(await world.writesOf(() => world.pass(10_000))).toEqual([]);
    expect(kept(world)).toEqual({ 'hnet-private AddressForeign': 1 });
  });

  test('is told no longer after a restart where it was settled meanwhile', async () => {
    const world = await served();
    world.disputes.found(place, theirs(NETBOX));
    await world.settle();
    world.disputes = new DisputeList();
    world.restart();
    await world.compare();
    world.disputes.settle(true);
    await world.pass(10_000);
    expect(world.condition('web')).toMatchObject({ status: 'True', reason: 'Bound' });
  });
});
