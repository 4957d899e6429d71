import type { AdmissionRequest } from '../../../../../operator/contract/admission-review';
import { checkPool } from '../../../../../operator/front-doors/services/pools/check-pool';
import { DoorWorld } from '../../../../support/door-world';
import { StoredServices } from '../../../../support/stored-services';
import { settled } from '../../../../support/settled';

const DELETION: AdmissionRequest = {
  uid: 'r',
  operation: 'DELETE',
  kind: 'IPAddressPool',
  subResource: '',
  namespace: 'metallb-system',
  name: 'inet',
  dryRun: false,
  object: undefined,
  user: { username: 'admin', uid: '', groups: [], extra: {} },
  oldObject: { metadata: { name: 'inet' }, spec: { addresses: ['192.0.2.0/24'] } },
};

describe('checkPool', () => {
  test.each(['store', 'api-server'] as const)(
    'counts a review that ended at its deadline while the %s gave no answer, and lets the stored Services decide',
    async (awaited) => {
      const { clock, logger, meter, cluster, zones, settings } = new DoorWorld();
      const never = new Promise<never>(() => undefined);
      if (awaited === 'api-server') cluster.clusterUid = () => never;
      const holders = { record: { list: () => never }, feed: new StoredServices() };
      const verdict = checkPool({ clock, logger, meter, cluster, zones, settings, holders }, DELETION);
      await settled();
      clock.advance(settings.deadlineSeconds * 1_000);

      expect(await verdict).toMatchObject({ allowed: true });
      expect(meter.of('admission_deadlines_total')).toMatchObject([{ labels: { awaited }, value: 1 }]);
      expect(logger.lines).toMatchObject([{ level: 'warn', fields: { pool: 'inet' } }]);
    },
  );
});
