import { crdManifest } from '../../../../operator/contract/crd-manifest';
import { IP_ALLOCATION, ipAllocationProblems } from '../../../../operator/contract/kinds/ip-allocation';
import { IP_PREFIX, ipPrefixProblems } from '../../../../operator/contract/kinds/ip-prefix';
import { NETWORK_INSTANCE, networkInstanceProblems } from '../../../../operator/contract/kinds/network-instance';
import { SELECTABLE_KEYS, SYSTEM_KEYS } from '../../../../operator/contract/nephio';
import {
  ALLOCATION_SAMPLES,
  INSTANCE_SAMPLES,
  instanceObject,
  PREFIX_SAMPLES,
  prefixObject,
} from '../../../support/network-kind-samples';

const asked = [
  ...INSTANCE_SAMPLES.map(({ title, object, refusedAt, says }) => ({
    title: `a NetworkInstance: ${title}`,
    problems: () => networkInstanceProblems(object),
    refusedAt,
    says,
  })),
  ...PREFIX_SAMPLES.map(({ title, object, before, refusedAt, says }) => ({
    title: `an IPPrefix: ${title}`,
    problems: () => ipPrefixProblems(object, before),
    refusedAt,
    says,
  })),
  ...ALLOCATION_SAMPLES.map(({ title, object, before, refusedAt, says }) => ({
    title: `an IPAllocation: ${title}`,
    problems: () => ipAllocationProblems(object, before),
    refusedAt,
    says,
  })),
];

describe('the kinds of the Networks door', () => {
  test.each(asked.filter(({ refusedAt }) => refusedAt === undefined))('accept $title', ({ problems }) => {
    expect(problems()).toEqual([]);
  });

  test.each(asked.filter(({ refusedAt }) => refusedAt !== undefined))(
    'refuse $title at $refusedAt',
    ({ problems, refusedAt, says }) => {
      const found = problems();
      expect(found.map(({ field }) => field)).toContain(refusedAt);
      const told = found.filter(({ field }) => field === refusedAt).map(({ message }) => message);
      expect(told.join()).toContain(says ?? '');
    },
  );

  test('each rule of the API server has a sample that breaks it', () => {
    const said = [...PREFIX_SAMPLES, ...ALLOCATION_SAMPLES].map(({ says = '' }) => says).filter((text) => text !== '');
    for (const { message } of [...IP_PREFIX.rules, ...IP_ALLOCATION.rules]) {
      expect(said.filter((text) => message.startsWith(text))).not.toEqual([]);
    }
  });

  test('a refusal names the field, the value and what is allowed', () => {
    const spec = { kind: 'pool', networkInstance: 'vpc-1', prefix: '10.8.0.1/16' };
    expect(ipPrefixProblems(prefixObject('p', spec)).map(({ message }) => message)).toEqual([
      'spec.prefix is "10.8.0.1/16" but must have no bits set after its length; only kind network takes an address with the length of its subnet',
    ]);
  });

  test('a mistyped field is refused with the right one', () => {
    const spec = { networkInstance: 'vpc-1', network: 'net1', prefx: '10.0.1.1/24' };
    expect(ipPrefixProblems(prefixObject('p', spec)).map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/prefx.*prefix/u),
    );
    expect(networkInstanceProblems(instanceObject('vpc-1', { spec: { prefixes: [] } }))).toHaveLength(1);
  });

  test.each([
    [NETWORK_INSTANCE, ['SYNC', 'STATUS', 'AGE']],
    [IP_PREFIX, ['SYNC', 'STATUS', 'NETWORK', 'KIND', 'NETWORK', 'PREFIX-REQ', 'PREFIX-ALLOC', 'AGE']],
    [IP_ALLOCATION, ['SYNC', 'STATUS', 'KIND', 'AF', 'PREFIXLENGTH', 'PREFIX-REQ', 'PREFIX-ALLOC', 'GATEWAY', 'AGE']],
  ])('NET-E11 $kind keeps the columns of the older kind', (kind, titles) => {
    const shown = kind.columns.filter(({ priority = 0 }) => priority === 0).map(({ name }) => name);
    expect(shown).toEqual(titles);
    expect(kind).toMatchObject({ categories: ['nephio', 'ipam'], shortNames: [], scope: 'Namespaced' });
  });

  test('conditions are merged by kind, and a selector is replaced as a whole', () => {
    const text = JSON.stringify(crdManifest(IP_ALLOCATION));
    expect(text).toContain('"x-kubernetes-list-map-keys":["kind"]');
    expect(text).toContain('"x-kubernetes-map-type":"atomic"');
    expect(text).toContain('"default":"network"');
  });
});

test('keys that a selector may name are keys of the system, or the gateway', () => {
  expect(SELECTABLE_KEYS.filter((key) => !SYSTEM_KEYS.includes(key))).toEqual(['nephio.org/gateway']);
  expect(SYSTEM_KEYS).toHaveLength(11);
});

test('the entries in the status of a NetworkInstance are written as a whole', () => {
  expect(crdManifest(NETWORK_INSTANCE)).toHaveProperty(
    ['spec', 'versions', 0, 'schema', 'openAPIV3Schema', 'properties', 'status', 'properties', 'allocations'],
    expect.objectContaining({ 'x-kubernetes-map-type': 'atomic' }),
  );
});
