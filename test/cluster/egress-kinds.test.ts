import { crdManifest } from '../../operator/contract/crd-manifest';
import { EGRESS_IPAM } from '../../operator/contract/kinds/egress-ipam';
import { EGRESS_SAMPLES, egressIpamObject, egressSpec } from '../support/egress-kind-samples';
import { acceptedOf, askSample, causesOf, refusedOf } from './support/ask-sample';
import { useControlPlane } from './support/use-control-plane';

const COLLECTION = `/apis/${EGRESS_IPAM.group}/${EGRESS_IPAM.version}/${EGRESS_IPAM.plural}`;

const plane = useControlPlane({
  prepare: async ({ client }) => {
    await client.apply([crdManifest(EGRESS_IPAM)] as never);
  },
});

describe('the API server and an EgressIPAM', () => {
  test.each(acceptedOf(EGRESS_SAMPLES))('accepts $title', async (sample) => {
    const { status, body } = await askSample(plane().client, COLLECTION, sample);

    expect([body.message, status]).toEqual([undefined, 201]);
  });

  test.each(refusedOf(EGRESS_SAMPLES))('refuses $title at $refusedAt', async (sample) => {
    const answer = await askSample(plane().client, COLLECTION, sample);

    expect(answer.status).toBe(422);
    expect(causesOf(answer)).toContain(sample.refusedAt);
    expect(causesOf(answer)).toContain(sample.says);
  });
});

test('EG-3 kubectl get shows the columns', async () => {
  const { client } = plane();
  const spec = egressSpec({ CIDR: '10.0.0.0/24', labelValue: 'true' });
  await client.request('POST', COLLECTION, egressIpamObject('shown', spec));
  const status = {
    dataplane: 'none',
    pools: ['10.0.0.0/24'],
    total: '256',
    allocated: '1',
    free: '253',
    namespaces: { assigned: 1, pending: 0, invalid: 0 },
  };
  await client.request('PATCH', `${COLLECTION}/shown/status`, { status }, 'merge');

  const lines = (await plane().kubectl('get', 'eipam', 'shown')).trim().split('\n');

  expect(lines.map((line) => line.trim().split(/ +/u).slice(0, 7))).toEqual([
    ['NAME', 'DATAPLANE', 'CIDRS', 'TOTAL', 'ALLOCATED', 'FREE', 'NAMESPACES'],
    ['shown', 'none', '["10.0.0.0/24"]', '256', '1', '253', '1'],
  ]);
});
