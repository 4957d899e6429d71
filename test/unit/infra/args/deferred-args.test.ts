import * as pulumi from '@pulumi/pulumi';

import { IpamOperator, IpamService, type IpamOperatorArgs, type IpamServiceArgs } from '../../../../infra/index';
import { NEEDED } from '../../../../infra/args/deferred-args';
import { FULL_ARGS } from '../../../support/full-args';
import { mockEngine, objectsRegistered, registered, settled, type Registered } from '../../../support/pulumi-engine';

const ZONES = [{ name: 'inet', prefixes: ['203.0.113.0/24'] }];

type Step = string | number;
const isBranch = (value: unknown): value is Readonly<Record<Step, unknown>> =>
  typeof value === 'object' && value !== null;

/** Paths of the values that are neither a map nor a list. */
const leavesOf = (value: unknown): readonly (readonly Step[])[] =>
  isBranch(value)
    ? Object.entries(value).flatMap(([key, inner]) =>
        leavesOf(inner).map((path) => [Array.isArray(value) ? Number(key) : key, ...path]),
      )
    : [[]];

const leafAt = (value: unknown, path: readonly Step[]): unknown =>
  path.reduce((inner, step) => (isBranch(inner) ? inner[step] : undefined), value);

/** The same args with an Output at a path: of the value that stands there, or of another one. */
const deferred = (value: unknown, [step, ...rest]: readonly Step[], other?: unknown): unknown => {
  if (step === undefined || !isBranch(value)) return pulumi.output(other ?? value);
  const copy: Record<Step, unknown> = Array.isArray(value) ? ([...value] as never) : { ...value };
  copy[step] = deferred(copy[step], rest, other);
  return copy;
};

const deferredAt = (paths: readonly (readonly Step[])[], args: unknown, value?: unknown): unknown =>
  paths.reduce((changed, path) => deferred(changed, path, value), args);

/** A port by its number or by its name. */
const takesNumbers = (path: readonly Step[]): boolean => path.includes('targetPort');

/** Everything that a program asks the engine for, in a fixed order; in a stack its components see one another. */
const registeredBy = async (make: () => unknown, inStack = false): Promise<readonly Registered[]> => {
  await mockEngine();
  const program = (): Promise<undefined> => {
    make();
    return Promise.resolve(undefined);
  };
  if (inStack) await pulumi.runtime.runInPulumiStack(program);
  else await program();
  await settled();
  return registered.toSorted((a, b) => a.name.localeCompare(b.name) || a.type.localeCompare(b.type));
};

const written = (path: readonly Step[]): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${String(step)}]` : `.${step}`))
    .join('')
    .slice(1);

const refusalOf = (make: () => unknown): string | undefined => {
  try {
    make();
  } catch (thrown) {
    expect(pulumi.RunError.isInstance(thrown)).toBe(true);
    return (thrown as Error).message;
  }
  return undefined;
};

beforeEach(() => mockEngine());

describe.each(FULL_ARGS)('an Output in the args of $title', ({ component: Component, args, literal }) => {
  const isPlain = (path: readonly Step[]): boolean => {
    const names = path.filter((step) => typeof step === 'string').join('.');
    return literal.some((each) => names === each || names.startsWith(`${each}.`));
  };
  const make = (changed: unknown): unknown => new Component('x', changed as never);

  test('is refused nowhere while there is none', async () => {
    expect(refusalOf(() => make(args))).toBeUndefined();
    await settled();
    expect(objectsRegistered().length).toBeGreaterThan(0);
  });

  test('is refused by the path of each literal leaf', async () => {
    const paths = leavesOf(args).filter(isPlain);
    expect(paths.length).toBeGreaterThan(0);
    for (const path of paths) {
      const said = refusalOf(() => make(deferred(args, path)));
      expect(said).toBe(`${Component.name} "x": ${written(path)}: ${NEEDED}`);
    }
    await settled();
    expect(objectsRegistered()).toEqual([]);
  });

  const otherLeaves = leavesOf(args).filter((path) => !isPlain(path));

  test('makes the resources of the plain value at every other leaf', async () => {
    expect(otherLeaves.length).toBeGreaterThan(0);
    const leaves = otherLeaves.filter((path) => !path.includes('generatedSecret')); // base64 of it is made by the API server
    const expected = await registeredBy(() => make(args));
    expect(expected.length).toBeGreaterThan(0);
    expect(await registeredBy(() => make(deferredAt(leaves, args)))).toEqual(expected);
  });

  test('is no part of the name of a resource at any leaf, and changes none by being there', async () => {
    const names = async (changed: unknown): Promise<readonly string[]> => {
      const made = await registeredBy(() => {
        // one number for each Output of a stack and cluster, so this one moves all that follow
        new IpamService('other', { zone: 'inet', ports: [{ port: 80 }], secret: pulumi.output('s') });
        return make(changed);
      }, true);
      return made.map(({ type, name }) => `${type} ${name}`);
    };
    const expected = await names(args);
    expect(expected.join()).not.toMatch(/late-?bound/iu);
    expect(await names(deferredAt(otherLeaves, args))).toEqual(expected);
  });

  test.each([987_654, true])('becomes text where text is wanted, for %p', async (value) => {
    const texts = otherLeaves.filter((path) => typeof leafAt(args, path) === 'string' && !takesNumbers(path));
    const made = await registeredBy(() => make(deferredAt(texts, args, value)));
    const before = await registeredBy(() => make(args));
    const count = (all: unknown): number => leavesOf(all).filter((path) => leafAt(all, path) === value).length;
    expect(count(made)).toBe(count(before));
  });
});

describe('an Output', () => {
  test('lists every place where it cannot stand', () => {
    const args = {
      zones: [{ name: 'inet', prefixes: [pulumi.output('203.0.113.0/24')] }],
      store: { remote: { url: pulumi.output('https://ipam.example') } },
    } as unknown as IpamOperatorArgs;
    expect(refusalOf(() => new IpamOperator('ipam', args))?.split('\n  - ')).toEqual([
      'IpamOperator "ipam": ',
      `zones[0].prefixes[0]: ${NEEDED}`,
      `store.remote.url: ${NEEDED}`,
    ]);
  });

  test('stands for a leaf, not for a map of them', () => {
    const args = {
      ports: [{ port: 80 }],
      zone: 'inet',
      labels: pulumi.output({ a: 'b' }),
    } as unknown as IpamServiceArgs;
    expect(refusalOf(() => new IpamService('web', args))).toMatch(
      /^IpamService "web": labels: an Output was given for all of it; give a plain map or list/u,
    );
  });

  test('is refused in what an extra object is called, whose resource is named by it, and for all around it', () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine', namespace: 'team' } };
    const said = (extra: unknown): string | undefined =>
      refusalOf(() => new IpamOperator('ipam', { zones: ZONES, extraObjects: [extra] } as IpamOperatorArgs));
    for (const key of ['name', 'namespace']) {
      const metadata = { ...object.metadata, [key]: pulumi.output('mine') };
      expect(said({ ...object, metadata })).toBe(`IpamOperator "ipam": extraObjects[0].metadata.${key}: ${NEEDED}`);
    }
    const whole = 'an Output was given for all of it; give a plain map or list, of which the leaves may be Outputs';
    const metadata = pulumi.output(object.metadata);
    expect(said({ ...object, metadata })).toBe(`IpamOperator "ipam": extraObjects[0].metadata: ${whole}`);
    expect(said(pulumi.output(object))).toBe(`IpamOperator "ipam": extraObjects[0]: ${whole}`);
  });

  test('of a number or a boolean becomes text where no rule knows the place, and nowhere else', async () => {
    const [port, yes] = [pulumi.output(3), pulumi.output(true)];
    const metadata = { name: 'mine', namespace: 'team', labels: { a: port }, annotations: { b: yes, c: port } };
    const pod = {
      metadata: { annotations: { d: yes } },
      spec: { nodeSelector: { e: yes }, containers: [{ name: 'f', env: [{ name: 'G', value: port }], ports: [port] }] },
    };
    const selector = { matchLabels: { h: port }, matchExpressions: [{ key: 'i', operator: 'In', values: [port] }] };
    const extraObjects = [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { j: port, k: yes } },
      { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: { l: yes }, ports: [{ port }] } },
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: port, template: pod, selector } },
    ];
    new IpamOperator('ipam', { zones: ZONES, extraObjects });
    new IpamService('web', { ports: [{ port: 80 }], zone: 'inet', annotations: { m: port, n: yes } });
    await settled();
    const made = (name: string) =>
      objectsRegistered().find((each) => (each as { metadata: { name: string } }).metadata.name === name);
    expect(made('web')).toMatchObject({ metadata: { annotations: { m: '3', n: 'true' } } });
    const called = { labels: { a: '3' }, annotations: { b: 'true', c: '3' } };
    expect(objectsRegistered()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'ConfigMap', data: { j: '3', k: 'true' } }),
        expect.objectContaining({ kind: 'Service', spec: { selector: { l: 'true' }, ports: [{ port: 3 }] } }),
        expect.objectContaining({
          metadata: expect.objectContaining(called) as unknown,
          spec: {
            replicas: 3,
            selector: { matchLabels: { h: '3' }, matchExpressions: [{ key: 'i', operator: 'In', values: ['3'] }] },
            template: {
              metadata: { annotations: { d: 'true' } },
              spec: {
                nodeSelector: { e: 'true' },
                containers: [{ name: 'f', env: [{ name: 'G', value: '3' }], ports: [3] }],
              },
            },
          },
        }),
      ]),
    );
  });

  test('is refused by the types as well', () => {
    const text = pulumi.output('inet');
    const asTyped: readonly Partial<IpamServiceArgs>[] = [
      { secret: text, annotations: { note: text }, generatedSecret: { value: text } },
      // @ts-expect-error -- the zone is looked up
      { zone: text },
      // @ts-expect-error -- days are counted
      { retentionPeriodDays: pulumi.output(3) },
      // @ts-expect-error -- addresses are parsed
      { addresses: [text] },
      // @ts-expect-error -- a file is read at once
      { generatedSecret: { file: text } },
    ];
    const ofOperator: readonly Partial<IpamOperatorArgs>[] = [
      { image: { tag: text }, services: { excludedNamespaces: [text] }, extraEnv: [{ name: 'A', value: text }] },
      // @ts-expect-error -- a zone is looked up
      { services: { defaultZone: text } },
      // @ts-expect-error -- a URL is parsed
      { store: { remote: { url: text } } },
      // @ts-expect-error -- names of variables are compared
      { extraEnv: [{ name: text, value: 'b' }] },
      // @ts-expect-error -- the grace period of the Pod is made of it
      { settings: { shutdownDelaySeconds: pulumi.output(3) } },
    ];
    expect([asTyped.length, ofOperator.length]).toEqual([5, 5]);
  });
});
