import { collectWishes, namedAddresses } from '../../../operator/rules/wishes';

const IPS = 'metallb.io/loadBalancerIPs';
const OLD_IPS = 'metallb.universe.tf/loadBalancerIPs';
const OURS = 'ipam.vitistack.io/addresses';

describe('collectWishes', () => {
  test('REQ-01 takes equal values in different spelling and places as one wish', () => {
    const wishes = collectWishes({
      annotations: { [OURS]: '2001:DB8::A', [IPS]: '2001:db8::a', [OLD_IPS]: '2001:db8:0::a/128' },
      loadBalancerIP: '2001:0db8::000a',
    });

    expect(wishes.problems).toEqual([]);
    expect(wishes.addresses.map(String)).toEqual(['2001:db8::a']);
  });

  test('REQ-01 names every source of a contradiction in one message', () => {
    const { problems } = collectWishes({
      annotations: { [IPS]: '192.0.2.10', [OLD_IPS]: '192.0.2.11' },
      loadBalancerIP: '192.0.2.12',
    });

    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toBe(
      'the address wishes of this Service contradict each other: metadata.annotations[metallb.io/loadBalancerIPs] is "192.0.2.10", ' +
        'metadata.annotations[metallb.universe.tf/loadBalancerIPs] is "192.0.2.11", spec.loadBalancerIP is "192.0.2.12"; ' +
        'give one value, or the same in each place',
    );
  });

  test('FU-10 refuses a prefix length in spec.loadBalancerIP, which MetalLB does not read', () => {
    const { problems, addresses } = collectWishes({ annotations: {}, loadBalancerIP: '192.0.2.7/32' });

    expect(addresses).toEqual([]);
    expect(problems).toMatchObject([{ code: 'address/malformed', field: 'spec.loadBalancerIP' }]);
    expect(problems[0]?.message).toContain('write 192.0.2.7');
  });

  test('puts addresses of both families together from several places', () => {
    const { addresses, problems } = collectWishes({
      annotations: { [OURS]: '192.0.2.1' },
      loadBalancerIP: '2001:db8::1',
    });

    expect(problems).toEqual([]);
    expect(addresses.map(String)).toEqual(['192.0.2.1', '2001:db8::1']);
  });

  test.each([
    { annotations: { 'ipam.vitistack.io/zone': 'a', 'metallb.io/address-pool': 'b' }, what: 'zone' },
    { annotations: { 'metallb.universe.tf/address-pool': 'a', 'metallb.io/address-pool': 'b' }, what: 'zone' },
    {
      annotations: { 'ipam.vitistack.io/allow-local-shared-ip': 'a', 'metallb.io/allow-shared-ip': 'b' },
      what: 'sharing key',
    },
    {
      annotations: { 'ipam.vitistack.io/allow-local-shared-ip': '', 'metallb.io/allow-shared-ip': 'b' },
      what: 'sharing key',
    },
  ])('refuses different values of $what: $annotations', ({ annotations, what }) => {
    expect(collectWishes({ annotations: annotations }).problems).toMatchObject([
      { code: 'wish/contradiction', message: expect.stringContaining(`the ${what} wishes`) as string },
    ]);
  });

  test('takes zone and sharing key from the keys of MetalLB', () => {
    const wishes = collectWishes({
      annotations: { 'metallb.universe.tf/address-pool': 'inet', 'metallb.io/allow-shared-ip': 'k' },
    });

    expect(wishes).toMatchObject({
      zone: 'inet',
      zoneField: 'metadata.annotations[metallb.universe.tf/address-pool]',
      sharingKey: 'k',
    });
  });

  test('counts a result of ours and the waiting pool as no wish', () => {
    const annotations = { [OURS]: '192.0.2.1', [IPS]: '192.0.2.9', 'metallb.io/address-pool': 'ipam-waiting' };
    const wishes = collectWishes({ annotations }, (key) => key === OURS);

    expect(wishes.addresses.map(String)).toEqual(['192.0.2.9']);
    expect(wishes.zone).toBeUndefined();
  });

  test('reports unreadable values of every place once', () => {
    const { problems } = collectWishes({
      annotations: { [OURS]: 'x', [IPS]: 'y' },
      loadBalancerIP: '192.0.2.1,192.0.2.2',
    });

    expect(problems.map(({ field }) => field)).toEqual([
      'metadata.annotations[ipam.vitistack.io/addresses]',
      'metadata.annotations[metallb.io/loadBalancerIPs]',
      'spec.loadBalancerIP',
    ]);
  });
});

describe('namedAddresses', () => {
  test('lists each place with its addresses and leaves out unreadable ones', () => {
    const named = namedAddresses({ annotations: { [OURS]: '192.0.2.1', [IPS]: 'x', [OLD_IPS]: '' } });

    expect(named.map(({ field, addresses }) => [field, addresses.map(String)])).toEqual([
      ['metadata.annotations[ipam.vitistack.io/addresses]', ['192.0.2.1']],
    ]);
  });
});
