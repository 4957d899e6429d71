import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { mapOf } from '../../contract/loose-json';
import { isIpamError, refusalOf } from '../../errors/ipam-error';
import { accept, refuse, type Outcome, type Refusal } from '../../errors/outcome';
import type { AllocationName, Granted, InjectionBackEnd } from './back-ends/back-end';
import {
  conditionEdits,
  conditionType,
  idEdits,
  injectedBefore,
  kptfileIn,
  packageOf,
  type InjectedCondition,
  type KnownPackage,
} from './kptfile';
import { contentsOf, isPublished, type PackageContents, type PackageNode, type PackageText } from './package-nodes';
import { isAllocation, nameOf, readRequest } from './read-request';
import { editedYaml, type YamlEdit } from './yaml-edit';

/** Calls of a back end at a time. */
const AT_ONCE = 16;
const ID_BYTES = 8;
/** Longest message of a condition. */
const MOST_CHARACTERS = 1024;

/** Result of one allocation. */
export interface Injected extends AllocationName {
  /** `given`: its status stands in the package; `released`: it left the package, and what it had was given back; `failed`: see `refusal`. */
  readonly outcome: 'given' | 'released' | 'failed';
  readonly granted?: Granted;
  readonly refusal?: Refusal;
  /** Absent for an allocation that left the package. */
  readonly node?: PackageNode;
}

/** A run over one package. */
export interface InjectedPackage {
  readonly package: string;
  readonly results: readonly Injected[];
  /** Sentences beside the results. */
  readonly notes: readonly string[];
  /** Texts that changed. */
  readonly changed: readonly PackageText[];
}

/** How a package is injected. */
export interface InjectionOptions {
  readonly backEnd: Pick<InjectionBackEnd, 'take' | 'release'>;
  /** Id of the package, where the Kptfile is not to say it. */
  readonly packageId?: string | undefined;
  /** Id of a package without one; a random one by default. */
  readonly freshId?: (() => string) | undefined;
  /** Stores the id of a package before anything is taken for it; absent where nothing can be stored before the end. */
  readonly storeFirst?: ((changed: readonly PackageText[]) => Promise<Outcome<void>>) | undefined;
}

/** The package of a run, read. */
interface ReadPackage {
  readonly texts: readonly PackageText[];
  readonly contents: PackageContents;
  readonly kptfile: PackageNode;
  readonly owner: KnownPackage;
}

/**
 * Fills the status of every IPAllocation of a package, and releases what left it since the last run. What one allocation is refused
 * stops no other one. A release needs a package all of whose texts can be read, and an id of an earlier run.
 *
 * @param texts - every text that can hold objects
 * @param options - by what and as which package
 * @returns what became of each allocation, and the texts as they are to be stored; or why nothing was begun
 */
export async function injectPackage(
  texts: readonly PackageText[],
  options: InjectionOptions,
): Promise<Outcome<InjectedPackage>> {
  const read = readPackage(texts, options);
  if (!read.ok) return read;
  const first = await storedFirst(read.value, options);
  if (!first.ok) return first;
  const stored = first.value;
  const [results, left] = [await takeAll(stored, options), await releaseAll(stored, options)];
  const all = [...results, ...left];
  const [{ name }, changed] = [stored.owner, changedTexts(stored, all)];
  return accept({ package: name, results: all, notes: notesOf(stored), changed });
}

function notesOf({ contents, kptfile, owner }: ReadPackage): readonly string[] {
  if (contents.unreadable.length > 0) return [...contents.unreadable, 'so nothing was released'];
  if (owner.isKnown || goneFrom(contents, kptfile).length === 0) return [];
  return ['nothing was released, since earlier runs were not for this package; their conditions were taken out'];
}

/**
 * Tells what a run would do, without one.
 *
 * @param texts - the package
 * @param options - where the id comes from
 * @returns the allocations that would be asked for and released; or what stands against a run
 */
export function plannedInjection(
  texts: readonly PackageText[],
  options: Pick<InjectionOptions, 'packageId'>,
): Outcome<{
  readonly package: string;
  readonly taken: readonly AllocationName[];
  readonly released: readonly AllocationName[];
}> {
  const read = readPackage(texts, options);
  if (!read.ok) return read;
  const { contents, kptfile, owner } = read.value;
  const isReleased = owner.isKnown && contents.unreadable.length === 0;
  return accept({
    package: owner.name,
    taken: contents.nodes.filter(isAllocation).map(({ object }) => nameOf(object)),
    released: isReleased ? goneFrom(contents, kptfile) : [],
  });
}

function readPackage(
  texts: readonly PackageText[],
  { packageId, freshId = () => randomBytes(ID_BYTES).toString('hex') }: Pick<InjectionOptions, 'packageId' | 'freshId'>,
): Outcome<ReadPackage> {
  const contents = contentsOf(texts);
  const kptfile = kptfileIn(contents.nodes);
  if (kptfile === undefined) {
    const [problem] = contents.unreadable;
    return problem === undefined
      ? refuse('package/no-kptfile', 'the package has no Kptfile at its top; "kpt pkg init" makes one')
      : refuse('package/malformed', problem);
  }
  if (isPublished(contents.nodes)) {
    return refuse('package/published', 'the package is published, and is left as it is; make a new revision of it');
  }
  const owner = packageOf(kptfile.object, { given: packageId, fresh: freshId });
  return accept({ texts, contents, kptfile, owner });
}

// The id of a package is stored before anything is taken under it: a run that does not end would leave what no package has.
async function storedFirst(read: ReadPackage, { storeFirst }: InjectionOptions): Promise<Outcome<ReadPackage>> {
  const { texts, kptfile, owner } = read;
  const edits = idEdits(kptfile, owner);
  if (storeFirst === undefined || edits.length === 0) return accept(read);
  const next = texts.map((each) => (each.path === kptfile.text ? edited(each, edits) : each));
  const stored = await storeFirst(next.filter((each, index) => each !== texts[index]));
  if (!stored.ok) return stored;
  const contents = contentsOf(next);
  return accept({ texts: next, contents, kptfile: kptfileIn(contents.nodes) ?? kptfile, owner });
}

const edited = ({ path, text }: PackageText, edits: readonly YamlEdit[]): PackageText => ({
  path,
  text: editedYaml(text, edits),
});

async function takeAll({ contents, owner }: ReadPackage, { backEnd }: InjectionOptions): Promise<readonly Injected[]> {
  const nodes = contents.nodes.filter(isAllocation);
  const types = nodes.map(({ object }) => conditionType(nameOf(object)));
  const isTwice = (type: string): boolean => types.indexOf(type) !== types.lastIndexOf(type);
  const isWish = ({ object }: PackageNode): boolean => mapOf(object['spec'])['prefix'] !== undefined;
  // a wish comes before what may be given anything, such as the wished prefix
  const ordered = [nodes.filter(isWish), nodes.filter((node) => !isWish(node))];
  const taken = new Map<PackageNode, Injected>();
  for (const group of ordered) for (const each of await inGroups(group, take)) taken.set(each.node, each);
  return nodes.flatMap((node) => taken.get(node) ?? []);

  async function take(node: PackageNode): Promise<Injected & { readonly node: PackageNode }> {
    const { namespace, name } = nameOf(node.object);
    const request = readRequest(node.object);
    const twice = `IPAllocation ${namespace}/${name} stands more than once in the package; nothing is taken for it`;
    const answer = isTwice(conditionType({ namespace, name }))
      ? refuse('request/invalid', twice, { field: 'metadata.name', value: name })
      : request.ok
        ? await refusals(() => backEnd.take({ ...request.value, owner }))
        : request;
    const of = { namespace, name, node };
    return answer.ok
      ? { ...of, outcome: 'given', granted: answer.value }
      : { ...of, outcome: 'failed', refusal: answer.refusal };
  }
}

async function releaseAll(
  { contents, kptfile, owner }: ReadPackage,
  { backEnd }: InjectionOptions,
): Promise<readonly Injected[]> {
  if (!owner.isKnown || contents.unreadable.length > 0) return [];
  return inGroups(goneFrom(contents, kptfile), async (of): Promise<Injected> => {
    const released = await refusals(() => backEnd.release({ ...of, owner }));
    return released.ok ? { ...of, outcome: 'released' } : { ...of, outcome: 'failed', refusal: released.refusal };
  });
}

function goneFrom({ nodes }: PackageContents, kptfile: PackageNode): readonly AllocationName[] {
  const present = new Set(nodes.filter(isAllocation).map(({ object }) => conditionType(nameOf(object))));
  return injectedBefore(kptfile.object).filter((each) => !present.has(conditionType(each)));
}

async function inGroups<T, R>(all: readonly T[], work: (each: T) => Promise<R>): Promise<readonly R[]> {
  const done: R[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    done.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map(work))));
  }
  return done;
}

async function refusals<V>(call: () => Promise<Outcome<V>>): Promise<Outcome<V>> {
  try {
    return await call();
  } catch (thrown) {
    if (!isIpamError(thrown)) throw thrown;
    return { ok: false, refusal: refusalOf(thrown) };
  }
}

function changedTexts(read: ReadPackage, results: readonly Injected[]): readonly PackageText[] {
  const { texts, kptfile, owner } = read;
  const edits = new Map<string, YamlEdit[]>();
  const add = (text: string, more: readonly YamlEdit[]): void => {
    edits.set(text, [...(edits.get(text) ?? []), ...more]);
  };
  for (const { node, granted } of results) if (node !== undefined) add(node.text, statusEdits(node, granted, owner));
  add(kptfile.text, [...idEdits(kptfile, owner), ...conditionEdits(kptfile, conditionsOf(read, results))]);
  return texts.flatMap((each) => {
    const next = edited(each, edits.get(each.path) ?? []);
    return next.text === each.text ? [] : [next];
  });
}

// What was given before stays in the status while a later run is refused; in a copy of a package it is that of another one.
function statusEdits(
  { document, at, object }: PackageNode,
  granted: Granted | undefined,
  { isKnown }: KnownPackage,
): readonly YamlEdit[] {
  if (granted === undefined && isKnown) return [];
  const before = mapOf(object['status']);
  const { prefix, gateway, parentPrefix } = granted ?? {};
  const wanted = Object.entries({ prefix, gateway, parentPrefix });
  const after = Object.fromEntries(
    Object.entries({ ...before, ...Object.fromEntries(wanted) }).filter(([, value]) => value !== undefined),
  );
  if (isDeepStrictEqual(before, after)) return [];
  const place = { document, at: [...at, 'status'] };
  if (Object.keys(after).length === 0) return [{ ...place, to: 'remove' }];
  if (Object.keys(before).length === 0) return [{ ...place, to: 'set', value: after }];
  return wanted.flatMap(([field, value]): readonly YamlEdit[] => {
    if (before[field] === value) return [];
    const member = { document, at: [...at, 'status', field] };
    return [value === undefined ? { ...member, to: 'remove' } : { ...member, to: 'set', value }];
  });
}

function conditionsOf(
  { contents, owner, kptfile }: ReadPackage,
  results: readonly Injected[],
): ReadonlyMap<string, InjectedCondition> {
  const wanted = results.flatMap((result): readonly (readonly [string, InjectedCondition])[] => {
    const condition = conditionFor(result);
    return condition === undefined ? [] : [[conditionType(result), condition]];
  });
  // what could not be looked for may still be there
  const kept = owner.isKnown && contents.unreadable.length > 0 ? goneFrom(contents, kptfile) : [];
  const unknown: InjectedCondition = {
    status: 'False',
    reason: 'ErrorDuringInjection',
    message: 'a file of the package cannot be read, so nothing was released',
  };
  return new Map([...wanted, ...kept.map((each) => [conditionType(each), unknown] as const)]);
}

function conditionFor({ outcome, refusal, node }: Injected): InjectedCondition | undefined {
  if (outcome === 'released') return undefined;
  if (refusal === undefined) return { status: 'True', reason: 'ResourceInjected', message: 'Injected IP allocation' };
  const isOfObject = node !== undefined && !readRequest(node.object).ok;
  const text = node === undefined ? `not released: ${refusal.message}` : refusal.message;
  const message = text.replaceAll(/\s+/gu, ' ').slice(0, MOST_CHARACTERS);
  return { status: 'False', reason: isOfObject ? 'ResourceSpecErr' : 'ErrorDuringInjection', message };
}
