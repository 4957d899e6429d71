import { VIRTUAL_IP_STATES as STATES } from '../../operator/contract/kinds/virtual-ip';
import { ingressOf } from './support/services';
import { ADDRESS, CLONE, useMigration } from './support/use-migration';

const scene = useMigration();
const { plane, vips, old } = scene;
const expectMigrated = (wished?: string): Promise<void> => scene.expectMigrated(wished);

describe('killed at each of its writes', () => {
  test.each(['before', 'after'] as const)(
    '%s it, the migration ends all the same',
    async (side) => {
      const writes = await scene.cuts.walk('api', side, async () => {
        await old.clear();
        await plane().client.attempt('DELETE', vips.path('s'));
        await plane().client.attempt('DELETE', vips.path(CLONE));
        await vips.ipGone(ADDRESS);
        await old.served('v', { service: 's', address: ADDRESS });
        return {
          send: async () => (await old.order('v')).status === 200,
          isDone: async () => {
            const { status } = await old.get('v');
            return status?.['state'] === STATES.migrated && ingressOf(await vips.get('s')).join() === ADDRESS;
          },
        };
      });
      expect(writes).toBeGreaterThan(11);
      await expectMigrated();
    },
    900_000,
  );

  test.each(['before', 'after'] as const)(
    '%s it, a rollback gives the address back to the VirtualIP, and its copy serves all the time',
    async (side) => {
      const writes = await scene.cuts.walk('api', side, async () => {
        await old.clear();
        for (const name of ['s', CLONE]) await plane().client.attempt('DELETE', vips.path(name));
        await vips.ipGone(ADDRESS);
        await old.served('v', { service: 's', address: ADDRESS });
        // the migration stands still where the record was handed over, until it is told to go back
        const handedOver = scene.afterHandOver(() => {
          scene.cuts.operator.signal('SIGSTOP');
          return Promise.resolve();
        });
        await old.order('v');
        await handedOver;
        return {
          send: async () => {
            const { status } = await old.order('v', 'rollback');
            scene.cuts.operator.signal('SIGCONT');
            return status === 200;
          },
          isDone: async () => {
            const { metadata, status } = await old.get('v');
            const isOrdered = metadata.annotations?.['virtualips.paas.org/migrate'] !== undefined;
            return !isOrdered && status?.['state'] === STATES.valid;
          },
        };
      });
      expect(writes).toBeGreaterThan(2);
      expect(await vips.holders()).toEqual([`${ADDRESS}=test/v`]);
      expect(await scene.labelsOf(ADDRESS)).toEqual({ gsm: 'keepalived-1' });
      expect([(await scene.specOf('s'))['type'], (await scene.specOf(CLONE))['externalIPs']]).toEqual([
        'ClusterIP',
        [ADDRESS],
      ]);
    },
    600_000,
  );

  test.each(['before', 'after'] as const)('%s it, the end of a VirtualIP leaves nothing behind', async (side) => {
    const writes = await scene.cuts.walk('api', side, async () => {
      await old.served('v', { service: 's', address: ADDRESS });
      return {
        send: async () => {
          await old.remove('v');
          return true;
        },
        isDone: async () => !(await scene.isStored(old.path('v'))),
      };
    });
    expect(writes).toBeGreaterThan(3);
    expect([await scene.isStored(vips.path(CLONE)), await vips.holders()]).toEqual([false, []]);
  });
});
