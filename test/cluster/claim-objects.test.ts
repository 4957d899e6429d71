import { SYSTEM_CLOCK } from '../../operator/backends/system/system-clock';
import type { ApiClient } from '../../operator/cluster/api/api-client';
import { openKubeClient } from '../../operator/cluster/api/kube-client';
import { ADDRESS_CLAIM } from '../../operator/contract/kinds/address-claim';
import { ADDRESS_TABLE } from '../../operator/contract/kinds/address-table';
import { IP } from '../../operator/contract/kinds/ip';
import { valueOf } from '../../operator/errors/ipam-error';
import type { ClaimServer } from '../support/claim-objects-scene';
import { claimObjectsSuite } from '../support/claim-objects-suite';
import { claimsSuite, contract } from '../support/claims-suite';
import { firstHolder, leaseOf, releasing, refusalOf, taken, taking } from '../support/claim-requests';
import { IP_OPENING, ipsSuite } from '../support/ips-suite';
import {
  CLAIM_OBJECT_PARTS,
  openClaims,
  standingClock,
  type Opening,
  type TableClaimStore,
} from '../support/open-claim-objects';
import { RecordedLogger } from '../support/recorded-telemetry';
import type { OpenStore, StoreUnderTest } from '../support/store-under-test';
import { TABLE_SAMPLES } from '../support/address-table-samples';
import { installKinds } from './support/kinds';
import { timedClient } from './support/timed-client';
import { useControlPlane } from './support/use-control-plane';

const GROUP = '/apis/ipam.vitistack.io/v1alpha1';

let api: ApiClient;
const plane = useControlPlane({
  prepare: async ({ client, kubeconfig, onStop }) => {
    await installKinds(client, [ADDRESS_CLAIM, ADDRESS_TABLE, IP]);
    const logger = new RecordedLogger();
    api = await openKubeClient({ kubeconfig, clock: SYSTEM_CLOCK, logger, qps: 2_000, burst: 4_000 });
    onStop(() => api.close());
  },
});

/** Takes everything away that a test left. */
async function empty(): Promise<void> {
  for (const { group, version, plural } of [ADDRESS_CLAIM, ADDRESS_TABLE, IP]) {
    const path = `/apis/${group}/${version}/${plural}`;
    await plane().client.request('DELETE', path);
    await plane().client.watchUntilEmpty(path);
  }
}

const openReal = async (opening: Opening = {}): Promise<StoreUnderTest<TableClaimStore>> => {
  const clock = standingClock();
  const { store, close } = await openClaims(timedClient(api, clock), { clock, ...opening });
  return {
    store,
    clock: {
      nowMs: () => clock.nowMs(),
      advance: (ms) => {
        clock.advance(ms);
        return Promise.resolve();
      },
    },
    dispose: async () => {
      await close();
      await empty();
    },
  };
};

contract<OpenStore<TableClaimStore>>('claims on a real API server', { 'cluster objects': () => openReal() }, (open) => {
  claimsSuite(open, CLAIM_OBJECT_PARTS);
});

contract<OpenStore<TableClaimStore>>('claims on a real API server', { IPs: () => openReal(IP_OPENING) }, ipsSuite);

describe('claims as cluster objects on a real API server', () => {
  let server: ClaimServer;
  beforeEach(() => {
    const clock = standingClock();
    server = { client: timedClient(api, clock), clock };
  });
  afterEach(empty);
  claimObjectsSuite(() => server);

  test('take the moments of their ends from the clock of the server', async () => {
    const { store, close } = await openClaims(api);
    const beganMs = Date.now();
    const record = await taken(store, 'a', { holder: leaseOf('a', 60_000) });
    const endMs = firstHolder(record).expiresAtMs ?? 0;
    expect(endMs % 1_000).toBe(0);
    expect(Math.abs(endMs - beganMs - 60_000)).toBeLessThan(5_000);
    valueOf(await store.release(releasing(record, { quarantineMs: 120_000 })));
    const { address } = record;
    const refusal = refusalOf(await store.take(taking('b', { address })));
    expect(refusal.retryAfterSeconds).toBeGreaterThan(100);
    await close();
  });

  test.each(TABLE_SAMPLES)('judge $title as the declaration does', async ({ object, refusedAt }) => {
    const answer = await plane().client.attempt('POST', `${GROUP}/addresstables?dryRun=All`, object);

    expect(answer.status).toBe(refusedAt === undefined ? 201 : 422);
    expect(answer.body.message ?? '').toContain(refusedAt ?? '');
  });
});
