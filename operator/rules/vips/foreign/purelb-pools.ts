import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { FIRST_CHOICE, NO_SPACE, objectsOf, readSpace, sourceOf, type ForeignPool } from './foreign-pool';
import { namespacesNamed } from './foreign-selectors';

/** Group of Services that name none. */
const DEFAULT_GROUP = 'default';
/** Members of a ServiceGroup whose addresses come from elsewhere. */
const ELSEWHERE = ['netbox', 'external', 'acnodal'] as const;

/**
 * Reads the pools of PureLB, of both versions of its ServiceGroup.
 *
 * @param objects - of all kinds
 * @returns the pools in their order
 */
export function pureLbPools(objects: readonly JsonMap[]): readonly ForeignPool[] {
  return objectsOf(objects, 'purelb.io', 'ServiceGroup').map(poolOf);
}

function poolOf(object: JsonMap): ForeignPool {
  const spec = mapOf(object['spec']);
  const name = textOf(metadataOf(object)['name']);
  const elsewhere = ELSEWHERE.find((each) => isMap(spec[each]));
  if (elsewhere !== undefined)
    return {
      source: sourceOf(object),
      name,
      ...NO_SPACE,
      serves: {},
      notes: [`spec.${elsewhere}: its addresses are not in the object`],
    };
  const member = isMap(spec['local']) ? spec['local'] : mapOf(spec['remote']);
  const { space, notes } = readSpace(rangesOf(member));
  const { serves, notes: more } = servesOf(name, spec);
  return {
    source: sourceOf(object),
    name,
    space,
    excluded: NO_SPACE.excluded,
    serves,
    notes: [...notes, ...more, ...(member['multiPool'] === true ? [MANY] : [])],
  };
}

const MANY = 'multiPool: a Service has one address of each family here, and not one of each range';

function rangesOf(member: JsonMap): readonly string[] {
  const lists = [...listOf(member['v4pools']), ...listOf(member['v6pools'])];
  const pools = [member, member['v4pool'], member['v6pool'], ...lists].filter(isMap);
  return pools.map(({ pool }) => textOf(pool)).filter((text) => text !== '');
}

function servesOf(name: string, spec: JsonMap): Pick<ForeignPool, 'serves' | 'notes'> {
  const listed = listOf(spec['namespaces']).map(textOf);
  if (listed.length > 0)
    return {
      serves: {
        priority: spec['namespaceDefault'] === true ? FIRST_CHOICE + 1 : FIRST_CHOICE,
        namespaces: namespacesNamed(listed),
      },
      notes: spec['enforceNamespaces'] === true ? [] : [NAMED_EVERYWHERE],
    };
  return { serves: name === DEFAULT_GROUP ? {} : { explicitOnly: true }, notes: [] };
}

/** Note on a pool whose list of namespaces was no limit. */
export const NAMED_EVERYWHERE =
  'Services of every namespace could name it, and the IPGroup serves those of spec.namespaces alone; take that out where others do';
