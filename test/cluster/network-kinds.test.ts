import { crdManifest, type KindDeclaration } from '../../operator/contract/crd-manifest';
import { IP_ALLOCATION } from '../../operator/contract/kinds/ip-allocation';
import { IP_PREFIX } from '../../operator/contract/kinds/ip-prefix';
import { NETWORK_INSTANCE } from '../../operator/contract/kinds/network-instance';
import { NETWORKS_FINALIZER } from '../../operator/contract/nephio';
import {
  ALLOCATION_SAMPLES,
  allocationObject,
  INSTANCE_SAMPLES,
  instanceObject,
  PREFIX_SAMPLES,
  prefixObject,
} from '../support/network-kind-samples';
import type { VipKindSample } from '../support/vip-kind-samples';
import { acceptedOf, askSample, causesOf, refusedOf } from './support/ask-sample';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { useControlPlane } from './support/use-control-plane';

interface Named {
  readonly metadata: { readonly name: string };
}
type Kind = Pick<KindDeclaration<never>, 'group' | 'version' | 'plural'>;

const collection = ({ group, version, plural }: Kind): string =>
  `/apis/${group}/${version}/namespaces/default/${plural}`;

const plane = useControlPlane({
  prepare: async (control) => {
    await applyInstallation(control, { services: { enabled: false }, networks: { enabled: true } });
  },
});

/** Spec without the kind, which the API server fills in where it is left out. */
const withoutDefaults = (object: unknown): unknown => {
  const { spec = {} } = JSON.parse(JSON.stringify(object)) as { readonly spec?: Readonly<Record<string, unknown>> };
  return Object.fromEntries(Object.entries(spec).filter(([field]) => field !== 'kind'));
};

describe.each<readonly [string, Kind, readonly VipKindSample<Named>[]]>([
  ['a NetworkInstance', NETWORK_INSTANCE, INSTANCE_SAMPLES],
  ['an IPPrefix', IP_PREFIX, PREFIX_SAMPLES],
  ['an IPAllocation', IP_ALLOCATION, ALLOCATION_SAMPLES],
])('the API server and %s', (_what, kind, samples) => {
  test.each(acceptedOf(samples))('accepts $title, and keeps every field', async (sample) => {
    const { status, body } = await askSample(plane().client, collection(kind), sample);

    expect([body.message, status]).toEqual([undefined, sample.before === undefined ? 201 : 200]);
    expect(withoutDefaults(body)).toEqual(withoutDefaults(sample.object));
  });

  if (refusedOf(samples).length === 0) return;
  test.each(refusedOf(samples))('refuses $title at $refusedAt', async (sample) => {
    const answer = await askSample(plane().client, collection(kind), sample);

    expect(answer.status).toBe(422);
    expect(causesOf(answer)).toContain(sample.refusedAt?.replace(/\[.*/u, ''));
    expect(causesOf(answer)).toContain(sample.says);
  });
});

/** Words of the lines that `kubectl get` shows, by kind. */
async function shown(...words: readonly string[]): Promise<readonly (readonly string[])[]> {
  // kubectl forgets what it knew of the server at the first word that it does not find
  const text = await eventually(() => plane().kubectl('get', ...words));
  return text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/u));
}

const condition = (kind: string, status: string, reason: string) => ({
  kind,
  status,
  reason,
  lastTransitionTime: '2022-11-07T10:00:00Z',
});
const READY = [condition('Synced', 'True', 'ReconcileSuccess'), condition('Ready', 'True', 'Ready')];

test('NET-E11 kubectl get ipam lists the three kinds, and no record, with the columns of the older ones', async () => {
  const { client } = plane();
  const [instances, prefixes, allocations] = [NETWORK_INSTANCE, IP_PREFIX, IP_ALLOCATION].map(collection);
  const selector = {
    matchLabels: { 'nephio.org/network-instance': 'vpc-1', 'nephio.org/network-name': 'net1' },
  };
  await client.request('POST', instances ?? '', instanceObject('vpc-1'));
  await client.request(
    'POST',
    prefixes ?? '',
    prefixObject('net1-prefix1', { prefix: '10.0.1.1/24', networkInstance: 'vpc-1', network: 'net1' }),
  );
  await client.request('POST', allocations ?? '', allocationObject('alloc1', { kind: 'network', selector }));
  // conditions as the older operator wrote them have no type
  const written: readonly (readonly [string, object])[] = [
    [`${instances ?? ''}/vpc-1/status`, {}],
    [`${prefixes ?? ''}/net1-prefix1/status`, { prefix: '10.0.1.1/24', network: 'net1' }],
    [`${allocations ?? ''}/alloc1/status`, { prefix: '10.0.1.2/32', gateway: '10.0.1.1' }],
  ];
  for (const [path, more] of written) {
    const { status } = await client.attempt('PATCH', path, { status: { conditions: READY, ...more } }, 'merge');
    expect(status).toBe(200);
  }

  for (const category of ['ipam', 'nephio']) {
    const lines = await shown(category);
    const byKind = Object.fromEntries(lines.map(([name = '', ...words]) => [name, words.slice(0, -1)]));
    const titles = lines.filter(([name]) => name === 'NAME');
    expect(titles.toSorted((a, b) => a.length - b.length)).toEqual([
      ['NAME', 'SYNC', 'STATUS', 'AGE'],
      ['NAME', 'SYNC', 'STATUS', 'NETWORK', 'KIND', 'NETWORK', 'PREFIX-REQ', 'PREFIX-ALLOC', 'AGE'],
      ['NAME', 'SYNC', 'STATUS', 'KIND', 'AF', 'PREFIXLENGTH', 'PREFIX-REQ', 'PREFIX-ALLOC', 'GATEWAY', 'AGE'],
    ]);
    expect(byKind).toMatchObject({
      'networkinstance.ipam.nephio.org/vpc-1': ['True', 'True'],
      'ipprefix.ipam.nephio.org/net1-prefix1': [
        'True',
        'True',
        'vpc-1',
        'network',
        'net1',
        '10.0.1.1/24',
        '10.0.1.1/24',
      ],
      'ipallocation.ipam.nephio.org/alloc1': ['True', 'True', 'network', '10.0.1.2/32', '10.0.1.1'],
    });
  }
  const [wide = []] = await shown('ipprefixes', '-o', 'wide');
  expect(wide).toEqual(expect.arrayContaining(['PARENT', 'TOTAL', 'USED', 'FREE', 'EXCLUDED', 'REASON']));
});

/** The kind as the older operator had it: any text for a prefix, no rules. */
function unruled(kind: KindDeclaration<never>): object {
  const loosened = JSON.stringify(crdManifest(kind), (key, value: unknown) =>
    ['x-kubernetes-validations', 'pattern', 'minimum', 'maximum'].includes(key) ? undefined : value,
  );
  return JSON.parse(loosened) as object;
}

const finalizers = [NETWORKS_FINALIZER];

describe('objects that were stored under an older definition', () => {
  const old = [
    [IP_PREFIX, prefixObject('old', { prefix: '10.0.0.0/99', networkInstance: 'vpc-1' }, { finalizers })],
    [IP_ALLOCATION, allocationObject('old', { kind: 'pool', prefixLength: 288 }, { finalizers })],
  ] as const;

  beforeAll(async () => {
    const { client } = plane();
    await client.apply(old.map(([kind]) => unruled(kind)) as never);
    for (const [kind, object] of old)
      await eventually(async () => (await client.attempt('POST', collection(kind), object)).status === 201);
    await client.apply(old.map(([kind]) => crdManifest<never>(kind)));
    // the rules are in force once a new object of that form is refused
    for (const [kind, object] of old) {
      const another = { ...object, metadata: { name: 'another', namespace: 'default' } };
      await eventually(async () => {
        const { status } = await client.attempt('POST', `${collection(kind)}?dryRun=All`, another);
        return status === 422;
      });
    }
  }, 120_000);

  test.each(old)(
    'of kind $kind are listed, take labels and a status, and are deleted with their finalizer',
    async (kind) => {
      const { client } = plane();
      const path = `${collection(kind)}/old`;
      const attempts = [
        await client.attempt('GET', collection(kind)),
        await client.attempt('PATCH', path, { metadata: { labels: { team: 'net' } } }, 'merge'),
        await client.attempt('PATCH', `${path}/status`, { status: { conditions: READY } }, 'merge'),
      ];
      expect(attempts.map(({ status, body }) => [status, body.message])).toEqual(attempts.map(() => [200, undefined]));
      await client.request('DELETE', path);
      const { body } = await client.attempt('GET', path);
      expect(body.metadata.deletionTimestamp).toBeDefined();
      const off = await client.attempt('PATCH', path, { metadata: { finalizers: [] } }, 'merge');
      expect([off.status, off.body.message]).toEqual([200, undefined]);
      expect((await client.attempt('GET', path)).status).toBe(404);
    },
  );

  test('cannot be changed into another wrong form', async () => {
    const { client } = plane();
    const [[kind, object]] = old;
    await client.request(
      'POST',
      collection(kind),
      prefixObject('sound', { ...object.spec, kind: 'pool', prefix: '10.9.0.0/16' }),
    );
    const { status } = await client.attempt(
      'PATCH',
      `${collection(kind)}/sound`,
      { spec: { prefix: '10.0.0.0/98' } },
      'merge',
    );
    expect(status).toBe(422);
  });
});

describe('the policy that guards the record', () => {
  const table = { apiVersion: 'ipam.vitistack.io/v1alpha1', kind: 'AddressTable', metadata: { name: 'default.vpc-1' } };

  test('keeps AddressTables from every client but the operator, administrators too', async () => {
    const path = '/apis/ipam.vitistack.io/v1alpha1/addresstables?dryRun=All';
    const { status, body } = await eventually(async () => {
      const answer = await plane().client.attempt('POST', path, { ...table, spec: { decisions: [] } });
      return answer.status === 201 ? undefined : answer;
    });
    expect([status, body.message]).toEqual([403, expect.stringContaining('ipam-table-guard')]);
  });
});
