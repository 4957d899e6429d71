import { mergeKinds } from '../../../operator/assembly/sweeps';
import { addressOf } from '../../../operator/addressing/address';
import { SERVICE } from '../../../operator/contract/service-identity';
import { sweepOnce, type StoredKind } from '../../../operator/ledger/verbs/sweep-rounds';
import type { LiveObject } from '../../../operator/ports/address-book';
import { leaseOf, spaceOf } from '../../support/claim-requests';
import { ask, claimant, granted, LedgerWorld, live } from '../../support/ledger-world';
import { RecordedLogger, RecordedMeter } from '../../support/recorded-telemetry';

const GROUP = { apiVersion: 'ipam.example/v1', kind: 'Group' } as const;
const LEASE_OVER_MS = 301_000;

/** The objects of one kind that a door lists. */
function door(
  of: Pick<StoredKind, 'apiVersion' | 'kind'>,
  objects: readonly LiveObject[] | Error,
  isComplete = true,
): StoredKind {
  return {
    ...of,
    objects: () => (objects instanceof Error ? Promise.reject(objects) : Promise.resolve(objects)),
    isComplete: () => isComplete,
  };
}

/** A ledger with one lease of a Service and one of a Group, both over, each named by nothing yet. */
async function world() {
  const ledger = new LedgerWorld();
  const service = await ledger.has(ask(claimant('a/web')));
  const group = addressOf('192.0.2.77');
  const { owner, ...lease } = leaseOf('vip', 1_000);
  await ledger.store.take({
    network: service.network,
    pool: service.zone,
    wants: [{ family: 4, address: group, space: spaceOf('192.0.2.0/24') }],
    holder: { ...lease, owner: { ...owner, ...GROUP, namespace: 'n' } },
  });
  ledger.clock.advance(LEASE_OVER_MS);
  const logger = new RecordedLogger();
  const cluster = { clusterUid: () => Promise.resolve('c1') };
  const sweep = (...doors: readonly StoredKind[]) =>
    sweepOnce({
      cluster,
      book: ledger.book,
      registry: ledger.registry,
      clock: ledger.clock,
      logger,
      meter: new RecordedMeter(),
      kinds: mergeKinds(doors),
    });
  const states = async () =>
    Promise.all(
      [service.address, group].map(async (address) => (await ledger.record(address.toString()))?.holders[0]?.state),
    );
  return { ledger, logger, sweep, states, addresses: [service.address.toString(), group.toString()] as const };
}

describe('the objects that two doors list', () => {
  test('bind the leases of their own kind', async () => {
    const { sweep, states, addresses } = await world();
    await sweep(
      door(SERVICE, [live('a/web', 'u1', [addresses[0]])]),
      door(GROUP, [live('n/vip', 'u2', [addresses[1]])]),
    );
    expect(await states()).toEqual(['bound', 'bound']);
  });

  test('do not bind the leases of another kind that has the same name', async () => {
    const { sweep, states, addresses } = await world();
    await sweep(door(SERVICE, [live('n/vip', 'u2', [addresses[1]])]), door(GROUP, []));
    expect(await states()).toEqual([undefined, undefined]);
  });

  test('leave the leases of a kind that no door lists', async () => {
    const { sweep, states } = await world();
    await sweep(door(SERVICE, []));
    expect(await states()).toEqual([undefined, 'reserved']);
  });

  test('leave the leases of a kind whose list fails, and end those of the others', async () => {
    const { sweep, states, logger } = await world();
    await sweep(door(GROUP, new TypeError('the kind is not served')), door(SERVICE, []));
    expect(await states()).toEqual([undefined, 'reserved']);
    expect(logger.lines).toMatchObject([{ level: 'warn' }]);
  });

  test('are one list where both doors list the same kind', async () => {
    const { sweep, states, addresses } = await world();
    const group = door(GROUP, [live('n/vip', 'u2', [addresses[1]])]);
    await sweep(door(SERVICE, []), group, door(SERVICE, [live('a/web', 'u1', [addresses[0]])]));
    expect(await states()).toEqual(['bound', 'bound']);
  });

  test('count as a report of the cluster only while the list of every door is complete', async () => {
    const { ledger } = await world();
    const parts = { clock: ledger.clock, logger: new RecordedLogger(), meter: new RecordedMeter() };
    const cluster = { clusterUid: () => Promise.resolve('c9') };
    const reported = async (...isComplete: readonly boolean[]) => {
      const kinds = mergeKinds(isComplete.map((each) => door(SERVICE, [], each)));
      await sweepOnce({ ...parts, cluster, book: ledger.book, registry: ledger.registry, kinds });
      return granted(await ledger.registry.clusters()).some(({ clusterUid }) => clusterUid === 'c9');
    };
    expect(await reported(true, false)).toBe(false);
    expect(await reported(true, true)).toBe(true);
  });
});
