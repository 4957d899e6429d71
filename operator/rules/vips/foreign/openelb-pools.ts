import { PrefixSet } from '../../../addressing/prefix-set';
import type { LabelSelector } from '../../../contract/label-selector';
import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { FIRST_CHOICE, objectsOf, readSpace, sourceOf, type ForeignPool } from './foreign-pool';
import { priorityOf } from './foreign-priority';
import { joinSelectors, namespacesNamed } from './foreign-selectors';
import { NAMED_EVERYWHERE } from './purelb-pools';

const DEFAULT_KEYS = ['eip.openelb.kubesphere.io/is-default-eip', 'eip.porter.kubesphere.io/is-default-eip'] as const;

/**
 * Reads the pools of OpenELB and of PorterLB, its former name.
 *
 * @param objects - of all kinds
 * @returns the pools in their order
 */
export function openElbPools(objects: readonly JsonMap[]): readonly ForeignPool[] {
  return objectsOf(objects, 'network.kubesphere.io', 'Eip', 'EIP').map(poolOf);
}

function poolOf(object: JsonMap): ForeignPool {
  const { name, annotations } = metadataOf(object);
  const spec = mapOf(object['spec']);
  const { space, notes } = readSpace([textOf(spec['address'])]);
  const isDefault = DEFAULT_KEYS.some((key) => mapOf(annotations)[key] === 'true');
  const { serves, notes: more } = isDefault ? { serves: {}, notes: [] } : servesOf(spec);
  return {
    source: sourceOf(object),
    name: textOf(name),
    space,
    excluded: PrefixSet.EMPTY,
    serves: { ...serves, ...(spec['disable'] === true ? { draining: true } : {}) },
    notes: [...notes, ...more],
  };
}

// Without a namespace, and not the default one, it serves those alone that name it.
function servesOf(spec: JsonMap): Pick<ForeignPool, 'serves' | 'notes'> {
  const names = listOf(spec['namespaces']).map(textOf);
  const labels = mapOf(spec['namespaceSelector']) as Readonly<Record<string, string>>;
  const alternatives: readonly LabelSelector[] = [
    ...(names.length === 0 ? [] : [namespacesNamed(names)]),
    ...(isMap(spec['namespaceSelector']) && Object.keys(labels).length > 0 ? [{ matchLabels: labels }] : []),
  ];
  const { selector, isNarrower } = joinSelectors(alternatives);
  if (selector === undefined) return { serves: { explicitOnly: true }, notes: [] };
  const { priority, notes } = priorityOf(spec['priority']);
  return {
    serves: { priority: priority ?? FIRST_CHOICE, namespaces: selector },
    notes: [...notes, NAMED_EVERYWHERE, ...(isNarrower ? [NARROWER] : [])],
  };
}

const NARROWER = 'namespaceSelector: an IPGroup has one selector, so only spec.namespaces is kept; widen it';
