import { PrefixSet } from '../../../addressing/prefix-set';
import { NAMESPACE_NAME_LABEL, type LabelExpression, type LabelSelector } from '../../../contract/label-selector';
import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { FIRST_CHOICE, objectsOf, readSpace, sourceOf, type ForeignPool } from './foreign-pool';
import { readSelector } from './foreign-selectors';
import { endsOfPrefixes } from './left-out-addresses';

/** Words that stand for labels in a selector of Cilium. */
const OF_SERVICE = { namespace: 'io.kubernetes.service.namespace', name: 'io.kubernetes.service.name' } as const;
/** Version of which releases differ in what an absent field means. */
const OLD_VERSION = 'cilium.io/v2alpha1';

/**
 * Reads the pools of Cilium's LB IPAM.
 *
 * @param objects - of all kinds
 * @returns the pools in their order
 */
export function ciliumPools(objects: readonly JsonMap[]): readonly ForeignPool[] {
  return objectsOf(objects, 'cilium.io', 'CiliumLoadBalancerIPPool').map(poolOf);
}

function poolOf(object: JsonMap): ForeignPool {
  const spec = mapOf(object['spec']);
  const blocks = [...listOf(spec['blocks']), ...listOf(spec['cidrs'])].filter(isMap);
  const cidrs = blocks.map((each) => textOf(each['cidr'])).filter((text) => text !== '');
  const ranges = blocks.flatMap(({ start, stop }) => rangeText(textOf(start), textOf(stop)));
  const { space, notes } = readSpace([...cidrs, ...ranges]);
  const ends = endsOf(object, cidrs);
  const { serves, notes: more } = servesOf(readSelector(spec['serviceSelector']));
  return {
    source: sourceOf(object),
    name: textOf(metadataOf(object)['name']),
    // an address at an end that another block has as well is given out
    space,
    excluded: ends.excluded.subtract(readSpace(ranges).space),
    serves: { ...serves, ...(spec['disabled'] === true ? { draining: true } : {}) },
    notes: [...notes, ...ends.notes, ...more],
  };
}

const rangeText = (start: string, stop: string): readonly string[] =>
  start === '' ? [] : [stop === '' ? start : `${start}-${stop}`];

function endsOf(object: JsonMap, cidrs: readonly string[]): Pick<ForeignPool, 'excluded' | 'notes'> {
  const allowed = textOf(mapOf(object['spec'])['allowFirstLastIPs']).toLowerCase();
  const isUnclear = allowed === '' && object['apiVersion'] === OLD_VERSION;
  if (allowed !== 'no' && !isUnclear) return { excluded: PrefixSet.EMPTY, notes: [] };
  const excluded = endsOfPrefixes(cidrs);
  const isTold = isUnclear && !excluded.isEmpty;
  return {
    excluded,
    notes: isTold
      ? [
          'allowFirstLastIPs is absent, and releases before 1.16 do not give the first and last address of a prefix; they are excluded, so take them out of spec.excludedIPs where yours does',
        ]
      : [],
  };
}

function servesOf(selector: LabelSelector | undefined): Pick<ForeignPool, 'serves' | 'notes'> {
  if (selector === undefined || isEmpty(selector)) return { serves: {}, notes: [] };
  const isOfNamespace = (key: string): boolean => key === OF_SERVICE.namespace;
  const namespaces = partOf(selector, isOfNamespace, NAMESPACE_NAME_LABEL);
  const services = partOf(selector, (key) => !isOfNamespace(key));
  const isByName = JSON.stringify(services).includes(OF_SERVICE.name);
  return {
    serves: {
      priority: FIRST_CHOICE,
      ...(isEmpty(namespaces) ? {} : { namespaces }),
      ...(isEmpty(services) ? {} : { services }),
    },
    notes: isByName
      ? [
          `serviceSelector: ${OF_SERVICE.name} is no label, so the IPGroup serves no Service by it; change spec.services, or give the Services this label`,
        ]
      : [],
  };
}

const isEmpty = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean =>
  Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;

// The parts of a selector that ask for some labels.
function partOf(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  isPart: (key: string) => boolean,
  renamed?: string,
): LabelSelector {
  const labels = Object.entries(matchLabels).filter(([key]) => isPart(key));
  const expressions = matchExpressions.filter(({ key }) => isPart(key));
  return {
    ...(labels.length === 0
      ? {}
      : { matchLabels: Object.fromEntries(labels.map(([key, value]) => [renamed ?? key, value])) }),
    ...(expressions.length === 0
      ? {}
      : { matchExpressions: expressions.map((each): LabelExpression => ({ ...each, key: renamed ?? each.key })) }),
  };
}
