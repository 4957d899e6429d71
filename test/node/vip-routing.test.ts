import { isIPv6 } from 'node:net';
import type { Families } from '../cluster/support/attached-cluster';
import type { ProxyMode } from './support/node-files';
import { expectAnswer, expectSilence, useNode } from './support/use-node';

type IpFamily = 'IPv4' | 'IPv6';

const MODES: readonly ProxyMode[] = ['iptables', 'nftables'];
const CLUSTERS: readonly (readonly [Families, readonly (readonly IpFamily[])[]])[] = [
  ['dual', [['IPv4'], ['IPv6'], ['IPv4', 'IPv6']]],
  ['v4', [['IPv4']]],
  ['v6', [['IPv6']]],
];

describe.each(CLUSTERS)('in a cluster of families %s', (families, services) => {
  const { node, scene, serve } = useNode({ families });

  describe.each(MODES)('where kube-proxy is in its mode %s', (mode) => {
    beforeAll(() => node().runProxy(mode));

    test.each(services.map((each) => [each.join(' and '), each] as const))(
      'a Service of %s is reached from outside of the cluster by the static route, and no longer after it is gone',
      async (_, ipFamilies) => {
        const ipFamilyPolicy = ipFamilies.length > 1 ? 'RequireDualStack' : 'SingleStack';
        const addresses = await serve('shop', { ipFamilies, ipFamilyPolicy });
        expect(addresses.map((address) => (isIPv6(address) ? 'IPv6' : 'IPv4'))).toEqual(ipFamilies);
        for (const address of addresses) await expectAnswer('shop', address);
        await scene.remove('shop');
        for (const address of addresses) await expectSilence(address);
        expect(await scene.holders()).toEqual([]);
        // the address is free, and answers for the Service that has it next
        expect(await serve('cart', { ipFamilies, ipFamilyPolicy })).toEqual(addresses);
        for (const address of addresses) await expectAnswer('cart', address);
      },
    );
  });
});
