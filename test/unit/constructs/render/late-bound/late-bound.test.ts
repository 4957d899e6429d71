import { ApiObject, Chart, JsonPatch, Names, Size, Testing } from 'cdk8s';
import { k8s } from 'cdk8s-plus-28';

import { IpamOperator, ipamOperatorProblems, ipamServiceProblems } from '../../../../../constructs';
import {
  LateBoundEach,
  LateBoundText,
  LateBoundWhole,
} from '../../../../../constructs/render/late-bound/late-bound-node';
import { LateBoundValues } from '../../../../../constructs/render/late-bound/late-bound';
import { lateBoundProblems } from '../../../../../constructs/props-kit/placeholder';
import { parsePrefix } from '../../../../../operator/addressing/prefix';
import { isIpamError } from '../../../../../operator/errors/ipam-error';

/** Late-bound values whose source is a word. */
const values = (): LateBoundValues<string> => new LateBoundValues<string>();
const deployment = (chart: Chart, spec: object, pod: object = {}): k8s.KubeDeployment =>
  new k8s.KubeDeployment(chart, 'deployment', {
    spec: {
      selector: {},
      template: { spec: { containers: [{ name: 'main' }], ...pod } },
      ...spec,
    },
  });
const chart = (): Chart => new Chart(Testing.app(), 'chart');
const thrownBy = (action: () => unknown): unknown => {
  try {
    action();
  } catch (thrown) {
    return thrown;
  }
  return undefined;
};

describe('LateBoundValues', () => {
  test('a number passes through typed construct code and is a whole value in the end', () => {
    const late = values();
    const object = deployment(chart(), { replicas: late.number('replicas', 'three') });
    const { spec } = late.read(object.toJson()) as { spec: { replicas: LateBoundWhole<string> } };
    expect(spec.replicas).toBeInstanceOf(LateBoundWhole);
    expect(spec.replicas.value).toMatchObject({ prop: 'replicas', kind: 'number', source: 'three' });
  });

  test('a boolean passes through a JSON patch', () => {
    const late = values();
    const object = deployment(chart(), {});
    object.addJsonPatch(JsonPatch.add('/spec/paused', late.boolean('paused', 'yes')));
    const { spec } = late.read(object.toJson()) as { spec: { paused: unknown } };
    expect(spec.paused).toMatchObject({ value: { prop: 'paused', kind: 'boolean' } });
  });

  test('a text inside of a longer text becomes text with its parts in order', () => {
    const late = values();
    const [registry, tag] = [late.text('image.registry', 'r'), late.text('image.tag', 't')];
    const read = late.read(`${registry}/app:${tag}`);
    expect(read).toBeInstanceOf(LateBoundText);
    expect((read as LateBoundText<string>).parts).toEqual([
      expect.objectContaining({ source: 'r' }),
      '/app:',
      expect.objectContaining({ source: 't' }),
    ]);
  });

  test('a number inside of a template string is text', () => {
    const late = values();
    const read = late.read(`--seconds=${String(late.number('seconds', 's'))}`);
    expect((read as LateBoundText<string>).parts).toEqual(['--seconds=', expect.objectContaining({ source: 's' })]);
  });

  test('a list of texts stands for as many items as it has, also where each became an object', () => {
    const late = values();
    const names = late.items('pullSecrets', 'list');
    const object = deployment(chart(), {}, { imagePullSecrets: names.map((name) => ({ name })) });
    const read = late.read(object.toJson()) as { spec: { template: { spec: { imagePullSecrets: unknown[] } } } };
    const [each] = read.spec.template.spec.imagePullSecrets;
    expect(each).toBeInstanceOf(LateBoundEach);
    expect(each).toMatchObject({ list: { prop: 'pullSecrets' }, item: { name: { value: { source: 'list' } } } });
  });

  test('the list that is walked through is the nearest one', () => {
    const late = values();
    const read = late.read([{ name: 'main', args: [...late.items('args', 'list'), '--last'] }]) as {
      readonly args: readonly unknown[];
    }[];
    expect(read[0]).not.toBeInstanceOf(LateBoundEach);
    expect(read[0]?.args).toEqual([expect.any(LateBoundEach), '--last']);
  });

  test('a list of objects survives code that copies known fields only', () => {
    const late = values();
    const tolerations = late.objects<k8s.Toleration>('tolerations', 'key', 'list');
    const object = deployment(chart(), {}, { tolerations });
    const read = late.read(object.toJson()) as { spec: { template: { spec: { tolerations: unknown[] } } } };
    expect(read.spec.template.spec.tolerations).toEqual([
      expect.objectContaining({ item: expect.any(LateBoundWhole) as unknown }),
    ]);
  });

  test('a map of texts can be spread into another', () => {
    const late = values();
    const selector = { 'kubernetes.io/os': 'linux', ...late.entries('nodeSelector', 'map') };
    const read = late.read(deployment(chart(), {}, { nodeSelector: selector }).toJson()) as {
      spec: { template: { spec: { nodeSelector: Record<string, unknown> } } };
    };
    expect(Object.values(read.spec.template.spec.nodeSelector)).toEqual(
      expect.arrayContaining(['linux', expect.objectContaining({ value: expect.anything() as unknown })]),
    );
  });

  test('names the prop when somebody calculates or compares', () => {
    const replicas = values().number('replicas', 'three');
    for (const use of [() => replicas + 1, () => replicas > 1, () => -replicas, () => Math.max(1, replicas)]) {
      const thrown = thrownBy(use);
      expect(isIpamError(thrown, 'settings/invalid')).toBe(true);
      expect(String(thrown)).toContain('replicas: the late-bound value is known after synth only');
    }
  });

  test('names the prop when a value was hashed or cut into a name', () => {
    const late = values();
    const object = new ApiObject(chart(), late.text('release.name', 'n'), { apiVersion: 'v1', kind: 'ConfigMap' });
    expect(() => late.read(object.toJson())).toThrow('release.name: the late-bound value was cut up');
    expect(() => late.read(Names.toDnsLabel(object))).toThrow(/cut up/);
  });

  test('lists values that ended up nowhere, as a whole object in the place of a typed one does', () => {
    const late = values();
    const lost = late.text('affinity', 'a') as unknown as k8s.NodeAffinity;
    late.read(deployment(chart(), { replicas: 1 }, { affinity: { nodeAffinity: lost } }).toJson());
    expect(late.unused()).toEqual(['affinity']);
  });

  test('refuses a placeholder of another renderer, and two lists in one item', () => {
    const other = values();
    expect(() => values().read(other.text('tag', 't'))).toThrow('another renderer');
    const late = values();
    const [a] = late.items('a', 'a');
    const [b] = late.items('b', 'b');
    expect(() => late.read([{ a, b }])).toThrow('a and b');
  });

  test('leaves everything else as it is', () => {
    const plain = { text: 'late-bound', list: [1, true, null, ''], map: { a: {} } };
    expect(values().read(plain)).toEqual(plain);
  });
});

describe('code that parses a late-bound value', () => {
  test('says the prop, since the placeholder holds it', () => {
    const text = values().text('zones[0].prefixes[0]', 'p');
    expect(parsePrefix(text)).toMatchObject({
      ok: false,
      refusal: { message: expect.stringContaining('zones[0]') as unknown },
    });
    expect(() => Size.gibibytes(values().number('storage.size', 's')).toMebibytes()).toThrow('storage.size');
  });
});

describe('lateBoundProblems', () => {
  test('finds late-bound values by their paths', () => {
    const late = values();
    const zones = [{ name: 'a', prefixes: ['10.0.0.0/8', late.text('cidr', 'x')], quota: late.number('quota', 'q') }];
    expect(lateBoundProblems(zones, 'zones')).toEqual([
      expect.objectContaining({
        code: 'settings/invalid',
        field: 'zones[0].prefixes[1]',
        message:
          'zones[0].prefixes[1]: the late-bound value "cidr" is known after synth only, but synth has to read it; give a plain value',
      }),
      expect.objectContaining({ field: 'zones[0].quota', value: 'quota' }),
    ]);
  });

  test('finds nothing in plain props', () => {
    expect(lateBoundProblems({ a: [1, 'x', null, undefined, { b: false }] }, 'props')).toEqual([]);
  });
});

describe('constructs with late-bound props', () => {
  const zones = [{ name: 'lan', prefixes: ['10.0.0.0/24'] }];

  test('the operator refuses them where synth reads them, each with its path', () => {
    const late = values();
    const problems = ipamOperatorProblems({
      zones: [{ name: 'lan', prefixes: [late.text('cidr', 'c')] }],
      services: { defaultZone: late.text('zone', 'z') },
      whenUnavailable: late.text('policy', 'p') as 'deny',
    });
    expect(problems.map(({ field, message }) => [field, message.split(';')[0]])).toEqual([
      ['zones[0].prefixes[0]', expect.stringContaining('late-bound value "cidr"')],
      ['whenUnavailable', expect.stringContaining('late-bound value "policy"')],
      ['services.defaultZone', expect.stringContaining('late-bound value "zone"')],
    ]);
  });

  test('the operator takes them where they are handed on', () => {
    const late = values();
    const props = {
      zones,
      image: { registry: late.text('registry', 'r') },
      podLabels: late.entries('labels', 'l'),
      services: { excludedNamespaces: late.items('excluded', 'e') },
    };
    expect(ipamOperatorProblems(props)).toEqual([]);
    const own = new Chart(Testing.app(), 'own');
    new IpamOperator(own, 'operator', props);
    late.read(Testing.synth(own));
    expect(late.unused()).toEqual([]);
  });

  test('a Service refuses a late-bound address, and takes late-bound labels and ports', () => {
    const late = values();
    const handedOn = { ports: [{ port: late.number('port', 'p') }], selector: { app: late.text('app', 'a') } };
    expect(ipamServiceProblems({ ...handedOn, addresses: [late.text('address', 'x')] })).toEqual([
      expect.objectContaining({ code: 'settings/invalid', field: 'addresses[0]', value: 'address' }),
    ]);
    expect(ipamServiceProblems(handedOn)).toEqual([]);
  });
});
