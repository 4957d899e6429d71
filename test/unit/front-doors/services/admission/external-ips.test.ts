import { readService, type ServiceView } from '../../../../../operator/contract/service';
import { externalIpProblem } from '../../../../../operator/front-doors/services/admission/external-ips';
import type { Review } from '../../../../../operator/front-doors/services/wanted/review';
import { heldByOthers } from '../../../../../operator/ledger/views/held-by-others';
import { ask, claimant, LedgerWorld } from '../../../../support/ledger-world';

function view(name: string, ...externalIPs: string[]): ServiceView {
  const object = { metadata: { namespace: 'b', name }, spec: { type: 'LoadBalancer', externalIPs } };
  return readService(object)!;
}

describe('FU-02: spec.externalIPs of a LoadBalancer', () => {
  const world = new LedgerWorld();
  const problemOf = (review: Partial<Review> & Pick<Review, 'service'>, name = 'web') =>
    externalIpProblem(
      { heldByOthers: (address, who) => heldByOthers({ claims: world.store, zones: world.zones }, address, who) },
      { operation: 'CREATE', namespace: 'b', ...review },
      claimant(`b/${name}`),
    );

  beforeAll(async () => {
    await world.owns(ask('a/db', { at: '192.0.2.7' }), 'u1');
    await world.owns(ask('b/web', { at: '192.0.2.8' }), 'u2');
  });

  test('that another Service holds are refused with the name of the holder', async () => {
    expect(await problemOf({ service: view('web', '192.0.2.9', '192.0.2.7') })).toMatchObject({
      code: 'address/held',
      field: 'spec.externalIPs',
      value: '192.0.2.7',
      message: expect.stringContaining('is held by "a/db"') as string,
    });
  });

  test('that it holds itself, that are free or of no zone pass, and so does what was stored before', async () => {
    expect(await problemOf({ service: view('web', '192.0.2.8', '192.0.2.9', '198.51.100.1') })).toBeUndefined();
    const stored = view('web', '192.0.2.7');
    expect(await problemOf({ operation: 'UPDATE', service: stored, stored, live: stored })).toBeUndefined();
  });

  test('are left alone where nobody can tell who holds them', async () => {
    const review: Review = { operation: 'CREATE', namespace: 'b', service: view('web', '192.0.2.7') };
    expect(await externalIpProblem({}, review, claimant('b/web'))).toBeUndefined();
  });
});
