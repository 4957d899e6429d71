import * as pulumi from '@pulumi/pulumi';
import type { ApiObject, Chart } from 'cdk8s';
import type { IConstruct } from 'constructs';

import { isWebhookConfiguration, objectsBelow } from '../../constructs/render/component-support';
import type { ApiManifest } from '../../constructs/render/objects/ordered-objects';
import { IpamError } from '../../operator/errors/ipam-error';
import { NEEDED, type OutputValues } from '../args/deferred-args';
import { inputsOf } from './deferred-inputs';
import { resourceClass, type ResourceInputs } from './resource-classes';

/** How the objects of a chart become inputs. */
export interface PlanProps {
  readonly values: OutputValues;
  /** How many values other components had declared before this one. */
  readonly declaredBefore: number;
  /** Changes the inputs of one object before its resource is made. */
  readonly inputsFor?: (object: ApiManifest) => ApiManifest;
  /** Changes them once the Outputs stand in them. */
  readonly finish?: (inputs: ResourceInputs) => ResourceInputs;
}

/** An object whose resource can be made. */
interface Planned {
  readonly object: ApiObject;
  readonly manifest: ApiManifest;
  /** Without the chart, whose id only tells components of one app apart. */
  readonly path: string;
  readonly inputs: ResourceInputs;
  readonly after: readonly ApiObject[];
}

/** The objects of a chart as inputs of resources, each after those that its construct depends on. Nothing is registered yet. */
export class Plan {
  /** In the order of registration. */
  readonly objects: readonly Planned[];
  readonly #planned = new Map<ApiObject, Planned>();
  readonly #underWay = new Set<ApiObject>();
  readonly #inChart: readonly ApiObject[];
  readonly #root: string;
  readonly #props: PlanProps;

  /**
   * Reads the objects.
   *
   * @param chart - with everything in it, valid
   * @param props - the Outputs in it
   * @throws {@link IpamError} `settings/invalid` where constructs depend on one another in a circle, or where an Output is
   *   needed at synth
   */
  constructor(chart: Chart, props: PlanProps) {
    this.#props = props;
    this.#root = `${chart.node.path}/`;
    this.#inChart = objectsBelow(chart);
    for (const object of this.#inChart) this.#add(object);
    this.objects = [...this.#planned.values()];
    const [unused] = props.values.unused(props.declaredBefore);
    if (unused !== undefined) throw new IpamError('settings/invalid', `${unused}: ${NEEDED}`);
  }

  #add(object: ApiObject): void {
    if (this.#planned.has(object)) return;
    if (this.#underWay.has(object)) {
      throw new IpamError('settings/invalid', `"${object.node.path}" depends on itself; take a dependency away`);
    }
    this.#underWay.add(object);
    const after = this.#before(object);
    for (const each of after) this.#add(each);
    this.#underWay.delete(object);
    const { values, inputsFor, finish = (same: ResourceInputs) => same } = this.#props;
    const manifest = object.toJson() as ApiManifest;
    const inputs = finish(inputsOf(values.read(inputsFor?.(manifest) ?? manifest)) as ResourceInputs);
    const { path } = object.node;
    const ownPath = path.startsWith(this.#root) ? path.slice(this.#root.length) : path;
    this.#planned.set(object, { object, manifest, path: ownPath, inputs, after });
  }

  #before(object: ApiObject): readonly ApiObject[] {
    const asked = new Set(dependenciesOf(object).flatMap(objectsBelow));
    // the API server calls a webhook for all objects, so nothing of the component comes after its webhooks
    const isWebhook = isWebhookConfiguration(object);
    return this.#inChart.filter(
      (each) => each !== object && (asked.has(each) || (isWebhook && !isWebhookConfiguration(each))),
    );
  }
}

/** Whose the resources of a plan are. */
export interface ChartResourcesProps {
  /** Name of the component, with which the name of every child begins. */
  readonly name: string;
  readonly parent: pulumi.ComponentResource;
  /** Options of one object's resource, beside parent and dependencies. */
  readonly optionsFor?: (object: ApiManifest) => pulumi.CustomResourceOptions;
}

/** A class of the SDK. */
interface Kind<R> {
  isInstance(resource: unknown): resource is R;
}

/** The resources of a chart, one for each of its objects. */
export class ChartResources {
  readonly #resources = new Map<ApiObject, pulumi.CustomResource>();

  /**
   * Makes the resources.
   *
   * @param plan - objects in the order in which they are made
   * @param props - name, parent and options
   */
  constructor(plan: Plan, { name, parent, optionsFor }: ChartResourcesProps) {
    for (const { object, manifest, path, inputs, after } of plan.objects) {
      const Resource = resourceClass(manifest.apiVersion, manifest.kind);
      const dependsOn = after.flatMap((each) => this.#resources.get(each) ?? []);
      const options = pulumi.mergeOptions({ parent, dependsOn }, optionsFor?.(manifest));
      this.#resources.set(object, new Resource(`${name}/${path}`, inputs, options));
    }
  }

  /**
   * Finds the resource of an object.
   *
   * @param kind - class of the SDK for it
   * @param name - of the object
   * @returns its resource
   * @throws {@link IpamError} `internal` where the chart has no such object
   */
  resource<R>(kind: Kind<R>, name: string): R {
    for (const [object, resource] of this.#resources) {
      if (object.name === name && kind.isInstance(resource)) return resource;
    }
    throw new IpamError('internal', `the component has no resource of the object "${name}"`);
  }
}

// A construct waits for what the constructs around it wait for.
const dependenciesOf = ({ node }: IConstruct): readonly IConstruct[] => [
  ...node.dependencies,
  ...(node.scope === undefined ? [] : dependenciesOf(node.scope)),
];
