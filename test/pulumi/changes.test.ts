import * as kubernetes from '@pulumi/kubernetes';
import { IpamOperator, IpamService, type IpamServiceArgs } from '../../infra';
import { IPAM } from '../../operator/contract/group';
import type { EngineStack, Run } from './support/pulumi-engine';
import { useBareEngine } from './support/use-bare-engine';

const { plane, stackOf } = useBareEngine();

type Change = Partial<IpamServiceArgs>;

const PLAIN: Change = { ports: [{ port: 80 }] };
const ZONED: Change = { ...PLAIN, zone: 'inet' };
const FIXED: Change = { ...ZONED, addresses: ['83.118.168.9'] };
const BEFORE = { plain: PLAIN, zoned: ZONED, fixed: FIXED } as const;
type Before = keyof typeof BEFORE;

const serviceOf = (before: Before, change: Change = {}) =>
  stackOf(before, () => {
    new IpamService(before, { ports: [{ port: 80 }], ...BEFORE[before], ...change });
  });

/** Finds the fate of the one object of a kind. */
function fateOf({ steps }: Run, kind: string): string {
  const ops = steps.filter(({ type }) => type === `kubernetes:core/v1:${kind}`).map(({ op }) => op);
  const [created, deleted] = ['create-replacement', 'delete-replaced'].map((op) => ops.indexOf(op));
  if (created === undefined || deleted === undefined || created < 0) return ops.join(' ') || 'nothing';
  return deleted < created ? 'deleted first' : 'made first';
}

const ROWS: readonly (readonly [Before, string, Change, string])[] = [
  ['zoned', 'other ports', { ports: [{ port: 81 }] }, 'update'],
  ['zoned', 'other terms', { retentionPeriodDays: 3, secret: 'mine', labels: { team: 'net' } }, 'update'],
  ['zoned', 'a second family', { ipFamily: 'dual' }, 'update'],
  ['zoned', 'an address', { addresses: ['83.118.168.9'] }, 'update'],
  ['fixed', 'another address', { addresses: ['83.118.168.10'] }, 'update'],
  ['fixed', 'no address', { addresses: [] }, 'update'],
  ['fixed', 'another zone with its address', { zone: 'lan', addresses: ['172.16.0.9'] }, 'update'],
  ['zoned', 'another zone with an address', { zone: 'lan', addresses: ['172.16.0.9'] }, 'update'],
  ['zoned', 'another zone with any address', { zone: 'lan', annotations: { [IPAM.addresses]: '' } }, 'update'],
  ['zoned', 'another zone', { zone: 'lan' }, 'update'],
  ['plain', 'a zone', { zone: 'inet' }, 'update'],
  ['plain', 'another name', { name: 'other' }, 'made first'],
  ['zoned', 'another name', { name: 'other' }, 'made first'],
  ['fixed', 'another name', { name: 'other' }, 'deleted first'],
  ['plain', 'another namespace', { namespace: 'shops' }, 'made first'],
  ['fixed', 'another namespace', { namespace: 'shops' }, 'deleted first'],
];

describe('a change of a Service', () => {
  beforeAll(async () => {
    await plane().client.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shops' } }]);
    for (const before of ['plain', 'zoned', 'fixed'] as const) await (await serviceOf(before)).up();
  }, 300_000);

  test.each(ROWS.map(([before, to, args, fate]) => [`${before}: ${to}`, { before, args, fate }] as const))(
    'from %s',
    async (_change, { before, args, fate }) => {
      expect(fateOf(await (await serviceOf(before, args)).preview(), 'Service')).toBe(fate);
    },
  );

  test('that names its zone: another name, made first', async () => {
    const renamed = await serviceOf('zoned', { name: 'other' });
    const { client } = plane();
    const preview = await renamed.preview();
    const made = await renamed.up();

    expect([fateOf(preview, 'Service'), fateOf(made, 'Service')]).toEqual(['made first', 'made first']);
    expect(await client.attempt('GET', '/api/v1/namespaces/default/services/zoned')).toMatchObject({ status: 404 });
    expect(await client.attempt('GET', '/api/v1/namespaces/default/services/other')).toMatchObject({ status: 200 });
    expect(await renamed.preview()).toMatchObject({ steps: [] });
  }, 300_000);
});

describe('a change of the zones', () => {
  const installed = (prefix: string, opts: kubernetes.ProviderArgs): Promise<EngineStack> =>
    stackOf('installation', () => {
      const provider = new kubernetes.Provider('cluster', opts);
      new IpamOperator('ipam', { zones: [{ name: 'inet', prefixes: [prefix] }], dataProtection: 'none' }, { provider });
    });

  test('is one in place with a provider that is told so, and replaces the ConfigMap with another one', async () => {
    await (await installed('83.118.168.0/28', {})).up();
    const byDefault = await (await installed('83.118.168.0/27', {})).preview();
    const told = await (await installed('83.118.168.0/27', { enableConfigMapMutable: true })).preview();

    const made = await (await installed('83.118.168.0/27', {})).up();
    const { items = [] } = await plane().client.request('GET', '/api/v1/namespaces/ipam-system/configmaps');

    expect(fateOf(byDefault, 'ConfigMap')).toBe('deleted first');
    expect(fateOf(told, 'ConfigMap')).toBe('update');
    expect(fateOf(made, 'ConfigMap')).toBe('deleted first');
    expect(JSON.stringify(items.map(({ data }) => data))).toContain('83.118.168.0/27');
  }, 300_000);
});
