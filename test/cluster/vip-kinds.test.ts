import { crdManifest, type KindDeclaration } from '../../operator/contract/crd-manifest';
import { IP } from '../../operator/contract/kinds/ip';
import { IP_GROUP } from '../../operator/contract/kinds/ip-group';
import { GROUP_SAMPLES, IP_SAMPLES, ipObject, OLD_POOLS } from '../support/vip-kind-samples';
import { acceptedOf, askSample, causesOf, refusedOf } from './support/ask-sample';
import { useControlPlane } from './support/use-control-plane';

const collection = ({ group, version, plural }: Pick<KindDeclaration<never>, 'group' | 'version' | 'plural'>): string =>
  `/apis/${group}/${version}/${plural}`;

const plane = useControlPlane({
  prepare: async ({ client }) => {
    await client.apply([crdManifest(IP_GROUP), crdManifest(IP)] as never);
  },
});

describe('the API server and an IPGroup', () => {
  test.each(acceptedOf(GROUP_SAMPLES))('accepts $title', async (sample) => {
    const { status, body } = await askSample(plane().client, collection(IP_GROUP), sample);

    expect([body.message, status]).toEqual([undefined, 201]);
  });

  test.each(refusedOf(GROUP_SAMPLES))('refuses $title at $refusedAt', async (sample) => {
    const answer = await askSample(plane().client, collection(IP_GROUP), sample);

    expect(answer.status).toBe(422);
    expect(causesOf(answer)).toContain(sample.refusedAt);
    expect(causesOf(answer)).toContain(sample.says);
  });
});

describe('the API server and an IP', () => {
  test.each(acceptedOf(IP_SAMPLES))('accepts $title', async (sample) => {
    const { status, body } = await askSample(plane().client, collection(IP), sample);

    expect([body.message, status]).toEqual([undefined, sample.before === undefined ? 201 : 200]);
  });

  test.each(refusedOf(IP_SAMPLES))('refuses $title at $refusedAt', async (sample) => {
    const answer = await askSample(plane().client, collection(IP), sample);

    expect(answer.status).toBe(422);
    expect(causesOf(answer)).toContain(sample.refusedAt);
  });
});

/** Words of the lines that `kubectl get` shows. */
async function shown(kind: string): Promise<readonly (readonly string[])[]> {
  const text = await plane().kubectl('get', kind);
  return text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ +/u));
}

test('VIP-T51 kubectl get shows the columns of old, and counters', async () => {
  const { client } = plane();
  await client.request('POST', collection(IP_GROUP), OLD_POOLS[0]);
  await client.request(
    'PATCH',
    `${collection(IP_GROUP)}/ipgroup-1/status`,
    {
      status: { total: '5', allocated: '2', free: '3', excluded: '3' },
    },
    'merge',
  );
  await client.request(
    'POST',
    collection(IP),
    ipObject('1.1.1.1', undefined, {
      labels: { ipgroup: 'ipgroup-1' },
      annotations: { 'virtualips.paas.il/owner': 'test/a' },
    }),
  );

  const [groups = [], group = []] = await shown('ipg');
  const [ips = [], ip = []] = await shown('ips.paas.org');

  expect(groups).toEqual(['NAME', 'SEGMENT', 'TOTAL', 'ALLOCATED', 'FREE', 'EXCLUDED', 'READY', 'AGE']);
  expect(group.slice(0, 6)).toEqual(['ipgroup-1', '1.1.1.0/29', '5', '2', '3', '3']);
  expect(ips).toEqual(['NAME', 'IPGROUP', 'OWNER', 'AGE']);
  expect(ip.slice(0, 3)).toEqual(['1.1.1.1', 'ipgroup-1', 'test/a']);
});
