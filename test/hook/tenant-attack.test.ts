import { DoorWorld } from '../support/door-world';
import { service } from '../support/review-builder';

const ZONE = 'ipam.vitistack.io/zone';
const SHARING = 'ipam.vitistack.io/allow-local-shared-ip';
const MEGABYTE = 1_000_000;

const stored = async ({ store }: DoorWorld): Promise<string> =>
  JSON.stringify(await store.list({ by: 'pool', network: 'default', pool: 'inet' }));

describe('FU-21 a Service that the API server refuses after the mutating webhook', () => {
  test('leaves a few hundred bytes, however long its selector and its sharing key are', async () => {
    const world = new DoorWorld();
    const object = service(
      { [ZONE]: 'inet', [SHARING]: 'k'.repeat(120_000) },
      { selector: { app: 's'.repeat(MEGABYTE) } },
    );
    const { response } = await world.mutate({ operation: 'CREATE', object });

    expect(response.allowed).toBe(true);
    expect((await stored(world)).length).toBeLessThan(2_000);
  });

  test('takes nothing under a name that no object can have', async () => {
    const world = new DoorWorld();
    const object = service({ [ZONE]: 'inet' });
    const { response } = await world.mutate({
      operation: 'CREATE',
      object: { ...object, metadata: { ...object.metadata, name: 'x'.repeat(MEGABYTE) } },
    });

    expect(response).toMatchObject({ allowed: false, status: { code: 422, reason: 'InvalidClaim' } });
    expect(response.status?.message.length).toBeLessThan(1_000);
    expect(await stored(world)).toBe('[]');
  });
});
