import { writeFileSync } from 'node:fs';
import { CLAIMS_SECRET, CliOperator, SHOP_ZONES } from '../../../support/cli-operator';
import { socketCall } from '../../../support/socket-call';

const operator = new CliOperator(SHOP_ZONES);
const ipam = operator.run.bind(operator);

const service = (name: string, annotations: object, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop', annotations },
  spec: { type: 'LoadBalancer', ports: [{ port: 80 }], ...more },
});

beforeAll(async () => {
  await operator.start();
  writeFileSync(operator.at('secret'), `${CLAIMS_SECRET}\n`);
  await operator.claimShop();
});

afterAll(() => operator.dispose());

describe('ipam plan', () => {
  test('tells the next address, and reserves nothing', async () => {
    const first = await ipam(['plan', 'shop/new']);
    expect(first).toMatchObject({ code: 0, err: expect.stringContaining('nothing was reserved') as string });
    expect(first.out).toMatch(/^shop\/new +inet +ipv4 +new +10\.1\.0\.1 /mu);
    expect((await ipam(['plan', 'shop/new'])).out).toBe(first.out);
    expect(await operator.json('show', '10.1.0.1')).toMatchObject({ state: 'free' });
  });

  test('FU-72 tells that a Service keeps what it has, whether its secret is shown or not', async () => {
    const known = await ipam(['plan', 'shop/web', '--secret-file', operator.at('secret')]);
    expect(known).toMatchObject({ code: 0, out: expect.stringMatching(/kept +10\.1\.0\.0 /u) as string });
    const unknown = await ipam(['plan', 'shop/web']);
    expect(unknown).toMatchObject({ code: 0, out: expect.stringMatching(/kept +10\.1\.0\.0 /u) as string });
    expect(unknown.err).toContain('on record already: "shop/web" has 10.1.0.0');
    const stored = service('web', { 'ipam.vitistack.io/zone': 'inet', 'ipam.vitistack.io/addresses': '10.1.0.0' });
    const named = await ipam(['plan', '--manifest', '-'], JSON.stringify(stored));
    expect(named).toMatchObject({ code: 0, out: expect.stringMatching(/kept +10\.1\.0\.0 /u) as string });
  });

  test('FU-72 a wrong secret that is shown is refused', async () => {
    writeFileSync(operator.at('wrong'), 'another-secret-of-the-shop\n');
    const wrong = await ipam(['plan', 'shop/web', '--secret-file', operator.at('wrong')]);
    expect(wrong).toMatchObject({
      code: 2,
      out: expect.stringMatching(/refused .*the secret is not the one/u) as string,
    });
  });

  test('exits with 2 where it is refused, and names who stands in the way', async () => {
    const held = await ipam(['plan', 'shop/new', '--address', '10.1.0.0']);
    expect(held).toMatchObject({ code: 2, out: expect.stringContaining('"shop/web"') as string });
    const full = await ipam(['plan', 'shop/new', '--zone', 'full']);
    expect(full).toMatchObject({ code: 2, out: expect.stringContaining('has no free IPv4 address') as string });
  });

  test('reads every Service of a manifest, and exits with 5 where some are refused', async () => {
    const manifest = [
      service('dual', { 'ipam.vitistack.io/ip-family': 'dual' }),
      service('misspelt', { 'ipam.vitistack.io/zne': 'inet' }),
      { kind: 'List', items: [service('wish', { 'ipam.vitistack.io/addresses': '10.1.0.77' })] },
      { kind: 'Service', metadata: { name: 'inside' }, spec: { type: 'ClusterIP' } },
    ];
    const text = manifest.map((each) => JSON.stringify(each)).join('\n---\n');
    const { code, out } = await ipam(['plan', '--manifest', '-', '--output', 'json'], text);
    expect(code).toBe(5);
    const { entries } = JSON.parse(out) as { readonly entries: readonly object[] };
    expect(entries).toHaveLength(4);
    expect(entries).toEqual(
      expect.arrayContaining([
        { service: 'shop/dual', zone: 'inet', family: 'ipv6', verdict: 'new', address: '2001:db8::' },
        { service: 'shop/wish', zone: 'inet', family: 'ipv4', verdict: 'new', address: '10.1.0.77' },
        expect.objectContaining({
          service: 'shop/misspelt',
          problem: expect.objectContaining({ code: 'wish/malformed' }) as object,
        }),
      ]),
    );
  });

  describe('on a cluster with one family', () => {
    const two = [
      service('annotated', { 'ipam.vitistack.io/ip-family': 'dual' }),
      service('policy', {}, { ipFamilyPolicy: 'RequireDualStack' }),
      service('other', {}, { ipFamilies: ['IPv6'] }),
    ];
    const asked = async (...more: readonly string[]) => {
      const text = two.map((each) => JSON.stringify(each)).join('\n---\n');
      const { code, out, err } = await ipam(['plan', '--manifest', '-', '--output', 'json', ...more], text);
      const { entries } = JSON.parse(out) as { readonly entries: readonly Readonly<Record<string, unknown>>[] };
      return {
        code,
        err,
        told: entries.map((each) => (each['problem'] as { code: string } | undefined)?.code ?? each['verdict']),
      };
    };
    const refused = ['wish/family', 'wish/family', 'wish/family'];

    test('refuses two families and the other one, as the operator of this cluster does', async () => {
      const own = await socketCall(operator.at('admin.sock'), { method: 'GET', path: '/own-cluster' });
      const { clusterUid, families } = own.body as { clusterUid: string; families: unknown };
      expect(families).toEqual(['ipv4']);
      const { code, told, err } = await asked('--cluster', clusterUid);
      expect([code, told]).toEqual([2, refused]);
      expect(err).not.toContain('--cluster-families');
      const named = await ipam(['plan', 'shop/new', '--family', 'dual', '--cluster', clusterUid]);
      expect(named).toMatchObject({ code: 2, out: expect.stringContaining('this cluster has IPv4') as string });
    });

    test('refuses them where the families of another cluster are told', async () => {
      expect(await asked('--cluster-families', 'ipv4')).toMatchObject({ code: 2, told: refused });
      expect((await asked('--cluster-families', 'ipv6,ipv4')).code).toBe(0);
    });

    test('says that it does not know another cluster, and says nothing of its families then', async () => {
      const { code, told, err } = await asked();
      expect([code, told]).toEqual([0, ['new', 'new', 'new', 'new', 'new']]);
      expect(err).toContain('the families of the cluster are not known here');
      const { out } = await ipam(['plan', 'shop/new', '--zone', 'full', '--family', 'ipv6']);
      expect(out).toContain('zone "full" has no IPv6 prefix');
      expect(out).not.toContain('this cluster');
    });
  });

  test.each([
    ['families that are none', ['shop/web', '--cluster-families', 'ipv5'], ''],
    ['no Service', [], ''],
    ['a name without namespace', ['web'], ''],
    ['a name and a manifest', ['shop/web', '--manifest', '-'], '{}'],
    ['a manifest without Services', ['--manifest', '-'], 'kind: Pod\n'],
    ['a manifest that is no YAML', ['--manifest', '-'], 'a: [b'],
    ['an address that is none', ['shop/web', '--address', '10.1.0.300'], ''],
    ['two things from standard input', ['--manifest', '-', '--secret-file', '-'], ''],
  ])('exits with 1 for %s', async (_name, argv, input) => {
    const { code, out } = await ipam(['plan', ...argv], input);
    expect([code, out]).toEqual([1, '']);
  });
});
