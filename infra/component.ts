import * as pulumi from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import type { Construct } from 'constructs';

import { unknownProps } from '../constructs/props/containers';
import type { Judge, Rule } from '../constructs/props/rule';
import { LateBoundValues } from '../constructs/render/late-bound';
import { isMap } from '../operator/contract/loose-json';
import { isIpamError } from '../operator/errors/ipam-error';
import { Adopted, type AdoptionProps } from './adopted';
import { propsOf, type ArgsOf, type OutputValues } from './late-args';

/** The constructs of one cluster of one stack. They see one another, so pools that overlap are refused across components. */
interface Site {
  readonly app: App;
  readonly values: OutputValues;
}

const newSite = (): Site => ({ app: new App(), values: new LateBoundValues() });

// An inline program runs many times in one process, each time in a stack of its own.
const SITES = new WeakMap<pulumi.Resource, Map<pulumi.ProviderResource | undefined, Site>>();

// The provider stands for the cluster. Under mocks there is no stack, and nothing to compare with.
function siteOf(component: pulumi.ComponentResource): Site {
  const stack = pulumi.runtime.getStackResource();
  if (stack === undefined) return newSite();
  const ofStack = SITES.get(stack) ?? new Map<pulumi.ProviderResource | undefined, Site>();
  SITES.set(stack, ofStack);
  const provider = component.getProvider('kubernetes:core/v1:Namespace');
  const site = ofStack.get(provider) ?? newSite();
  ofStack.set(provider, site);
  return site;
}

/** How a component makes its construct. */
export interface BuildProps<P, C extends Construct> extends ArgsOf<P>, Pick<AdoptionProps, 'optionsFor' | 'inputsFor'> {
  readonly build: (chart: Chart, props: P) => C;
  /** For the args that the component has beside those of the construct, so that a typo finds them too. */
  readonly own?: Judge;
}

/**
 * Takes args as plain JavaScript may have given them.
 *
 * @param args - whatever was handed in
 * @returns the same; no args where it is no map, so that what is missing is refused by its name
 */
export const argsOf = <A extends object>(args: A): A => (isMap(args) ? args : ({} as A));

/** A construct and the resources that its objects became. */
export interface Built<C extends Construct> {
  readonly construct: C;
  readonly adopted: Adopted;
}

/** A component of which every object is declared by a construct of this package. */
export abstract class ConstructComponent extends pulumi.ComponentResource {
  private readonly kind: string;
  private readonly ownName: string;

  /**
   * Registers the component.
   *
   * @param kind - last part of the type token `cdk8s-ipam:index:<kind>`
   * @param name - unique among the components of this kind in a stack
   * @param opts - options; a `provider` or `providers` of Kubernetes reaches every object
   */
  protected constructor(kind: string, name: string, opts: pulumi.ComponentResourceOptions | undefined) {
    super(`cdk8s-ipam:index:${kind}`, name, {}, opts);
    this.kind = kind;
    this.ownName = name;
  }

  /**
   * Declares the objects by their construct and makes a resource of each.
   *
   * @param props - args, and the construct that takes them
   * @returns the construct, and its resources
   * @throws RunError with every problem that synth would report; nothing is registered then
   */
  protected adopt<P, C extends Construct>({ args, rule, own, plain, build, ...how }: BuildProps<P, C>): Built<C> {
    const { app, values } = siteOf(this);
    const { props, problems: late } = propsOf(values, { args, rule, plain });
    const strange = own === undefined ? [] : unknownProps(args, '', [...(own.keys ?? []), ...(rule.keys ?? [])]);
    if (late.length + strange.length > 0) throw this.refusal([...late, ...strange.map(({ message }) => message)]);
    const chart = new Chart(app, `${this.kind}-${this.ownName}`, { disableResourceNameHashes: true });
    try {
      const construct = build(chart, props);
      const problems = chart.node.findAll().flatMap(({ node }) => node.validate());
      if (problems.length > 0) throw this.refusal(problems);
      return { construct, adopted: new Adopted(chart, { name: this.ownName, parent: this, values, ...how }) };
    } catch (thrown) {
      if (isIpamError(thrown)) throw this.refusal([thrown.message]);
      throw thrown;
    }
  }

  /**
   * Checks args that the construct does not have. They are never Outputs.
   *
   * @param args - these alone
   * @param rule - for them
   * @throws RunError with every problem
   */
  protected check<O extends object>(args: O, rule: Rule<O>): void {
    const plain = Object.keys(args);
    const { problems } = propsOf<O>(siteOf(this).values, { args, rule, plain });
    const faults = problems.length > 0 ? problems : rule.judge(args, '').faults.map(({ message }) => message);
    if (faults.length > 0) throw this.refusal(faults);
  }

  /**
   * Says what the user of the program did wrong, without a stack trace of ours.
   *
   * @param problems - at least one; each is told once
   * @returns the error to throw
   */
  protected refusal(problems: readonly string[]): pulumi.RunError {
    const [first = '', ...others] = [...new Set(problems)];
    const text = others.length === 0 ? first : [first, ...others].map((each) => `\n  - ${each}`).join('');
    return new pulumi.RunError(`${this.kind} "${this.ownName}": ${text}`);
  }
}
