import { NEPHIO_GROUP } from '../../contract/nephio';
import { IP_ALLOCATION, ipAllocationProblems } from '../../contract/kinds/ip-allocation';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { OBJECT_NAME } from '../../contract/object-name';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { readAllocation } from '../../rules/networks';
import type { AllocationName, InjectionRequest } from './back-ends/back-end';
import type { PackageNode } from './package-nodes';

/** Namespace of an object of a package that names none. */
const DEFAULT_NAMESPACE = 'default';
const API_VERSION = `${NEPHIO_GROUP}/${IP_ALLOCATION.version}`;

/**
 * Tells an IPAllocation from other objects of a package.
 *
 * @param node - of the package
 * @returns true for an IPAllocation of the version that is served
 */
export function isAllocation({ object }: PackageNode): boolean {
  return object['apiVersion'] === API_VERSION && object['kind'] === IP_ALLOCATION.kind;
}

/**
 * Reads the name of an object of a package.
 *
 * @param object - as it stands in the package
 * @returns its namespace, `default` where it names none, and its name
 */
export function nameOf(object: JsonMap): AllocationName {
  const { namespace, name } = metadataOf(object);
  return { namespace: textOf(namespace) || DEFAULT_NAMESPACE, name: textOf(name) };
}

/**
 * Reads what an IPAllocation asks for, whatever stands in its status.
 *
 * @param object - as it stands in the package
 * @returns the request; or the first thing that the API server or the operator would refuse
 */
export function readRequest(object: JsonMap): Outcome<Omit<InjectionRequest, 'owner'>> {
  const { namespace, name } = nameOf(object);
  const wrong = wrongName({ namespace, name });
  if (wrong !== undefined) return wrong;
  const labels = textsIn(metadataOf(object)['labels']);
  const spec = { kind: 'network', ...mapOf(object['spec']) };
  const whole = { apiVersion: API_VERSION, kind: IP_ALLOCATION.kind, metadata: { namespace, name, labels }, spec };
  const [problem] = ipAllocationProblems(whole);
  if (problem !== undefined) return { ok: false, refusal: problem };
  const read = readAllocation(whole);
  return read.ok ? accept({ namespace, name, labels, spec }) : read;
}

function wrongName({ namespace, name }: AllocationName): Outcome<never> | undefined {
  // a namespace has no dot, by which conditions tell it from the name
  const isNamespace = OBJECT_NAME.test(namespace) && !namespace.includes('.');
  if (isNamespace && OBJECT_NAME.test(name)) return undefined;
  const [field, value] = isNamespace ? ['metadata.name', name] : ['metadata.namespace', namespace];
  return refuse('request/invalid', `${field} "${value}" is not the name of an object`, { field, value });
}

function textsIn(labels: unknown): Readonly<Record<string, string>> {
  const texts = Object.entries(mapOf(labels)).filter((each): each is [string, string] => typeof each[1] === 'string');
  return Object.fromEntries(texts);
}
