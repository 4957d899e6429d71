import { ApiObject, Chart } from 'cdk8s';
import { Dependable, type IConstruct, type IDependable } from 'constructs';

import { isWebhookConfiguration } from '../objects/webhook-kinds';

// cdk8s takes a dependency for one of all objects below, as far as they are in the same chart.
const below = (construct: IConstruct): readonly IConstruct[] => {
  const chart = Chart.of(construct);
  return construct.node.findAll().filter((each) => Chart.of(each) === chart);
};

function scopesInChart(construct: IConstruct): readonly IConstruct[] {
  const { scopes } = construct.node;
  return scopes.slice(scopes.indexOf(Chart.of(construct)));
}

// Constructs that come after others by what the user has declared, directly or over several steps.
function dependants(first: readonly IConstruct[]): ReadonlySet<IConstruct> {
  const sources = new Map<IConstruct, IConstruct[]>();
  for (const source of first[0]?.node.root.node.findAll() ?? []) {
    for (const target of source.node.dependencies) sources.set(target, [...(sources.get(target) ?? []), source]);
  }
  const found = new Set<IConstruct>();
  const open = first.flatMap(below);
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    const more = scopesInChart(each)
      .flatMap((scope) => sources.get(scope) ?? [])
      .flatMap(below)
      .filter((dependant) => !found.has(dependant));
    for (const dependant of more) {
      found.add(dependant);
      open.push(dependant);
    }
  }
  return found;
}

function otherObjects(last: readonly IConstruct[]): IConstruct[] {
  const [first] = last;
  if (first === undefined) return [];
  const [own, after] = [new Set(last.flatMap(below)), dependants(last)];
  return below(Chart.of(first)).filter(
    (each) => ApiObject.isApiObject(each) && !isWebhookConfiguration(each) && !own.has(each) && !after.has(each),
  );
}

// Read at synth, when everything is declared.
class OtherObjects extends Dependable {
  readonly #last: readonly IConstruct[];
  #asked = false;

  constructor(last: readonly IConstruct[]) {
    super();
    this.#last = last;
  }

  override get dependencyRoots(): IConstruct[] {
    if (this.#asked) return []; // by the search itself
    this.#asked = true;
    try {
      return otherObjects(this.#last);
    } finally {
      this.#asked = false;
    }
  }
}

/**
 * Puts constructs behind all other objects of their chart, those that the user adds later included. What the user puts behind
 * one of them by `addDependency` stays behind it, and other webhook configurations stay where they are.
 *
 * @param last - constructs of one chart
 */
export function putLast(last: readonly IConstruct[]): void {
  const others: IDependable = {};
  Dependable.implement(others, new OtherObjects(last));
  for (const construct of last) construct.node.addDependency(others);
}
