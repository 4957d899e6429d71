import { crdManifest, type KindDeclaration } from '../../operator/contract/crd-manifest';
import { IP } from '../../operator/contract/kinds/ip';
import { IP_GROUP } from '../../operator/contract/kinds/ip-group';
import { GROUP_SAMPLES, IP_SAMPLES, ipObject, OLD_POOLS, type VipKindSample } from '../support/vip-kind-samples';
import type { ServerAnswer } from './support/cluster-client';
import { useControlPlane } from './support/use-control-plane';

interface Named {
  readonly metadata: { readonly name: string };
}

const collection = ({ group, version, plural }: Pick<KindDeclaration<never>, 'group' | 'version' | 'plural'>): string =>
  `/apis/${group}/${version}/${plural}`;

const plane = useControlPlane({
  prepare: async ({ client }) => {
    await client.apply([crdManifest(IP_GROUP), crdManifest(IP)] as never);
  },
});

/** Asks the server for a sample; what an update starts from is stored and taken away again. */
async function ask<O extends Named>(path: string, { object, before }: VipKindSample<O>): Promise<ServerAnswer> {
  const { client } = plane();
  if (before === undefined) return client.attempt('POST', `${path}?dryRun=All`, object);
  const { metadata } = await client.request('POST', path, before);
  const { resourceVersion } = metadata;
  const changed = { ...object, metadata: { ...object.metadata, resourceVersion } };
  const answer = await client.attempt('PUT', `${path}/${before.metadata.name}?dryRun=All`, changed);
  await client.request('DELETE', `${path}/${before.metadata.name}`);
  return answer;
}

const causesOf = ({ body }: ServerAnswer): string =>
  (body.details?.causes ?? []).map(({ field = '', message = '' }) => `${field}: ${message}`).join('\n');

const accepted = <O>(samples: readonly VipKindSample<O>[]) =>
  samples.filter(({ refusedAt }) => refusedAt === undefined);
const refused = <O>(samples: readonly VipKindSample<O>[]) => samples.filter(({ refusedAt }) => refusedAt !== undefined);

describe('the API server and an IPGroup', () => {
  test.each(accepted(GROUP_SAMPLES))('accepts $title', async (sample) => {
    const { status, body } = await ask(collection(IP_GROUP), sample);

    expect([body.message, status]).toEqual([undefined, 201]);
  });

  test.each(refused(GROUP_SAMPLES))('refuses $title at $refusedAt', async (sample) => {
    const answer = await ask(collection(IP_GROUP), sample);

    expect(answer.status).toBe(422);
    expect(causesOf(answer)).toContain(sample.refusedAt);
    expect(causesOf(answer)).toContain(sample.says);
  });
});

describe('the API server and an IP', () => {
  test.each(accepted(IP_SAMPLES))('accepts $title', async (sample) => {
    const { status, body } = await ask(collection(IP), sample);

    expect([body.message, status]).toEqual([undefined, sample.before === undefined ? 201 : 200]);
  });

  test.each(refused(IP_SAMPLES))('refuses $title at $refusedAt', async (sample) => {
    const answer = await ask(collection(IP), sample);

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
