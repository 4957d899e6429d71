import { parseAdmissionReview } from '../../../operator/contract/admission-review';
import { storeAdmitted } from '../../../operator/assembly/standalone-storage';
import { DoorWorld } from '../../support/door-world';
import { review, service, type ServiceJson } from '../../support/review-builder';

const SECRET = 'ipam.vitistack.io/secret';

async function stored(world: DoorWorld, object: ServiceJson, oldObject?: ServiceJson): Promise<void> {
  const operation = oldObject === undefined ? 'CREATE' : 'UPDATE';
  const parsed = parseAdmissionReview(review({ operation, object, oldObject }));
  if (!parsed.ok) throw new TypeError(parsed.refusal.message);
  const { cluster, book, logger } = world;
  await storeAdmitted({ cluster, book, logger }, parsed.value);
}

describe('storeAdmitted', () => {
  test('binds under the Secret and the options that an UPDATE names', async () => {
    const world = new DoorWorld();
    world.cluster.putSecret('a', 'mine', { type: 'Opaque', data: { secret: 'my-own-secret' } });
    const before = (await world.create(service())).stored ?? service();
    await stored(world, before);
    const { stored: after = before } = await world.update('web', ({ metadata }) => {
      metadata.annotations = {
        ...metadata.annotations,
        [SECRET]: 'mine',
        'ipam.vitistack.io/retention-period-days': '7',
      };
    });
    await stored(world, after, before);
    const [record] = await world.store.list({ by: 'pool', network: 'default', pool: 'hnet-private' });
    expect(record?.secret?.scope).toBe('shared');
    expect(record?.holders).toMatchObject([{ state: 'bound', options: { retentionPeriodDays: 7 } }]);
  });
});
