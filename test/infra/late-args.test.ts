import * as pulumi from '@pulumi/pulumi';

import { IpamOperator, IpamService, type IpamOperatorArgs, type IpamServiceArgs } from '../../infra/index';
import { NEEDED } from '../../infra/late-args';
import { FULL_ARGS } from './full-args';
import { mockEngine, objectsRegistered, settled } from './mocks';

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

/** The same args with an Output at a path. */
const late = (value: unknown, [step, ...rest]: readonly Step[]): unknown => {
  if (step === undefined || !isBranch(value)) return pulumi.output(value);
  const copy: Record<Step, unknown> = Array.isArray(value) ? ([...value] as never) : { ...value };
  copy[step] = late(copy[step], rest);
  return copy;
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

describe.each(FULL_ARGS)('an Output in the args of $title', ({ component: Component, args, plain }) => {
  const isPlain = (path: readonly Step[]): boolean => {
    const names = path.filter((step) => typeof step === 'string').join('.');
    return plain.some((each) => names === each || names.startsWith(`${each}.`));
  };
  const make = (changed: unknown): unknown => new Component('x', changed as never);

  test('is refused nowhere while there is none', async () => {
    expect(refusalOf(() => make(args))).toBeUndefined();
    await settled();
    expect(objectsRegistered().length).toBeGreaterThan(0);
  });

  test('is refused by the path of each plain leaf', async () => {
    const paths = leavesOf(args).filter(isPlain);
    expect(paths.length).toBeGreaterThan(0);
    for (const path of paths) {
      const said = refusalOf(() => make(late(args, path)));
      expect(said).toBe(`${Component.name} "x": ${written(path)}: ${NEEDED}`);
    }
    await settled();
    expect(objectsRegistered()).toEqual([]);
  });

  test('is taken at every other leaf', async () => {
    const paths = leavesOf(args).filter((path) => !isPlain(path));
    expect(paths.length).toBeGreaterThan(0);
    expect(refusalOf(() => make(paths.reduce(late, args)))).toBeUndefined();
    await settled();
    expect(objectsRegistered().length).toBeGreaterThan(0);
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
