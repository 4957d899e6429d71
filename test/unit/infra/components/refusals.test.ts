import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';

import {
  AddressClaim,
  AddressPlan,
  IpAllocation,
  IpamOperator,
  IpamService,
  EgressIpam,
  EgressNamespace,
  IpGroup,
  IpPrefix,
  MetalLbPool,
  NetworkInstance,
  VipService,
} from '../../../../infra/index';
import type { IpamOperatorArgs, IpamServiceArgs, MetalLbPoolArgs } from '../../../../infra/index';
import { NEEDED } from '../../../../infra/args/deferred-args';
import { mockEngine, objectsRegistered, registered, settled } from '../../../support/pulumi-engine';

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
  test('says what synth would say, and registers nothing, not even itself', async () => {
    const message = refusalOf(
      () => new IpamOperator('ipam', { zones: [{ name: 'inet', prefixes: ['203.0.113.1/24'] }] }),
    );
    expect(message).toMatch(/^IpamOperator "ipam": .*zones\[0\]\.prefixes\[0\].*203\.0\.113\.0\/24/su);
    await settled();
    expect(registered).toEqual([]);
  });

  test('FU-64 named as no Service can be says so before anything is registered, and one with a name is not asked', async () => {
    expect(refusalOf(() => new IpamService('WebService', { ports: PORTS }))).toContain(
      'name: "WebService" is not allowed; allowed is a DNS label',
    );
    await settled();
    expect(registered).toEqual([]);
    expect(refusalOf(() => new IpamService('WebService', { ports: PORTS, name: 'web' }))).toBe('nothing was refused');
    await settled();
  });

  test.each<[string, (name: undefined) => unknown]>([
    ['an IpamService', (name) => new IpamService('web', { ports: PORTS, name } as unknown as IpamServiceArgs)],
    [
      'a MetalLbPool',
      (name) => new MetalLbPool('web', { addresses: ['192.0.2.0/24'], name } as unknown as MetalLbPoolArgs),
    ],
  ])('%s takes a name that is undefined for none', async (_what, make) => {
    expect(refusalOf(() => make(undefined))).toBe('nothing was refused');
    await settled();
    expect(objectsRegistered()[0]).toMatchObject({ metadata: { name: 'web' } });
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

  test.each<readonly [string, (args: unknown) => unknown]>([
    ['IpamOperator', (args) => new IpamOperator('x', args as never)],
    ['IpamService', (args) => new IpamService('x', args as never)],
    ['MetalLbPool', (args) => new MetalLbPool('x', args as never)],
    ['AddressClaim', (args) => new AddressClaim('x', args as never)],
    ['EgressIpam', (args) => new EgressIpam('x', args as never)],
    ['EgressNamespace', (args) => new EgressNamespace('x', args as never)],
    ['IpGroup', (args) => new IpGroup('x', args as never)],
    ['NetworkInstance', (args) => new NetworkInstance('x', args as never)],
    ['IpPrefix', (args) => new IpPrefix('x', args as never)],
    ['IpAllocation', (args) => new IpAllocation('x', args as never)],
    ['AddressPlan', (args) => new AddressPlan('x', args as never)],
  ])('of kind %s says that an Output was given for all of its args', (kind, make) => {
    const sentence = `${kind} "x": args: an Output was given for all of them; give a plain map, of which the leaves may be Outputs`;
    expect(refusalOf(() => make(pulumi.output({ zones: ZONES })))).toBe(sentence);
    expect(refusalOf(() => make(Promise.resolve({ zones: ZONES })))).toBe(sentence);
  });

  test('refuses args that go in a circle, and no value that stands in two places', async () => {
    const labels: Record<string, unknown> = { team: 'net' };
    const twice = { labels, annotations: labels };
    new IpamService('web', { ports: PORTS, zone: 'inet', ...twice } as IpamServiceArgs);
    await settled();
    const ports: unknown[] = [];
    ports.push({ port: 80, more: ports });
    labels['all'] = labels;
    const said = (args: object): string =>
      refusalOf(() => new IpamService('round', { ports: PORTS, zone: 'inet', ...args }));
    const sentence = 'a value that holds itself is not allowed; give one that ends';
    expect(said({ labels })).toBe(`IpamService "round": labels.all: ${sentence}`);
    expect(said({ ports })).toBe(`IpamService "round": ports[0].more: ${sentence}`);
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

describe('components of one stack', () => {
  /** A program in which components see one another. */
  const inStack = async (program: () => void): Promise<void> => {
    await pulumi.runtime.runInPulumiStack(() => {
      program();
      return Promise.resolve(undefined);
    });
    await settled();
  };

  class Team extends pulumi.ComponentResource {
    constructor(name: string) {
      super(`example:${name}:Team`, name);
      new IpamService('shop', { name: `shop-of-${name}`, zone: 'inet', ports: PORTS }, { parent: this });
      new MetalLbPool(
        'pool',
        { name: `pool-of-${name}`, addresses: [`198.51.${String(name.length)}.0/28`] },
        { parent: this },
      );
    }
  }

  test('may have one name under parents of different types', async () => {
    await inStack(() => {
      ['web', 'mail', 'files'].forEach((name) => new Team(name));
    });
    const names = registered.filter(({ type }) => type === 'kubernetes:core/v1:Service').map(({ name }) => name);
    expect(names).toEqual(['shop/Service/Resource', 'shop/Service/Resource', 'shop/Service/Resource']);
    expect(objectsRegistered().map((each) => (each as { metadata: { name: string } }).metadata.name)).toEqual(
      expect.arrayContaining(['shop-of-web', 'shop-of-mail', 'shop-of-files', 'pool-of-web', 'pool-of-mail']),
    );
  });

  test('do not meet one that was refused, nor its Outputs', async () => {
    const secret = pulumi.output('mine');
    let message = '';
    await inStack(() => {
      message = refusalOf(
        () => new IpamService('shop', { zone: 'inet', ports: PORTS, secret, addresses: ['203.0.113.9', 'nonsense'] }),
      );
      new IpamService('shop', { zone: 'inet', ports: PORTS, secret, addresses: ['203.0.113.9'] });
      refusalOf(() => new MetalLbPool('lan', { addresses: ['198.51.100.0/28', '198.51.100.8/29'] }));
      new MetalLbPool('lan', { addresses: ['198.51.100.0/28'] });
    });
    expect(message).toContain('nonsense');
    expect(registered.filter(({ type }) => type.startsWith('cdk8s-ipam:')).map(({ name }) => name)).toEqual([
      'shop',
      'lan',
    ]);
  });
});

describe('FU-108 a MetalLbPool that overlaps a zone', () => {
  const zones = [{ name: 'inet', prefixes: ['203.0.113.0/24'] }];
  const addresses = ['203.0.113.128/25'];
  const warnedOf = async (program: (provider: kubernetes.Provider) => void): Promise<readonly string[]> => {
    const warnings: string[] = [];
    const warn = jest.spyOn(pulumi.log, 'warn').mockImplementation((text) => {
      warnings.push(text);
      return Promise.resolve();
    });
    await pulumi.runtime.runInPulumiStack(() => {
      program(new kubernetes.Provider('one'));
      return Promise.resolve(undefined);
    });
    await settled();
    warn.mockRestore();
    return warnings;
  };
  const told = [expect.stringMatching(/"203\.0\.113\.\S+" of (pool|zone) .* overlaps .* give both the same provider/u)];

  test('of an operator with a provider is warned of where it has none, whichever comes first', async () => {
    const pool = (): unknown => new MetalLbPool('lan', { addresses });
    expect(
      await warnedOf((provider) => {
        new IpamOperator('ipam', { zones }, { provider });
        pool();
      }),
    ).toEqual(told);
    expect(
      await warnedOf((provider) => {
        pool();
        new IpamOperator('ipam', { zones }, { provider });
      }),
    ).toEqual(told);
  });

  test('is not where both have providers, or name clusters', async () => {
    expect(
      await warnedOf((provider) => {
        new IpamOperator('ipam', { zones }, { provider });
        new MetalLbPool('lan', { addresses }, { provider: new kubernetes.Provider('two') });
      }),
    ).toEqual([]);
    expect(
      await warnedOf((provider) => {
        new IpamOperator('ipam', { zones, cluster: 'a' }, { provider });
        new MetalLbPool('lan', { addresses, cluster: 'b' });
      }),
    ).toEqual([]);
  });
});

describe('a VipService', () => {
  test('is refused where its address lies in no group of the program', async () => {
    let message = '';
    await pulumi.runtime.runInPulumiStack(() => {
      new IpGroup('web', { spec: { segment: '192.0.2.0/24' } });
      message = refusalOf(() => new VipService('stray', { ports: PORTS, addresses: ['198.51.100.1'] }));
      return Promise.resolve(undefined);
    });
    await settled();
    expect(message).toContain('addresses: "198.51.100.1" lies in no segment of IPGroup web');
    expect(objectsRegistered().map((each) => (each as { kind: string }).kind)).toEqual(['IPGroup']);
  });
});

describe('a Service of a class', () => {
  const warned = async (args: Partial<IpamServiceArgs>): Promise<readonly string[]> => {
    const warnings: string[] = [];
    const warn = jest.spyOn(pulumi.log, 'warn').mockImplementation((text) => {
      warnings.push(text);
      return Promise.resolve();
    });
    const operator = new IpamOperator('ipam', {
      zones: ZONES,
      services: { loadBalancerClasses: ['ipam.example/ours'] },
    });
    new IpamService('web', { ports: PORTS, zone: 'inet', zones: operator.zones, ...args });
    await settled();
    warn.mockRestore();
    return warnings;
  };

  test('FU-110 that the operator does not serve is warned of before the program waits for its address', async () => {
    expect(await warned({ loadBalancerClass: 'x.example/y' })).toEqual([
      'loadBalancerClass: "x.example/y" is not served by the operator (served is none, ipam.example/ours), so `pulumi up` would wait for addresses until its time-out; list it in services.loadBalancerClasses, or give waitForAddresses: false',
    ]);
  });

  test('that it serves, or for which the program does not wait, is not', async () => {
    expect(await warned({})).toEqual([]);
    expect(await warned({ loadBalancerClass: 'ipam.example/ours' })).toEqual([]);
    expect(await warned({ loadBalancerClass: 'x.example/y', waitForAddresses: false })).toEqual([]);
  });
});

describe('the option ignoreChanges of a component', () => {
  test('FU-109 is warned of, since it reaches no object', async () => {
    const warnings: string[] = [];
    const warn = jest.spyOn(pulumi.log, 'warn').mockImplementation((text) => {
      warnings.push(text);
      return Promise.resolve();
    });
    new IpamOperator('ipam', { zones: ZONES }, { ignoreChanges: ['spec'] });
    new IpamOperator('other', { zones: ZONES });
    await settled();
    warn.mockRestore();
    expect(warnings).toEqual([expect.stringContaining('ignoreChanges of a component reaches none of its objects')]);
  });
});
