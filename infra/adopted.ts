import * as pulumi from '@pulumi/pulumi';
import { ApiObject, type Chart } from 'cdk8s';
import type { IConstruct } from 'constructs';

import type { ApiManifest } from '../constructs/render/objects';
import { IpamError } from '../operator/errors/ipam-error';
import { NEEDED, type OutputValues } from './late-args';
import { inputsOf } from './late-inputs';
import { resourceClass, type ResourceInputs } from './resource-classes';

/** How the objects of a chart become resources. */
export interface AdoptionProps {
  /** Name of the component, with which the name of every child begins. */
  readonly name: string;
  readonly parent: pulumi.ComponentResource;
  readonly values: OutputValues;
  /** Options of one object's resource, beside parent and dependencies. */
  readonly optionsFor?: (object: ApiManifest) => pulumi.CustomResourceOptions;
  /** Changes the inputs of one object before its resource is made. */
  readonly inputsFor?: (object: ApiManifest) => ApiManifest;
}

// The API server calls a webhook for everybody's objects, so nothing of the component comes after its webhooks.
const WEBHOOKS: readonly string[] = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

/** The resources of a chart, one for each of its objects. */
export class Adopted {
  private readonly props: AdoptionProps;
  private readonly objects: readonly ApiObject[];
  private readonly inChart: ReadonlySet<ApiObject>;
  private readonly resources = new Map<ApiObject, pulumi.CustomResource>();
  private readonly underWay = new Set<ApiObject>();
  private readonly root: string;

  /**
   * Makes the resources, each after those that its construct depends on.
   *
   * @param chart - with everything in it, valid
   * @param props - names, parent and options
   * @throws {@link IpamError} `settings/invalid` where constructs depend on one another in a circle, or where an Output is
   *   needed at synth
   */
  constructor(chart: Chart, props: AdoptionProps) {
    this.props = props;
    this.root = `${chart.node.path}/`;
    this.objects = objectsIn(chart);
    this.inChart = new Set(this.objects);
    for (const object of this.objects) this.resourceOf(object);
    const [unused] = props.values.unused();
    if (unused !== undefined) {
      throw new IpamError('settings/invalid', `${unused}: ${NEEDED}`);
    }
  }

  /**
   * Finds the resource of an object.
   *
   * @param object - an object of the chart
   * @returns its resource, of the class of its kind
   */
  of(object: ApiObject): pulumi.CustomResource {
    return this.resourceOf(object);
  }

  /**
   * Finds the resource of an object by its name.
   *
   * @param kind - for example `Deployment`
   * @param name - name of the object
   * @returns its resource, of the class of its kind
   * @throws {@link IpamError} `internal` where the chart has no such object
   */
  named(kind: string, name: string): pulumi.CustomResource {
    const object = this.objects.find((each) => each.kind === kind && each.name === name);
    if (object === undefined) throw new IpamError('internal', `the component has no ${kind} "${name}"`);
    return this.of(object);
  }

  private resourceOf(object: ApiObject): pulumi.CustomResource {
    const made = this.resources.get(object);
    if (made !== undefined) return made;
    if (this.underWay.has(object)) {
      throw new IpamError('settings/invalid', `"${object.node.path}" depends on itself; take a dependency away`);
    }
    this.underWay.add(object);
    const dependsOn = this.dependenciesOf(object).map((each) => this.resourceOf(each));
    this.underWay.delete(object);
    const resource = this.declare(object, dependsOn);
    this.resources.set(object, resource);
    return resource;
  }

  private declare(object: ApiObject, dependsOn: pulumi.CustomResource[]): pulumi.CustomResource {
    const { name, parent, values, optionsFor, inputsFor } = this.props;
    const manifest = object.toJson() as ApiManifest;
    const inputs = inputsOf(values.read(inputsFor?.(manifest) ?? manifest)) as ResourceInputs;
    const Resource = resourceClass(manifest.apiVersion, manifest.kind);
    const options = pulumi.mergeOptions({ parent, dependsOn }, optionsFor?.(manifest));
    return new Resource(`${name}/${this.pathOf(object)}`, inputs, options);
  }

  // Without the chart, whose id only tells components of one app apart.
  private pathOf({ node: { path } }: ApiObject): string {
    return path.startsWith(this.root) ? path.slice(this.root.length) : path;
  }

  private dependenciesOf(object: ApiObject): readonly ApiObject[] {
    const asked = dependenciesOf(object).flatMap(objectsIn);
    const before = WEBHOOKS.includes(object.kind) ? this.objects.filter(({ kind }) => !WEBHOOKS.includes(kind)) : [];
    return [...new Set([...asked, ...before])].filter((each) => each !== object && this.inChart.has(each));
  }
}

const objectsIn = (construct: IConstruct): readonly ApiObject[] =>
  construct.node.findAll().filter((each): each is ApiObject => ApiObject.isApiObject(each));

// A construct waits for what the constructs around it wait for.
const dependenciesOf = ({ node }: IConstruct): readonly IConstruct[] => [
  ...node.dependencies,
  ...(node.scope === undefined ? [] : dependenciesOf(node.scope)),
];
