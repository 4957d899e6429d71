import { Chart, Testing } from 'cdk8s';

import { IpamService, type IpamServiceProps } from '../../../../constructs';

type Props = Partial<IpamServiceProps>;

const fixed: Props = { zone: 'inet', addresses: ['2001:db8::35'], ipFamily: 'ipv6' };

/** One app with a Service in each of two charts; only synth of the later one looks back. */
function problemsOf(a: Props, b: Props): readonly string[] {
  const app = Testing.app();
  const [dns, web] = ['dns', 'web'].map((id) => new Chart(app, id, { namespace: 'apps' }));
  new IpamService(dns!, 'a', { ports: [{ port: 53, protocol: 'UDP' }], ...fixed, ...a });
  const later = new IpamService(web!, 'b', { ports: [{ port: 80 }], ...fixed, ...b });
  return later.node.validate();
}

describe('two IpamServices of one app with one address', () => {
  test.each<{ what: string; a: Props; b: Props; why: string }>([
    { what: 'without a sharing key', a: {}, b: {}, why: 'this Service has no sharing key' },
    {
      what: 'with different keys, in another spelling',
      a: { allowLocalSharedIp: 'k' },
      b: { allowLocalSharedIp: 'q', addresses: ['2001:DB8:0::35'] },
      why: 'the sharing key "q" is not the one of "apps/a"',
    },
    {
      what: 'with one key and one port',
      a: { allowLocalSharedIp: 'k', ports: [{ port: 80 }] },
      b: { allowLocalSharedIp: 'k' },
      why: 'both use port 80/TCP',
    },
  ])('$what fail and are both named', ({ a, b, why }) => {
    const [problem, ...more] = problemsOf(a, b);
    expect(more).toEqual([]);
    expect(problem).toContain(
      `metadata.annotations[ipam.vitistack.io/addresses]: "web/b" and "dns/a" ask for one address (2001:db8::35): ${why}`,
    );
  });

  test.each<{ what: string; a: Props; b: Props }>([
    { what: 'one key and different ports', a: { allowLocalSharedIp: 'k' }, b: { allowLocalSharedIp: 'k' } },
    { what: 'zones of two networks', a: {}, b: { zone: 'lab' } },
    { what: 'another address', a: {}, b: { addresses: ['2001:db8::36'] } },
    {
      what: 'the very same object, meant for two clusters',
      a: { name: 'web', cluster: 'a' },
      b: { name: 'web', cluster: 'b' },
    },
  ])('pass with $what', ({ a, b }) => {
    expect(problemsOf(a, b)).toEqual([]);
  });
});
