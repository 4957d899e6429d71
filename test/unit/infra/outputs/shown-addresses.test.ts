import type * as pulumi from '@pulumi/pulumi';

import type { IpamService } from '../../../../infra/index';
import { shownAddresses } from '../../../../infra/outputs/shown-addresses';

const GIVEN = 'metallb.io/loadBalancerIPs';
const status = (...ips: readonly string[]) => ({ loadBalancer: { ingress: ips.map((ip) => ({ ip })) } });

describe('shownAddresses', () => {
  test('are what admission wrote while MetalLB still shows the address before', () => {
    const metadata = { annotations: { [GIVEN]: '203.0.113.4' } };
    expect(shownAddresses({ metadata, status: status('203.0.113.3') })).toEqual(['203.0.113.4']);
  });

  test.each([
    ['IPv4', ['203.0.113.4', '2001:db8::4']],
    ['IPv6', ['2001:db8::4', '203.0.113.4']],
  ])('begin with the primary family %s', (primary, expected) => {
    const spec = { ipFamilies: [primary] };
    for (const list of ['203.0.113.4,2001:db8::4', '2001:db8:0::4, 203.0.113.4']) {
      expect(shownAddresses({ metadata: { annotations: { [GIVEN]: list } }, spec })).toEqual(expected);
    }
    expect(shownAddresses({ spec, status: status('2001:db8::4', '203.0.113.4') })).toEqual(expected);
  });

  test('are those of the status where somebody else gives them', () => {
    expect(shownAddresses({ metadata: {}, status: status('192.0.2.1') })).toEqual(['192.0.2.1']);
    expect(shownAddresses({ metadata: { annotations: { [GIVEN]: 'none' } }, status: { loadBalancer: {} } })).toEqual(
      [],
    );
    expect(shownAddresses({})).toEqual([]);
  });

  test('fit the inputs of a DNS provider, whose lists are not readonly', () => {
    const record = (service: IpamService): pulumi.Input<pulumi.Input<string>[]> => service.addresses;
    expect(record).toBeInstanceOf(Function);
  });
});
