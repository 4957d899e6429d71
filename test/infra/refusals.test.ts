import * as pulumi from '@pulumi/pulumi';

import { IpamOperator, IpamService, MetalLbPool } from '../../infra/index';
import type { IpamOperatorArgs } from '../../infra/index';
import { NEEDED } from '../../infra/late-args';
import { mockEngine, objectsRegistered, settled } from './mocks';

const ZONES = [{ name: 'inet', prefixes: ['203.0.113.0/24'] }];
const PORTS = [{ port: 80 }];

beforeEach(() => mockEngine());

const refusalOf = (make: () => unknown): string => {
  try {
    make();
  } catch (thrown) {
    expect(pulumi.RunError.isInstance(thrown)).toBe(true);
    return (thrown as Error).message;
  }
  return 'nothing was refused';
};

describe('a component', () => {
  test('says what synth would say, and registers no object', async () => {
    const message = refusalOf(
      () => new IpamOperator('ipam', { zones: [{ name: 'inet', prefixes: ['203.0.113.1/24'] }] }),
    );
    expect(message).toMatch(/^IpamOperator "ipam": .*zones\[0\]\.prefixes\[0\].*203\.0\.113\.0\/24/su);
    await settled();
    expect(objectsRegistered()).toEqual([]);
  });

  test('lists several problems, each once', () => {
    const message = refusalOf(() => new IpamOperator('ipam', { zones: ZONES, replicas: 2, whenUnavailable: 'admit' }));
    expect(message.split('\n').filter((line) => line.startsWith('  - '))).toHaveLength(2);
  });

  test('refuses a word that is no protection of data', () => {
    const args = { zones: ZONES, dataProtection: 'keep' } as unknown as IpamOperatorArgs;
    expect(refusalOf(() => new IpamOperator('ipam', args))).toBe(
      'IpamOperator "ipam": dataProtection: "keep" is not allowed; allowed is retain, protect or none',
    );
  });

  test.each([0, 0.5, 86_401, Number.NaN])('refuses %d seconds of waiting', (timeoutSeconds) => {
    expect(refusalOf(() => new IpamService('web', { ports: PORTS, zone: 'inet', timeoutSeconds }))).toMatch(
      /timeoutSeconds: .* allowed is a whole number from 1 to 86400/u,
    );
  });

  test.each<readonly [string, Readonly<Record<string, unknown>>]>([
    ['waitForAddresses: "false" is not allowed; allowed is true or false', { waitForAddresses: 'false' }],
    [`waitForAddresses: ${NEEDED}`, { waitForAddresses: pulumi.output(false) }],
    [`timeoutSeconds: ${NEEDED}`, { timeoutSeconds: pulumi.output(5) }],
    [`joins: ${NEEDED}`, { joins: pulumi.output('web') }],
    ['joins: a map is not allowed; allowed is another IpamService', { joins: {} }],
  ])('says of a Service: %s', (sentence, args) => {
    expect(refusalOf(() => new IpamService('web', { ports: PORTS, zone: 'inet', ...args }))).toBe(
      `IpamService "web": ${sentence}`,
    );
  });

  test.each<readonly [string, Readonly<Record<string, unknown>>]>([
    ['timeoutSecond: there is no such prop; did you mean timeoutSeconds?', { timeoutSecond: 5 }],
    ['waitForAdresses: there is no such prop; did you mean waitForAddresses?', { waitForAdresses: false }],
    ['portz: there is no such prop; did you mean ports?', { portz: [] }],
  ])('knows its own args beside the props of the construct: %s', (sentence, args) => {
    expect(refusalOf(() => new IpamService('web', { ports: PORTS, zone: 'inet', ...args }))).toBe(
      `IpamService "web": ${sentence}`,
    );
  });

  test('lists every arg where none has a name that is near', () => {
    const args = { zones: ZONES, whatever: 1 } as IpamOperatorArgs;
    expect(refusalOf(() => new IpamOperator('ipam', args))).toMatch(
      /^IpamOperator "ipam": whatever: there is no such prop; the props are dataProtection, zones, /u,
    );
  });

  test.each(['kube-system', 'ipam-system'])('refuses a Service in %s, which the webhooks leave out', (namespace) => {
    expect(refusalOf(() => new IpamService('web', { ports: PORTS, zone: 'inet', namespace }))).toMatch(
      new RegExp(`^IpamService "web": namespace: "${namespace}" is left out of the webhooks`, 'u'),
    );
  });

  test('leaves a Service of another class alone wherever it is', async () => {
    const foreign = { loadBalancerClass: 'cilium.io/lb', waitForAddresses: false };
    new IpamService('web', { ports: PORTS, namespace: 'kube-system', ...foreign });
    await settled();
    expect(objectsRegistered()).toHaveLength(1);
  });

  test('refuses an Output for the protection of data', () => {
    const args = { zones: ZONES, dataProtection: pulumi.output('none') } as unknown as IpamOperatorArgs;
    expect(refusalOf(() => new IpamOperator('ipam', args))).toBe(`IpamOperator "ipam": dataProtection: ${NEEDED}`);
  });

  test.each([undefined, null, 'inet'])('names what is missing where its args are %p', (args) => {
    expect(refusalOf(() => new IpamOperator('ipam', args as never))).toMatch(/^IpamOperator "ipam": zones: missing/u);
    expect(refusalOf(() => new IpamService('web', args as never))).toMatch(/^IpamService "web": ports: missing/u);
  });

  test('takes Outputs in a map without a prototype', async () => {
    const annotations = Object.assign(Object.create(null) as object, { note: pulumi.output('x') });
    new IpamService('web', { ports: PORTS, zone: 'inet', annotations });
    await settled();
    expect(objectsRegistered()).toMatchObject([{ metadata: { annotations: { note: 'x' } } }]);
  });

  test('never shows a secret in what it refuses', () => {
    const message = refusalOf(
      () => new IpamService('web', { ports: PORTS, zone: 'inet', generatedSecret: { value: 'hunter2' } }),
    );
    expect(message).toMatch(/generatedSecret\.value/u);
    expect(message).not.toContain('hunter2');
  });

  test('knows the props of a pool', () => {
    expect(refusalOf(() => new MetalLbPool('lan', { addresses: ['198.51.100.9/28'] }))).toMatch(/addresses\[0\]/u);
  });
});
