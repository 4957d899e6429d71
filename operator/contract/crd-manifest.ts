import type { TObject } from '@sinclair/typebox';

/** A column of `kubectl get`. */
interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  /** Above 0: shown by `-o wide` only. */
  readonly priority?: number;
}

/**
 * A rule over several fields, said twice: in CEL for the API server and in TypeScript for synth. Both are run over the same
 * samples, so that they cannot drift apart.
 */
interface KindRule<O> {
  /** Where the CEL rule stands; `self` is this part of the object. `[]` is each item of the list before it. */
  readonly at: readonly string[];
  readonly rule: string;
  /** Requirement, to be read after the path of the field. */
  readonly message: string;
  /** Field at fault, seen from the object. */
  readonly field: string;
  /**
   * Tells whether an object of the right shape breaks the rule.
   *
   * @param now - the object
   * @param before - the stored object, on an update
   */
  broken(now: O, before?: O): boolean;
  /**
   * Lists the paths of the items at fault, for a rule of items; without it the fault is `field`.
   *
   * @param now - the object
   */
  faults?(now: O): readonly string[];
}

/** Everything that is known of one kind; CRD, validator, construct and docs are made of it. */
export interface KindDeclaration<O> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  /** Words by which `kubectl get` shows this kind together with others. */
  readonly categories: readonly string[];
  readonly scope: 'Cluster' | 'Namespaced';
  readonly description: string;
  readonly spec: TObject;
  /** True for a kind whose older manifests may leave out the spec. */
  readonly isSpecOptional?: boolean;
  readonly status: TObject;
  readonly columns: readonly PrinterColumn[];
  readonly rules: readonly KindRule<O>[];
}

type Json = Readonly<Record<string, unknown>>;

/** A CustomResourceDefinition as an object. */
export interface CrdManifest {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string };
  readonly spec: Json;
}

/**
 * Names the CRD of a kind.
 *
 * @param kind - its declaration
 * @returns `<plural>.<group>`
 */
function crdName({ plural, group }: Pick<KindDeclaration<never>, 'plural' | 'group'>): string {
  return `${plural}.${group}`;
}

/** Place of the items of a list. */
const ITEM = '[]';

// The rules of one place, as the API server wants them there.
function celAt<O>(rules: readonly KindRule<O>[], place: readonly string[]): Json {
  const here = rules.filter(({ at }) => at.join('.') === place.join('.'));
  if (here.length === 0) return {};
  // the API server names the place of the rule, which is not always the field at fault
  const texts = here.map(({ rule, message, field }) => ({
    rule,
    message: field === place.join('.') || place.at(-1) === ITEM ? message : `${field} ${message}`,
  }));
  return { 'x-kubernetes-validations': texts };
}

// The API server keeps no empty list and no empty map, so a second manager of server-side apply would contradict the first by them.
const filled = (name: string, list: readonly (string | object)[]): Json =>
  list.length === 0 ? {} : { [name]: list.map((each) => (typeof each === 'string' ? each : { ...each })) };
const filledMap = (name: string, map: Json): Json => (Object.keys(map).length === 0 ? {} : { [name]: map });

// Puts the rules of a property and of everything below it into a copy without typebox's symbols.
function withRules<O>(schema: Json, rules: readonly KindRule<O>[], place: readonly string[]): Json {
  const properties = schema['properties'] as Readonly<Record<string, Json>> | undefined;
  const items = schema['items'] as Json | undefined;
  if (items !== undefined) {
    return { ...schema, items: withRules(items, rules, [...place, ITEM]), ...celAt(rules, place) };
  }
  if (properties === undefined) return { ...schema, ...celAt(rules, place) };
  const inner = Object.entries(properties).map(([name, property]) => [
    name,
    withRules(property, rules, [...place, name]),
  ]);
  const { properties: _without, ...rest } = schema;
  return { ...rest, ...filledMap('properties', Object.fromEntries(inner) as Json), ...celAt(rules, place) };
}

function objectSchema<O>({ description, spec, isSpecOptional, status, rules }: KindDeclaration<O>): Json {
  const whole = {
    type: 'object',
    description,
    ...(isSpecOptional === true ? {} : { required: ['spec'] }),
    properties: {
      apiVersion: { type: 'string', description: 'API group and version of this kind' },
      kind: { type: 'string', description: 'Name of this kind' },
      metadata: { type: 'object' },
      spec: JSON.parse(JSON.stringify(spec)) as Json,
      status: JSON.parse(JSON.stringify(status)) as Json,
    },
  };
  return withRules(whole, rules, []);
}

/**
 * Writes the CRD of a kind.
 *
 * @param kind - its declaration
 * @returns the manifest; a new version goes before the present one, since generators name their classes after the first
 */
export function crdManifest<O>(kind: KindDeclaration<O>): CrdManifest {
  const { group, version, plural, singular, shortNames, categories, scope, columns } = kind;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crdName(kind) },
    spec: {
      group,
      scope,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural,
        singular,
        ...filled('shortNames', shortNames),
        ...filled('categories', categories),
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          ...filled('additionalPrinterColumns', columns),
          schema: { openAPIV3Schema: objectSchema(kind) },
        },
      ],
    },
  };
}
