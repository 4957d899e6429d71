import { createHash } from 'node:crypto';
import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { NEPHIO_GROUP, PACKAGE_ANNOTATIONS } from '../../contract/nephio';
import type { AllocationName, PackageOwner } from './back-ends/back-end';
import type { PackageNode } from './package-nodes';
import type { YamlEdit, YamlPath } from './yaml-edit';

/** One condition of the injector in a Kptfile. */
export interface InjectedCondition {
  readonly status: 'True' | 'False';
  readonly reason: 'ResourceInjected' | 'ResourceSpecErr' | 'ErrorDuringInjection';
  readonly message: string;
}

/** A package as its Kptfile knows it. */
export interface KnownPackage extends PackageOwner {
  /** True where earlier runs were for this very package, so that what they took is its own. */
  readonly isKnown: boolean;
}

const NAME = 'Kptfile';
const TYPE = { begin: `${NEPHIO_GROUP}.IPAMAllocation.`, end: '.Injected' } as const;
/** Digits of the part of an id that tells a copy of a package from the package. */
const ORIGIN_DIGITS = 8;
/** Digits of an id that is made of a place. */
const ID_DIGITS = 16;
/** An id of a package; it is a part of names of objects. */
export const PACKAGE_ID = /^[0-9a-z]{1,63}$/u;
const ID = new RegExp(`^(?<id>[0-9a-z]{1,63})[.](?<origin>[0-9a-f]{${ORIGIN_DIGITS}})$`, 'u');

/**
 * Finds the Kptfile of a package; those of packages inside of it do not count.
 *
 * @param nodes - objects of the package
 * @returns the one at its top
 */
export function kptfileIn(nodes: readonly PackageNode[]): PackageNode | undefined {
  const isKptfile = ({ object }: PackageNode): boolean =>
    object['kind'] === NAME && textOf(object['apiVersion']).startsWith('kpt.dev/');
  // a function may get it without its path
  return nodes.find((node) => isKptfile(node) && (node.file === NAME || node.file === ''));
}

/**
 * Names the condition of an allocation.
 *
 * @param allocation - its name
 * @returns type of the condition, which is the type of its readiness gate as well
 */
export function conditionType({ namespace, name }: AllocationName): string {
  return `${TYPE.begin}${name}.${namespace}${TYPE.end}`;
}

function allocationOf(type: string): AllocationName | undefined {
  if (!type.startsWith(TYPE.begin) || !type.endsWith(TYPE.end)) return undefined;
  const middle = type.slice(TYPE.begin.length, -TYPE.end.length);
  // a namespace has no dot, the name of an object may have some
  const dot = middle.lastIndexOf('.');
  return dot < 1 ? undefined : { namespace: middle.slice(dot + 1), name: middle.slice(0, dot) };
}

/**
 * Lists the allocations of earlier runs.
 *
 * @param kptfile - as it stands in the package
 * @returns each one that has a condition
 */
export function injectedBefore(kptfile: JsonMap): readonly AllocationName[] {
  return conditionsOf(kptfile).flatMap(({ type }) => allocationOf(type) ?? []);
}

interface PlacedCondition {
  readonly type: string;
  readonly index: number;
  readonly condition: JsonMap;
}

const conditionsOf = (kptfile: JsonMap): readonly PlacedCondition[] =>
  listOf(mapOf(kptfile['status'])['conditions']).flatMap((each, index) =>
    isMap(each) ? [{ type: textOf(each['type']), index, condition: each }] : [],
  );

/**
 * Tells which package a Kptfile is of. Its id stands in an annotation; beside it stands what the id was made for, so that a copy of the
 * package under another name or from another upstream is a package of its own.
 *
 * @param kptfile - as it stands in the package
 * @param ids - `given` by the user, or `fresh` for a package without one
 * @returns id and name
 */
export function packageOf(
  kptfile: JsonMap,
  { given, fresh }: { readonly given?: string | undefined; readonly fresh: () => string },
): KnownPackage {
  const name = textOf(metadataOf(kptfile)['name']);
  const { id, origin } = ID.exec(writtenId(kptfile))?.groups ?? {};
  if (given !== undefined) return { id: given, name, isKnown: true };
  const isKnown = id !== undefined && origin === originOf(kptfile);
  return { id: isKnown ? id : fresh(), name, isKnown };
}

/**
 * Makes an id out of the place of a package, so that a run that did not end has the same one as the next.
 *
 * @param place - repository and folder
 * @returns always the same digits for them
 */
export function idOfPlace(place: string): string {
  return createHash('sha256').update(place).digest('hex').slice(0, ID_DIGITS);
}

const writtenId = (kptfile: JsonMap): string =>
  textOf(mapOf(metadataOf(kptfile)['annotations'])[PACKAGE_ANNOTATIONS.id]);

function originOf(kptfile: JsonMap): string {
  const { repo, directory } = mapOf(mapOf(kptfile['upstream'])['git']);
  const parts = [metadataOf(kptfile)['name'], repo, directory].map(textOf);
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, ORIGIN_DIGITS);
}

/**
 * Writes the id of a package into its Kptfile.
 *
 * @param kptfile - the node
 * @param id - of the package
 * @returns no edit where it stands there
 */
export function idEdits({ document, at, object }: PackageNode, { id }: PackageOwner): readonly YamlEdit[] {
  const value = `${id}.${originOf(object)}`;
  if (writtenId(object) === value) return [];
  return [{ document, at: [...at, 'metadata', 'annotations', PACKAGE_ANNOTATIONS.id], to: 'set', value }];
}

/**
 * Writes conditions and readiness gates into a Kptfile. Those of others stay.
 *
 * @param kptfile - the node
 * @param wanted - condition of each allocation by its type; one that is absent goes, with its gate
 * @returns no edit where all of them stand there
 */
export function conditionEdits(
  { document, at, object }: PackageNode,
  wanted: ReadonlyMap<string, InjectedCondition>,
): readonly YamlEdit[] {
  const conditions = conditionsOf(object);
  const gates = listOf(mapOf(object['info'])['readinessGates']).map((each) => textOf(mapOf(each)['conditionType']));
  const places = {
    conditions: { document, at: [...at, 'status', 'conditions'] },
    gates: { document, at: [...at, 'info', 'readinessGates'] },
  };
  return [
    ...conditions.flatMap((each) => changed(places.conditions, each, wanted.get(each.type))),
    ...listEdits(places.conditions, {
      present: conditions.map(({ type }) => type),
      wanted,
      make: (type) => ({ type, ...wanted.get(type) }),
    }),
    ...listEdits(places.gates, { present: gates, wanted, make: (conditionType) => ({ conditionType }) }),
  ];
}

interface ListPlace {
  readonly document: number;
  readonly at: YamlPath;
}

function changed(
  { document, at }: ListPlace,
  { index, condition }: PlacedCondition,
  wanted: InjectedCondition | undefined,
): readonly YamlEdit[] {
  return Object.entries(wanted ?? {}).flatMap(([field, value]: [string, string]) =>
    condition[field] === value ? [] : [{ document, at: [...at, index, field], to: 'set' as const, value }],
  );
}

interface ListChange {
  /** Types that stand there, by index. */
  readonly present: readonly string[];
  readonly wanted: ReadonlyMap<string, unknown>;
  readonly make: (type: string) => unknown;
}

function listEdits({ document, at }: ListPlace, { present, wanted, make }: ListChange): readonly YamlEdit[] {
  const gone = present.flatMap((type, index) => (allocationOf(type) !== undefined && !wanted.has(type) ? [index] : []));
  const added = [...wanted.keys()].filter((type) => !present.includes(type));
  // a block that is left without an item would read as null
  if (gone.length > 0 && gone.length === present.length && added.length === 0) return [{ document, at, to: 'remove' }];
  return [
    ...gone.map((index) => ({ document, at: [...at, index], to: 'remove' as const })),
    ...(added.length === 0 ? [] : [{ document, at, to: 'append' as const, values: added.map(make) }]),
  ];
}
