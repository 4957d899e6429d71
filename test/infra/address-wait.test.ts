import { awaitingAddresses } from '../../infra/outputs/address-wait';
import { addressOf } from '../../operator/addressing/address';
import { sayingOf } from '../../operator/front-doors/services/controller/status';

const WAIT = 'pulumi.com/waitFor';
type Texts = Readonly<Record<string, string>>;

const service = (annotations: Texts, spec: object = {}) => ({
  ...{ apiVersion: 'v1', kind: 'Service', spec },
  metadata: { name: 'web', annotations },
});

/** What a Service is waited for by. */
function waits(annotations: Texts, spec?: object): readonly string[] {
  const { metadata } = awaitingAddresses(service(annotations, spec), true) as { metadata: { annotations?: Texts } };
  return JSON.parse(metadata.annotations?.[WAIT] ?? '') as string[];
}

const markOf = (expressions: readonly string[]): string | undefined =>
  /wish ([0-9a-f]{12})/u.exec(expressions.join(' '))?.[1];

const ZONE = { 'ipam.vitistack.io/zone': 'inet' };

describe('awaitingAddresses', () => {
  test('waits for the wish, the condition, the zone, the families, the announcement and the record', () => {
    const [wish, condition, zone, families, announced, bound, ...others] = waits(ZONE);

    expect(wish).toContain(`search(@.annotations['${WAIT}'],'wish `);
    expect(condition).toBe('condition=ipam.vitistack.io/AddressReady');
    expect(zone).toBe("jsonpath={.metadata.annotations['metallb.io/address-pool']}=inet");
    expect(families).toContain('$.spec.ipFamilies[1]');
    expect(announced).toContain("search(@.annotations['metallb.io/loadBalancerIPs'],$.status");
    expect(bound).toContain('search(@.message,$.status.loadBalancer.ingress[0].ip)');
    expect(others).toEqual([]);
  });

  test('waits for every wished address as it is written, and for no longer one that begins alike', () => {
    const addresses = { 'ipam.vitistack.io/addresses': '203.0.113.1, 2001:DB8::1/128' };
    const patterns = waits({ ...ZONE, ...addresses }).flatMap((each) => /'(\(\.\*,\)\?[^']*)'/u.exec(each)?.[1] ?? []);
    const matches = (list: string): readonly boolean[] =>
      patterns.map((each) => new RegExp(`^${each}$`, 'u').test(list));

    expect(matches('203.0.113.1,2001:db8::1')).toEqual([true, true]);
    expect(matches('2001:db8::1,203.0.113.1')).toEqual([true, true]);
    expect(matches('203.0.113.11,2001:db8::11')).toEqual([false, false]);
    expect(matches('203.0.113.1')).toEqual([true, false]);
  });

  test('knows another wish by another mark, and the same wish by the same', () => {
    const marks = [
      waits({}),
      waits(ZONE),
      waits({ ...ZONE, 'ipam.vitistack.io/addresses': '203.0.113.1' }),
      waits({ ...ZONE, 'ipam.vitistack.io/addresses': '203.0.113.2' }),
      waits({ ...ZONE, 'ipam.vitistack.io/addresses': '' }),
      waits({ ...ZONE, 'ipam.vitistack.io/ip-family': 'dual' }),
      waits(ZONE, { ipFamilyPolicy: 'RequireDualStack' }),
      waits(ZONE, { ipFamilies: ['IPv6'] }),
    ].map(markOf);

    expect(new Set(marks).size).toBe(marks.length);
    expect(waits({ ...ZONE, team: 'a' }, { ports: [{ port: 80 }] })).toEqual(waits(ZONE));
  });

  test('does not take the place of an Output in a key for a wish, since it is another one in each run', () => {
    const named = (id: number): Texts => ({ 'metallb.io/address-pool': `<late-bound:${String(id)}:annotations>` });
    expect(waits(named(1))).toEqual(waits(named(2)));
  });

  test('leaves the keys that MetalLB reads to a program that writes them', () => {
    const expressions = waits({ ...ZONE, 'metallb.io/loadBalancerIPs': '2001:DB8::1' });
    expect(expressions.filter((each) => each.includes('metallb'))).toEqual([]);
  });

  test('has no blanks beside operators, over which the parser of the provider stumbles', () => {
    for (const each of waits({ ...ZONE, 'ipam.vitistack.io/addresses': '203.0.113.1' })) {
      expect(each.replaceAll(/'[^']*'/gu, '')).not.toMatch(/ /u);
      expect(each.replaceAll('==', '')).not.toMatch(/=.*=.*=/u);
    }
  });

  test('leaves alone who says how to wait, and what is no Service', () => {
    const own = service({ [WAIT]: 'condition=Mine' });
    const secret = { ...service({}), kind: 'Secret' };
    expect(awaitingAddresses(own, true)).toBe(own);
    expect(awaitingAddresses(secret, true)).toBe(secret);
    expect(awaitingAddresses(service({}), false).metadata['annotations']).toEqual({ 'pulumi.com/skipAwait': 'true' });
  });

  test('finds in the message of a served Service each of its addresses as MetalLB writes it', () => {
    const addresses = [addressOf('203.0.113.9'), addressOf('2001:db8::9')];
    const { status, message } = sayingOf({
      ...{ state: 'served', zone: 'inet', addresses, notes: [], foreign: [], announcement: 'shown' },
      against: [{ code: 'zone/forbidden', message: 'the namespace may not' }],
    });
    expect(status).toBe('True');
    for (const address of ['203.0.113.9', '2001:db8::9']) expect(message).toContain(address);
  });
});
