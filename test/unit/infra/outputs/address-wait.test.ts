import * as pulumi from '@pulumi/pulumi';
import { awaitingAddresses, markedInputs } from '../../../../infra/outputs/address-wait';
import { addressOf } from '../../../../operator/addressing/address';
import { sayingOf } from '../../../../operator/front-doors/services/controller/status';

const WAIT = 'pulumi.com/waitFor';
type Texts = Readonly<Record<string, string>>;

const service = (annotations: Texts, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  spec,
  metadata: { name: 'web', annotations },
});

/** Lists the annotations by which a Service is waited for. */
function waits(annotations: Texts, spec?: object, labels?: object): readonly string[] {
  const { metadata, ...rest } = service(annotations, spec);
  const marked = markedInputs(awaitingAddresses({ ...rest, metadata: { ...metadata, labels } }, true));
  const { annotations: told } = marked.metadata as { annotations?: Texts };
  return JSON.parse(told?.[WAIT] ?? '') as string[];
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

  test('FU-101 knows what the Service says by its mark: spec, labels and annotations', () => {
    const marks = [
      waits({}),
      waits(ZONE),
      waits({ ...ZONE, 'ipam.vitistack.io/addresses': '203.0.113.1' }),
      waits({ ...ZONE, 'ipam.vitistack.io/addresses': '' }),
      waits({ ...ZONE, team: 'a' }),
      waits(ZONE, { ipFamilyPolicy: 'RequireDualStack' }),
      waits(ZONE, { ports: [{ port: 80 }] }),
      waits(ZONE, { ports: [{ port: 81 }] }),
      waits(ZONE, {}, { app: 'web' }),
    ].map(markOf);

    expect(new Set(marks).size).toBe(marks.length);
    expect(marks).not.toContain(undefined);
    expect(waits({ team: 'a', ...ZONE }, { type: 'x', ports: [] })).toEqual(
      waits({ ...ZONE, team: 'a' }, { ports: [], type: 'x' }),
    );
  });

  test('FU-101 knows the values of Outputs, and the same ones again in another run', async () => {
    const marked = (selector: pulumi.Input<string>): Promise<string> => {
      const inputs = awaitingAddresses({ ...service(ZONE), spec: { selector: { app: selector } } }, true);
      const { annotations } = markedInputs(inputs).metadata as {
        annotations: Record<string, pulumi.Input<string>>;
      };
      return new Promise((resolve) =>
        pulumi.output(annotations[WAIT]).apply((text) => {
          resolve(text ?? '');
        }),
      );
    };
    const [plain, late, again, other] = await Promise.all(
      ['web', pulumi.output('web'), pulumi.output('web'), pulumi.output('api')].map(marked),
    );

    expect([late, again]).toEqual([plain, plain]);
    expect(other).not.toBe(plain);
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
      state: 'served',
      zone: 'inet',
      addresses,
      notes: [],
      foreign: [],
      announcement: 'shown',
      against: [{ code: 'zone/forbidden', message: 'the namespace may not' }],
    });
    expect(status).toBe('True');
    for (const address of ['203.0.113.9', '2001:db8::9']) expect(message).toContain(address);
  });
});
