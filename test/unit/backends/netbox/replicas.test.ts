import { openPostgresStore } from '../../../../operator/backends/sql/postgres/postgres-claim-store';
import { SYSTEM_CLOCK } from '../../../../operator/backends/system/system-clock';
import type { Address } from '../../../../operator/addressing/address';
import { FakeNetBox } from '../../../support/fake-netbox';
import { ManualClock } from '../../../support/manual-clock';
import { Mortal } from '../../../support/mortal';
import { heldIn, newGround, startWorld, withVerbs, type Ground, type NetBoxWorld } from '../../../support/netbox-world';
import { removeSharedPostgres, sharedPostgres, type PostgresServer } from '../../../support/postgres-server';

/** Longer than a row is left to the process that works on it. */
const LEFT_ALONE_MS = 61_000;

/** Two operators with one PostgreSQL database and one NetBox between them. */
describe('two replicas', () => {
  let server: PostgresServer;
  let netbox: FakeNetBox;
  let grounds: readonly [Ground, Ground];
  let one: NetBoxWorld;
  let other: NetBoxWorld;

  beforeAll(async () => {
    server = await sharedPostgres();
  });
  afterAll(removeSharedPostgres);
  beforeEach(async () => {
    netbox = await FakeNetBox.start();
    netbox.records.container('inet', '10.0.0.0/26');
    const dsn = await server.newDatabase();
    const open = () => openPostgresStore({ dsn, clock: SYSTEM_CLOCK, pollMs: 20 });
    const first = newGround(undefined, new ManualClock(Date.now()), await open());
    grounds = [first, { ...newGround(undefined, new ManualClock(Date.now()), await open()), clock: first.clock }];
    [one, other] = [await startWorld(netbox, grounds[0]), await startWorld(netbox, grounds[1])];
  });
  afterEach(async () => {
    await Promise.all([one.close(), other.close()]);
    await Promise.all(grounds.map(({ store }) => store.close()));
    await netbox.stop();
  });

  const takeBoth = (count: number, prefix = 's'): Promise<readonly Address[]> =>
    Promise.all(Array.from({ length: count }, (_, i) => (i % 2 ? one : other).taken({ name: `${prefix}${i}` })));
  const deleted = (): readonly string[] => netbox.seen().filter((line) => line.startsWith('DELETE'));

  /** Throws unless NetBox has one prefix for each address on record, and none besides. */
  async function expectSquare(): Promise<void> {
    const held = await heldIn(one.store);
    expect(netbox.records.hosts()).toEqual(held.map((address) => `${address}/32`));
    const rows = await one.rows.ofZone('inet');
    expect(rows.map(({ address, state }) => `${address.toString()} ${state}`)).toEqual(
      held.map((address) => `${address} confirmed`),
    );
  }

  /** Works in one process that ends at its nth read or write of what is durable, or when there is nothing left to do. */
  async function workUntilDeath(after: number, work: (world: NetBoxWorld) => Promise<unknown>): Promise<boolean> {
    const mortal = new Mortal(after);
    const { store } = grounds[1];
    const rows = store.outsideRows();
    const reading = { note: rows.note.bind(rows), keep: rows.keep.bind(rows) };
    const options = { rows: withVerbs(mortal.wrap(rows), reading), store: mortal.wrap(store) };
    const doomed = await startWorld(netbox, grounds[1], options);
    const life = { over: false };
    void work(doomed).then(() => (life.over = true));
    while (!mortal.dead && !life.over) await new Promise((resolve) => setImmediate(resolve));
    await doomed.close();
    return mortal.dead;
  }

  test('give each address of one container once, at the same time', async () => {
    const all = await takeBoth(64);
    expect(new Set(all.map(String)).size).toBe(64);
    await expectSquare();
    expect(await one.take({ name: 'late' })).toMatchObject({ refusal: { code: 'pool/exhausted' } });
  });

  test('mark their prefixes as those of one installation, and find no difference', async () => {
    await takeBoth(6);
    expect([await one.sweep.sweep(), await other.sweep.sweep()]).toEqual([true, true]);
    expect(await one.differences()).toEqual([]);
  });

  test('work on one outbox at the same time without deleting anything twice', async () => {
    const all = await takeBoth(20);
    for (const [i, address] of all.entries()) await (i % 2 ? other : one).release(address);
    while ((await Promise.all([one.outbox.work(), other.outbox.work()])).some((count) => count > 0));
    await one.settle();
    await expectSquare();
    expect([deleted().length, new Set(deleted()).size]).toEqual([20, 20]);
  });

  test('tell what either of them compared', async () => {
    netbox.records.put('10.0.0.9/32', { custom_fields: { k8s_uuid: 'ipam-0a1b2c3d-lost', k8s_zone: 'inet' } });
    await other.sweep.sweep();
    expect(await one.differences()).toMatchObject([{ kind: 'orphan', address: '10.0.0.9' }]);
  });

  test('end as the record says wherever one of them ends while it works on the outbox', async () => {
    let died = true;
    for (let after = 0; died; after++) {
      const all = await takeBoth(3, `round${after}-`);
      for (const address of all) await one.release(address);
      const working = workUntilDeath(after, (world) => world.outbox.work());
      const [, kept] = await Promise.all([one.taken({ name: `beside${after}` }), one.taken({ name: `kept${after}` })]);
      died = await working;
      one.clock.advance(LEFT_ALONE_MS);
      await one.sweep.sweep();
      await one.settle();
      await expectSquare();
      await one.release(kept);
    }
    expect(netbox.records.hosts().length).toBeGreaterThan(3);
  });

  test('end as the record says wherever one of them ends while it takes', async () => {
    let died = true;
    for (let after = 0; died; after++) {
      const name = `round${after}`;
      died = await workUntilDeath(after, (world) => world.take({ name }));
      one.clock.advance(LEFT_ALONE_MS);
      await one.sweep.sweep();
      await one.settle();
      await expectSquare();
      // whoever asks again with the same key has the address that was begun, not a second one
      const address = await one.taken({ name });
      await expectSquare();
      expect((await heldIn(one.store)).at(-1)).toBe(address.toString());
    }
    expect(netbox.records.hosts().length).toBeGreaterThan(5);
  });
});
