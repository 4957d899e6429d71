import { Chart, Lazy, Testing } from 'cdk8s';

import { NetworkInstance } from '../../../../constructs';
import { FULL_ARGS } from '../../../support/full-args';
import { MAKERS } from '../../../support/untyped';

const ALL: typeof MAKERS = {
  ...MAKERS,
  NetworkInstance: (scope, props) => new NetworkInstance(scope, 'made', props),
};

type Args = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

const isInner = (value: unknown): value is Args => typeof value === 'object' && value !== null;

/** Every place in the args, the inner ones too. */
const pathsIn = (value: unknown, at: Path = []): readonly Path[] =>
  isInner(value)
    ? Object.keys(value).flatMap((key) => {
        const path = [...at, Array.isArray(value) ? Number(key) : key];
        return [path, ...pathsIn(value[key], path)];
      })
    : [];

/** The args with a Lazy of the value that stands at a place. */
function withLazy(value: unknown, [key, ...rest]: Path): unknown {
  if (key === undefined) return Lazy.any({ produce: () => value });
  const inner = (value as Args)[key];
  if (Array.isArray(value)) return value.with(Number(key), withLazy(inner, rest));
  return { ...(value as Args), [key]: withLazy(inner, rest) };
}

const textOf = (path: Path): string =>
  path.map((key, i) => (typeof key === 'number' ? `[${String(key)}]` : i === 0 ? key : `.${key}`)).join('');

/** What synth makes of the args: manifests, or its refusals, each on a line. */
function made(component: string, args: unknown): { readonly objects?: unknown; readonly told?: readonly string[] } {
  const chart = new Chart(Testing.app(), 'chart');
  try {
    ALL[component]?.(chart, args as never);
    return { objects: Testing.synth(chart) };
  } catch (thrown) {
    return { told: String(thrown).split('\n') };
  }
}

describe.each(FULL_ARGS)('FU-79 $title', ({ component, args }) => {
  test('takes a Lazy as its value, or names the prop that has it', () => {
    const plain = made(component.name, args);
    expect(plain.told).toBeUndefined();
    const wrong = pathsIn(args).flatMap((path) => {
      const { objects, told } = made(component.name, withLazy(args, path));
      if (objects !== undefined)
        return JSON.stringify(objects) === JSON.stringify(plain.objects) ? [] : [`${textOf(path)}: other objects`];
      const at = [textOf(path), textOf(path).replace(/[.]([^.]*)$/u, '[$1]')];
      const own =
        told?.filter((line) => at.some((each) => line.includes(`${each}: a Lazy of cdk8s is resolved`))) ?? [];
      return own.length === 1 && told?.length === 2 ? [] : [`${textOf(path)}: ${String(told?.join(' | '))}`];
    });
    expect(wrong).toEqual([]);
  });
});
