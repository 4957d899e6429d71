import { PrefixSet } from '../../../addressing/prefix-set';
import { NAMESPACE_NAME_LABEL, type LabelSelector } from '../../../contract/label-selector';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { FIRST_CHOICE, objectsOf, readSpace, sourceOf, type ForeignPool } from './foreign-pool';
import { namespacesNamed } from './foreign-selectors';
import { endsOfPrefixes } from './left-out-addresses';

/** Name of the ConfigMap that kube-vip's cloud provider reads unless told otherwise. */
const CONFIG_MAP = 'kubevip';
/** In place of a namespace: all that have no pool of their own. */
const GLOBAL = 'global';
const POOL_KEY = /^(?:cidr|range)-(?<namespace>.+)$/u;

/**
 * Reads the pools of kube-vip's cloud provider, which are keys of a ConfigMap. Those of namespaces come before the global one, of which
 * they may be parts.
 *
 * @param objects - of all kinds
 * @returns the pools; they have no names of their own
 */
export function kubeVipPools(objects: readonly JsonMap[]): readonly ForeignPool[] {
  return objectsOf(objects, '', 'ConfigMap')
    .filter((each) => metadataOf(each)['name'] === CONFIG_MAP)
    .flatMap(poolsOf);
}

function poolsOf(object: JsonMap): readonly ForeignPool[] {
  const data = mapOf(object['data']);
  const found = Object.keys(data).map((key) => POOL_KEY.exec(key)?.groups?.['namespace'] ?? '');
  const names = [...new Set(found)].filter((name) => name !== '' && name !== GLOBAL).sort();
  const pools = names.map((name) => poolOf(object, name, namespacesNamed([name])));
  if (!found.includes(GLOBAL)) return pools;
  const others: LabelSelector = { matchExpressions: [{ key: NAMESPACE_NAME_LABEL, operator: 'NotIn', values: names }] };
  return [...pools, poolOf(object, GLOBAL, names.length === 0 ? undefined : others)];
}

function poolOf(object: JsonMap, namespace: string, namespaces: LabelSelector | undefined): ForeignPool {
  const data = mapOf(object['data']);
  const texts = ['cidr', 'range'].flatMap((kind) => blocksIn(textOf(data[`${kind}-${namespace}`])));
  const { space, notes } = readSpace(texts.filter((text) => !isDhcp(text)));
  return {
    source: `${sourceOf(object)} (${namespace})`,
    name: `kube-vip-${namespace}`,
    space,
    excluded: isTrue(data['skip-end-ips-in-cidr']) ? endsOfPrefixes(texts) : PrefixSet.EMPTY,
    serves: { ...(namespaces === undefined ? {} : { namespaces, priority: namespace === GLOBAL ? 0 : FIRST_CHOICE }) },
    notes: [
      ...notes,
      ...(texts.some(isDhcp) ? ['its addresses come from DHCP, which this operator does not ask'] : []),
      ...(data['search-order'] === 'desc' ? ['search-order desc: the lowest free address is given here'] : []),
      ...(isTrue(data[`allow-share-${namespace}`])
        ? [`allow-share-${namespace}: Services share by paas.org/sharing-key here`]
        : []),
    ],
  };
}

const blocksIn = (text: string): readonly string[] =>
  text.split(',').flatMap((each) => (each.trim() === '' ? [] : [each.trim()]));

const isDhcp = (text: string): boolean => text.startsWith('0.0.0.0');
const isTrue = (value: unknown): boolean => textOf(value) === 'true';
