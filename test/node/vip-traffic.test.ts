import { execFileSync } from 'node:child_process';
import { eventually } from '../cluster/support/eventually';
import { CLIENT, curl, hostOf, ip, SEGMENTS, urlOf } from './support/lan';
import type { ProxyMode } from './support/node-files';
import { expectAnswer, expectSilence, useNode } from './support/use-node';

const MODES: readonly ProxyMode[] = ['iptables', 'nftables'];
const DUAL = { ipFamilyPolicy: 'RequireDualStack' };
/** A packet that goes round passes a router this often at least until its hops are used up. */
const ROUND = 20;

const { node, operator, scene, serve } = useNode();

/** Packets that the router has passed on, of both families. */
function passedOn(): number {
  const read = (file: string): string =>
    execFileSync('ip', ['netns', 'exec', 'router', 'cat', `/proc/net/${file}`], { encoding: 'utf8' });
  const [names = [], values = []] = read('snmp')
    .split('\n')
    .filter((line) => line.startsWith('Ip: '))
    .map((line) => line.split(' '));
  const [, six = '0'] = /^Ip6OutForwDatagrams\s+(\d+)/mu.exec(read('snmp6')) ?? [];
  return Number(values[names.indexOf('ForwDatagrams')]) + Number(six);
}

/** Packets that one attempt to reach an address costs the router. */
async function costOf(address: string): Promise<number> {
  const before = passedOn();
  await curl(urlOf(address));
  return passedOn() - before;
}

describe.each(MODES)('where kube-proxy is in its mode %s', (mode) => {
  beforeAll(() => node().runProxy(mode));

  test('the Pod sees the address of a node, and with externalTrafficPolicy Local that of the client', async () => {
    for (const [i, address] of (await serve('shop', DUAL)).entries())
      expect(await expectAnswer('shop', address)).not.toContain(String(CLIENT[i]));
    await scene.patch('shop', { spec: { externalTrafficPolicy: 'Local' } });
    for (const [i, address] of (await scene.address('shop')).split(',').entries())
      await expectAnswer(`shop asked=${hostOf(address)} from=${hostOf(String(CLIENT[i]))}`, address);
  });

  test('loadBalancerSourceRanges keep others out', async () => {
    const addresses = await serve('shop', { ...DUAL, loadBalancerSourceRanges: ['10.99.0.0/16', 'fd99::/64'] });
    for (const address of addresses) await expectSilence(address);
    await scene.patch('shop', { spec: { loadBalancerSourceRanges: ['10.88.0.0/24', 'fd88::/64'] } });
    for (const address of addresses) await expectAnswer('shop', address);
  });

  test('Services that share an address answer on it by their ports', async () => {
    const annotations = { 'paas.org/sharing-key': 'front' };
    const specOf = (app: string, port: number) => ({ selector: { app }, ports: [{ port, targetPort: 8080 }] });
    await scene.create('shop', { annotations, spec: specOf('shop', 80) });
    const address = await scene.address('shop');
    await scene.create('cart', { annotations, spec: specOf('cart', 81) });
    await scene.shows('cart', address);
    await expectAnswer('shop', address);
    await expectAnswer('cart', `${address}:81`);
    await scene.remove('shop');
    await expectSilence(address);
    await expectAnswer('cart', `${address}:81`);
  });

  test('a Service that changes its wish is reached at every moment', async () => {
    const [old = ''] = await serve('shop');
    await expectAnswer('shop', old);
    const wished = '192.0.2.200';
    await scene.patch('shop', { spec: { loadBalancerIP: wished } });
    // asked in this order: what stops at the old address answers at the new one already
    const unreached: string[] = [];
    for (let reached = false; !reached;) {
      const before = await curl(urlOf(old));
      const after = await curl(urlOf(wished));
      if (before.text === '' && after.text === '') unreached.push(before.failure);
      reached = before.text === '' && after.text !== '';
    }
    expect(unreached).toEqual([]);
    await expectSilence(old);
  });

  test('the address goes with the type LoadBalancer', async () => {
    const addresses = await serve('shop', DUAL);
    for (const address of addresses) await expectAnswer('shop', address);
    await scene.patch('shop', { spec: { type: 'ClusterIP', loadBalancerClass: null } });
    for (const address of addresses) await expectSilence(address);
  });

  test('addresses answer while no operator runs, also after a restart of kube-proxy', async () => {
    const addresses = await serve('shop', DUAL);
    await operator().kill('SIGKILL');
    await node().runProxy(mode);
    for (const address of addresses) await expectAnswer('shop', address);
    await operator().restart();
    // it leads once the Lease of the lost one has run out, and only then hears of what is deleted
    await eventually(async () => /^ipam_leading 1$/mu.test(await operator().metrics()));
  });

  test('a packet to a free address goes round between router and node, unless the node has a rule against it', async () => {
    const addresses = await serve('shop', DUAL);
    for (const address of addresses) await expectAnswer('shop', address);
    const free = ['192.0.2.77', '2001:db8:0:1::77'];
    for (const each of free) expect(await costOf(each)).toBeGreaterThan(ROUND);
    const rules = SEGMENTS.map((each) => `rule add iif eth0 to ${each} unreachable`);
    for (const [i, rule] of rules.entries()) ip(i === 0 ? rule : `-6 ${rule}`);
    try {
      for (const each of free) expect(await costOf(each)).toBeLessThan(ROUND);
      for (const address of addresses)
        for (const place of ['client', 'router', 'node']) await expectAnswer('shop', address, place);
    } finally {
      for (const [i, rule] of rules.entries()) ip((i === 0 ? rule : `-6 ${rule}`).replace('add', 'delete'));
    }
  });
});

test('an address goes on answering when kube-proxy changes its mode', async () => {
  await node().runProxy('iptables');
  const addresses = await serve('shop', DUAL);
  for (const address of addresses) await expectAnswer('shop', address);
  await node().runProxy('nftables');
  for (const address of addresses) await expectAnswer('shop', address);
  await scene.remove('shop');
  for (const address of addresses) await expectSilence(address);
});
