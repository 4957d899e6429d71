import { curl, FAIL_OVER, failOverTo, ip, MACHINES, SEGMENTS, urlOf } from './support/lan';
import type { Proxy } from './support/kube-node';
import type { ProxyMode } from './support/node-files';
import { startSpare } from './support/spare-machine';
import { expectAnswer, expectSilence, useNode } from './support/use-node';

const MODES: readonly ProxyMode[] = ['iptables', 'nftables'];
const DUAL = { ipFamilyPolicy: 'RequireDualStack' };

let spare: Proxy;
const { node, scene, serve } = useNode({
  machines: ['node', 'spare'],
  prepare: async (plane) => {
    spare = await startSpare(plane);
  },
});

/** Changes the routes of the router to both segments. */
function reroute(verb: 'add' | 'delete', hops: (i: number) => string): void {
  for (const [i, segment] of SEGMENTS.entries())
    ip(`-n router ${i === 0 ? '' : '-6 '}route ${verb} ${segment} ${hops(i)}`.trimEnd());
}

describe.each(MODES)('where kube-proxy is in its mode %s', (mode) => {
  beforeAll(async () => {
    await node().runProxy(mode);
    await spare.run(mode);
  });

  test('the addresses go on answering when the fail-over address moves to another node, without a Pod there', async () => {
    const addresses = await serve('shop', DUAL);
    for (const address of addresses) await expectAnswer('shop', address);
    failOverTo('spare', 'node');
    try {
      for (const address of addresses) await expectAnswer('shop', address);
      // the node with the fail-over address has no endpoint of its own, and passes nothing on then
      await scene.patch('shop', { spec: { externalTrafficPolicy: 'Local' } });
      for (const address of addresses) await expectSilence(address);
      await scene.patch('shop', { spec: { externalTrafficPolicy: 'Cluster' } });
      for (const address of addresses) await expectAnswer('shop', address);
      await scene.remove('shop');
      for (const address of addresses) await expectSilence(address);
    } finally {
      failOverTo('node', 'spare');
    }
  });

  test('the addresses answer over both nodes where the route names both', async () => {
    const addresses = await serve('shop', DUAL);
    for (const address of addresses)
      for (const place of ['client', 'spare']) await expectAnswer('shop', address, place);
    reroute('delete', () => '');
    reroute('add', (i) => `nexthop via ${MACHINES.node[i]!} nexthop via ${MACHINES.spare[i]!}`);
    try {
      const failures: string[] = [];
      for (const address of [...addresses, ...addresses, ...addresses, ...addresses, ...addresses])
        failures.push((await curl(urlOf(address))).failure);
      expect(failures.filter((failure) => failure !== '')).toEqual([]);
    } finally {
      reroute('delete', () => '');
      reroute('add', (i) => `via ${FAIL_OVER[i]!}`);
    }
  });
});
