import { Chart, Testing } from 'cdk8s';

import { IpamOperator, IpamService, type IpamServiceProps, type ServicesDoorProps } from '../../../../constructs';

const zones = [{ name: 'lan', prefixes: ['10.0.0.0/24'] }];

/** Lists problems of a Service that was given the zones of an operator with these settings. */
function problemsOf(props: Partial<IpamServiceProps>, services: ServicesDoorProps = {}): readonly string[] {
  const app = Testing.app();
  const operator = new IpamOperator(new Chart(app, 'ipam'), 'operator', { zones, services });
  const chart = new Chart(app, 'web', { namespace: 'apps' });
  return new IpamService(chart, 'web', { ports: [{ port: 80 }], zones: operator.zones, ...props }).node.validate();
}

describe('an IpamService with the zones of an operator', () => {
  test('is refused without a zone where there is no default zone', () => {
    const text =
      'metadata.annotations[ipam.vitistack.io/zone] is missing and there is no default zone; name one of "lan"';
    expect(problemsOf({})).toEqual([text]);
    const ours = { loadBalancerClasses: ['example.com/ours'] };
    expect(problemsOf({ loadBalancerClass: 'example.com/ours' }, ours)).toEqual([text]);
    expect(problemsOf({}, { defaultZone: 'lan' })).toEqual([]);
  });

  test("is refused where the operator serves no Services, unless its class makes it somebody else's", () => {
    const off = { enabled: false };
    expect(problemsOf({ zone: 'lan' }, off)).toEqual([
      'zones: the operator at "ipam/operator" has services.enabled false, so this Service would never get an address; switch it on, or give the zones of another one',
    ]);
    expect(problemsOf({ loadBalancerClass: 'example.com/theirs' }, off)).toEqual([]);
    expect(problemsOf({ zone: 'lan' }, { enabled: true })).toEqual([]);
  });

  test('is refused in a namespace that the operator excludes, or that is always excluded', () => {
    expect(problemsOf({ zone: 'lan' }, { excludedNamespaces: ['apps'] })).toEqual([
      expect.stringMatching(
        /^namespace: "apps" is left out of the webhooks \(the operator's services\.excludedNamespaces names it\), so its Services never get an address; allowed is every namespace but [^"]*kube-system[^"]*, apps$/,
      ),
    ]);
    expect(problemsOf({ zone: 'lan', namespace: 'kube-system' })).toEqual([
      expect.stringContaining('namespace: "kube-system" is left out of the webhooks (it always is)'),
    ]);
  });

  test('is left alone with a class that the operator does not list', () => {
    const props = { loadBalancerClass: 'example.com/theirs' };
    expect(problemsOf(props, { excludedNamespaces: ['apps'] })).toEqual([]);
  });
});
