import * as pulumi from '@pulumi/pulumi';

/** A resource as the engine was asked for it. */
export interface Registered {
  readonly type: string;
  readonly name: string;
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** Resources of the running test, in the order of registration. */
export const registered: Registered[] = [];

type StateOf = (inputs: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

/** Puts Pulumi under mocks that answer with what they were given, and with `stateOf` it. Call it before components are made. */
export async function mockEngine(
  config: Readonly<Record<string, string>> = {},
  secretKeys: readonly string[] = [],
  stateOf: StateOf = () => ({}),
): Promise<void> {
  registered.length = 0;
  pulumi.runtime.setAllConfig({ ...config }, [...secretKeys]);
  await pulumi.runtime.setMocks(
    {
      newResource: ({ type, name, inputs, id }) => {
        registered.push({ type, name, inputs: inputs as Readonly<Record<string, unknown>> });
        const state = inputs as Record<string, unknown>;
        return { id: id ?? `${name}-id`, state: { ...state, ...stateOf(state) } };
      },
      call: ({ inputs }) => inputs as Record<string, unknown>,
    },
    'ipam',
    'test',
  );
}

/** Waits for an Output. */
export const valueOf = <T>(output: pulumi.Output<T>): Promise<T> =>
  new Promise((resolve) => {
    output.apply((value) => {
      resolve(value);
    });
  });

/** Waits until every resource that the test declared is registered. */
export const settled = (): Promise<void> => pulumi.runtime.disconnect();

/** Inputs of the API objects, without the components around them. */
export const objectsRegistered = (): readonly Registered['inputs'][] =>
  registered
    .filter(({ type, name }) => type.startsWith('kubernetes:') && !name.endsWith('/Installation'))
    .map(({ inputs }) => inputs);
