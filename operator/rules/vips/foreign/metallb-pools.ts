import { PrefixSet } from '../../../addressing/prefix-set';
import { FIELD_MANAGER, MANAGED_BY, METALLB_GROUP } from '../../../contract/group';
import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { FIRST_CHOICE, objectsOf, readSpace, sourceOf, type ForeignPool } from './foreign-pool';
import { joinSelectors, namespacesNamed, readSelector } from './foreign-selectors';
import { buggyAddresses } from './left-out-addresses';
import { priorityOf } from './foreign-priority';

/**
 * Reads the pools of MetalLB: IPAddressPools, and the AddressPools of its older releases.
 *
 * @param objects - of all kinds
 * @returns the pools in their order
 */
export function metalLbPools(objects: readonly JsonMap[]): readonly ForeignPool[] {
  return objectsOf(objects, METALLB_GROUP, 'IPAddressPool', 'AddressPool').map((object) =>
    isOfZone(object) ? zonePool(object) : poolOf(object),
  );
}

// The label that zone pools have, by whichever of the two they are written: our manifests or the operator.
function isOfZone(object: JsonMap): boolean {
  const manager = mapOf(metadataOf(object)['labels'])[MANAGED_BY.label];
  return manager === MANAGED_BY.manifests || manager === FIELD_MANAGER;
}

function zonePool(object: JsonMap): ForeignPool {
  const { space } = readSpace(listOf(mapOf(object['spec'])['addresses']).map(textOf));
  return {
    source: sourceOf(object),
    name: textOf(metadataOf(object)['name']),
    space,
    excluded: PrefixSet.EMPTY,
    serves: {},
    notes: ['it is the pool of a zone of this operator, and stays with its Services at the Services door'],
    isOfZone: true,
  };
}

function poolOf(object: JsonMap): ForeignPool {
  const spec = mapOf(object['spec']);
  const { space, notes } = readSpace(listOf(spec['addresses']).map(textOf));
  const buggy = spec['avoidBuggyIPs'] === true ? buggyAddresses(space) : PrefixSet.EMPTY;
  const { serves, notes: more } = servesOf(spec['serviceAllocation']);
  return {
    source: sourceOf(object),
    name: textOf(metadataOf(object)['name']),
    space,
    excluded: buggy ?? PrefixSet.EMPTY,
    serves: { ...serves, ...(spec['autoAssign'] === false ? { explicitOnly: true } : {}) },
    notes: [
      ...notes,
      ...more,
      ...(buggy === undefined
        ? [
            'avoidBuggyIPs: the addresses that end in .0 and .255 are more than an IPGroup can exclude, and may be given out',
          ]
        : []),
    ],
  };
}

// Pools for some Services come before those for all; of these the one with the lowest number.
function servesOf(allocation: unknown): Pick<ForeignPool, 'serves' | 'notes'> {
  if (!isMap(allocation)) return { serves: {}, notes: [] };
  const names = listOf(allocation['namespaces']).map(textOf);
  const selectors = (field: string) => listOf(allocation[field]).flatMap((each) => readSelector(each) ?? []);
  const namespaces = joinSelectors([
    ...(names.length === 0 ? [] : [namespacesNamed(names)]),
    ...selectors('namespaceSelectors'),
  ]);
  const services = joinSelectors(selectors('serviceSelectors'));
  const { priority, notes } = priorityOf(allocation['priority']);
  return {
    serves: {
      priority: priority ?? FIRST_CHOICE,
      ...(namespaces.selector === undefined ? {} : { namespaces: namespaces.selector }),
      ...(services.selector === undefined ? {} : { services: services.selector }),
    },
    notes: [
      ...notes,
      ...(namespaces.isNarrower ? [narrower('namespaces', 'namespaceSelectors')] : []),
      ...(services.isNarrower ? [narrower('services', 'serviceSelectors')] : []),
    ],
  };
}

const narrower = (field: string, of: string): string =>
  `serviceAllocation.${of}: an IPGroup has one selector, so only the first is kept; widen spec.${field}`;
