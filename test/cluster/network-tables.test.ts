import { SYSTEM_CLOCK } from '../../operator/backends/system/system-clock';
import type { ApiClient } from '../../operator/cluster/api/api-client';
import { openKubeClient } from '../../operator/cluster/api/kube-client';
import { ADDRESS_CLAIM } from '../../operator/contract/kinds/address-claim';
import { ADDRESS_TABLE } from '../../operator/contract/kinds/address-table';
import type { ClaimServer } from '../support/claim-objects-scene';
import { networkTablesSuite } from '../support/network-tables-suite';
import { standingClock } from '../support/open-claim-objects';
import { RecordedLogger } from '../support/recorded-telemetry';
import { installKinds } from './support/kinds';
import { timedClient } from './support/timed-client';
import { useControlPlane } from './support/use-control-plane';

let api: ApiClient;
const plane = useControlPlane({
  prepare: async ({ client, kubeconfig, onStop }) => {
    await installKinds(client, [ADDRESS_CLAIM, ADDRESS_TABLE]);
    const logger = new RecordedLogger();
    api = await openKubeClient({ kubeconfig, clock: SYSTEM_CLOCK, logger, qps: 2_000, burst: 4_000 });
    onStop(() => api.close());
  },
});

describe('network tables on a real API server', () => {
  let server: ClaimServer;
  beforeEach(() => {
    const clock = standingClock();
    server = { client: timedClient(api, clock), clock };
  });
  afterEach(async () => {
    for (const { group, version, plural } of [ADDRESS_CLAIM, ADDRESS_TABLE]) {
      const path = `/apis/${group}/${version}/${plural}`;
      await plane().client.request('DELETE', path);
      await plane().client.watchUntilEmpty(path);
    }
  });
  networkTablesSuite(() => server);
});
