import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import type { Construct, IConstruct } from 'constructs';

import { overlapsWithApp } from '../../constructs/render/component-support';
import { unknownProps } from '../../constructs/props-kit/containers';
import type { ApiManifest } from '../../constructs/render/objects/ordered-objects';
import type { Judge, Rule } from '../../constructs/props-kit/rule';
import { LateBoundValues } from '../../constructs/render/late-bound/late-bound';
import { isIpamError } from '../../operator/errors/ipam-error';
import { argsOf, refusal, type ComponentName } from '../args/args';
import { propsOf, type ArgsOf, type OutputValues } from '../args/deferred-args';
import { ChartResources, Plan, type ChartResourcesProps, type PlanProps } from '../outputs/chart-resources';
import type { ResourceInputs } from '../outputs/resource-classes';
import { ofComponent, ofThisStack } from '../outputs/stack-mark';

/** The constructs of one cluster of one stack. They see one another, so pools that overlap are refused across components. */
interface ClusterApp {
  readonly app: App;
  readonly values: OutputValues;
}

const newClusterApp = (): ClusterApp => ({ app: new App(), values: new LateBoundValues() });

// An inline program runs many times in one process, each time in a stack of its own.
const CLUSTER_APPS = new WeakMap<pulumi.Resource, Map<pulumi.ProviderResource | undefined, ClusterApp>>();

type Options = pulumi.ComponentResourceOptions | undefined;

// As the component will find it, which is not there yet.
function providerOf(opts: Options): pulumi.ProviderResource | undefined {
  const given = Object.values<pulumi.ProviderResource>(opts?.providers ?? {});
  const own = [...given, ...(opts?.provider === undefined ? [] : [opts.provider])];
  const parent = opts?.parent ?? pulumi.runtime.getStackResource();
  return (
    own.find((each) => kubernetes.Provider.isInstance(each)) ?? parent?.getProvider('kubernetes:core/v1:Namespace')
  );
}

// The provider stands for the cluster. Under mocks there is no stack, and nothing to compare with.
function clusterAppOf(opts: Options): ClusterApp {
  const stack = pulumi.runtime.getStackResource();
  if (stack === undefined) return newClusterApp();
  const ofStack = CLUSTER_APPS.get(stack) ?? new Map<pulumi.ProviderResource | undefined, ClusterApp>();
  CLUSTER_APPS.set(stack, ofStack);
  const provider = providerOf(opts);
  const clusterApp = ofStack.get(provider) ?? newClusterApp();
  ofStack.set(provider, clusterApp);
  return clusterApp;
}

// Only a component without a provider of its own may be of any cluster of the stack: that of the default provider.
function otherApps(opts: Options): readonly App[] {
  const stack = pulumi.runtime.getStackResource();
  const ofStack = stack === undefined ? undefined : CLUSTER_APPS.get(stack);
  const mine = providerOf(opts);
  return [...(ofStack ?? [])]
    .filter(([provider]) => provider !== mine && (provider === undefined || mine === undefined))
    .map(([, { app }]) => app);
}

// No refusal, since they may be two clusters.
function strangeOverlaps(chart: Chart, opts: Options): readonly string[] {
  return otherApps(opts)
    .flatMap((app) => overlapsWithApp(chart, app))
    .map(
      ({ message }) =>
        `${message}. One of the two has no provider and the other one has, so it is not known whether they are of one cluster: give both the same provider, or each its \`cluster\``,
    );
}

// Components of one name may have parents of different types. The id is a part of no name in the cluster or the stack.
function chartOf(app: App, { kind, name }: ComponentName): Chart {
  const wanted = `${kind}-${name}`;
  let id = wanted;
  for (let n = 2; app.node.tryFindChild(id) !== undefined; n += 1) id = `${wanted}-${String(n)}`;
  return new Chart(app, id, { disableResourceNameHashes: true });
}

/** A component as it is to be made. */
interface Asked extends ComponentName {
  readonly opts: Options;
}

/** How a component makes its construct. */
export interface BuildProps<P, C extends Construct> extends ArgsOf<P>, Pick<PlanProps, 'inputsFor' | 'finish'> {
  readonly build: (chart: Chart, props: P) => C;
  /**
   * Whether every object names its stack and its component, so that neither another stack nor a component of another name or parent
   * takes it over and deletes it; false where a first object does so for all.
   *
   * @default true
   */
  readonly isEachNamed?: boolean;
  /** For the args that the component has beside those of the construct, so that a typo finds them too. */
  readonly extra?: Judge;
}

/** A construct that is valid, and what becomes of its objects. */
export interface Declared<C extends Construct> {
  readonly construct: C;
  readonly plan: Plan;
  /** What may be wrong with it, told once the component is there. */
  readonly warnings: readonly string[];
}

type Inputs = Required<Pick<PlanProps, 'inputsFor' | 'finish'>>;

const asItIs = <T>(value: T): T => value;

function inputsOf<P, C extends Construct>(asked: Asked, props: BuildProps<P, C>): Inputs {
  const { inputsFor = asItIs<ApiManifest>, finish = asItIs<ResourceInputs>, isEachNamed = true } = props;
  if (!isEachNamed) return { inputsFor, finish };
  return {
    inputsFor: (object) => inputsFor(ofThisStack(object)),
    finish: (inputs) => ofComponent(finish(inputs), asked),
  };
}

/**
 * Declares the objects of a component by their construct. It comes before the component is registered, so a program may catch the
 * refusal and make a component of the same name.
 *
 * @param asked - kind, name and options of the component
 * @param props - args, and the construct that takes them
 * @returns what {@link ConstructComponent} makes resources of
 * @throws RunError with every problem that synth would report; nothing is left of the component then
 */
export function declare<P, C extends Construct>(asked: Asked, props: BuildProps<P, C>): Declared<C> {
  const { args, rule, extra, literal, build } = props;
  const { app, values } = clusterAppOf(asked.opts);
  const declaredBefore = values.count();
  const read = propsOf(values, { args: argsOf(asked, args), rule, literal });
  const strange =
    extra === undefined ? [] : unknownProps(args, '', { keys: [...(extra.keys ?? []), ...(rule.keys ?? [])] });
  const faults = [...read.problems, ...strange.map(({ message }) => message)];
  if (faults.length > 0) throw refusal(asked, faults);
  const chart = chartOf(app, asked);
  try {
    const construct = build(chart, read.props);
    const problems = chart.node.findAll().flatMap(({ node }) => node.validate());
    if (problems.length > 0) throw refusal(asked, problems);
    return {
      construct,
      warnings: strangeOverlaps(chart, asked.opts),
      plan: new Plan(chart, { values, declaredBefore, ...inputsOf(asked, props) }),
    };
  } catch (thrown) {
    app.node.tryRemoveChild(chart.node.id);
    throw isIpamError(thrown) ? refusal(asked, [thrown.message]) : thrown;
  }
}

/**
 * Checks args that the construct does not have. They are never Outputs.
 *
 * @param called - the component
 * @param args - these alone
 * @param rule - for them
 * @throws RunError with every problem
 */
export function checkExtraArgs<O extends object>(called: ComponentName, args: O, rule: Rule<O>): void {
  const { problems } = propsOf<O>(newClusterApp().values, { args, rule, literal: Object.keys(args) });
  const faults = problems.length > 0 ? problems : rule.judge(args, '').faults.map(({ message }) => message);
  if (faults.length > 0) throw refusal(called, faults);
}

const COMPONENTS = new WeakMap<IConstruct, ConstructComponent>();

/**
 * Finds the component whose objects a construct declares.
 *
 * @param part - the construct of a component
 * @param part.construct - as it was declared
 * @returns undefined where it was declared by no component of this program
 */
export function componentOf({ construct }: { readonly construct: IConstruct }): ConstructComponent | undefined {
  return COMPONENTS.get(construct);
}

/** A component of which every object is declared by a construct of this package. */
export abstract class ConstructComponent extends pulumi.ComponentResource {
  /**
   * Registers the component.
   *
   * @param asked - last part of the type token `cdk8s-ipam:index:<kind>`; a name that is unique among the components of this kind whose
   *   parents are of one type; options, of which a `provider` or `providers` of Kubernetes reaches every object
   */
  protected constructor({ kind, name, opts }: Asked) {
    super(`cdk8s-ipam:index:${kind}`, name, {}, opts);
    if ((opts?.ignoreChanges ?? []).length > 0) {
      const text =
        'ignoreChanges of a component reaches none of its objects; set it on them by a transform: transforms: [({ props, opts }) => ({ props, opts: { ...opts, ignoreChanges: [...] } })]';
      void pulumi.log.warn(text, this);
    }
  }

  /**
   * Makes a resource of each object.
   *
   * @param name - with which the name of every child begins
   * @param declared - made before the component was registered
   * @param optionsFor - options of one object's resource
   * @returns each of them, found by kind and name of its object
   */
  protected toResources(
    name: string,
    { construct, plan, warnings }: Declared<Construct>,
    optionsFor: NonNullable<ChartResourcesProps['optionsFor']> = () => ({}),
  ): ChartResources {
    COMPONENTS.set(construct, this);
    for (const text of warnings) void pulumi.log.warn(text, this);
    return new ChartResources(plan, { name, parent: this, optionsFor });
  }
}
