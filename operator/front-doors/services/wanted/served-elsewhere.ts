import { isDeepStrictEqual } from 'node:util';

import { ADDRESS_READY, IPAM_PREFIX } from '../../../contract/group';
import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';

/** Fields of a spec that the API server puts back where a PUT leaves them out. */
const RESTORED: readonly string[] = [
  'allocateLoadBalancerNodePorts',
  'clusterIP',
  'clusterIPs',
  'externalTrafficPolicy',
  'healthCheckNodePort',
  'internalTrafficPolicy',
  'ipFamilies',
  'ipFamilyPolicy',
  'sessionAffinity',
  'type',
];

/**
 * Tells whether a stored Service shows an address that we did not give: its status has one, and our condition is not there. Whether the
 * Service asks us for something, or holds a claim all the same, is for the caller to say.
 *
 * @param stored - the object, as the API server has it
 * @returns true where a load balancer serves it without us
 */
export function isServedElsewhere({ status }: JsonMap): boolean {
  const { loadBalancer, conditions } = mapOf(status) as {
    readonly loadBalancer?: unknown;
    readonly conditions?: unknown;
  };
  const ingress = listOf(mapOf(loadBalancer)['ingress']).filter(isMap);
  const shows = ingress.some((entry) => textOf(entry['ip']) !== '' || textOf(entry['hostname']) !== '');
  return shows && !listOf(conditions).some((each) => isMap(each) && each['type'] === ADDRESS_READY);
}

/**
 * Tells whether an UPDATE touches the spec of a Service or one of our keys. What the API server fills in again is not touched by
 * leaving it out.
 *
 * @param object - the new object
 * @param oldObject - as it is stored
 * @returns true where one of these values differs
 */
export function touchesSpecOrKeys(object: JsonMap, oldObject: JsonMap): boolean {
  return (
    touchesSpec(mapOf(object['spec']), mapOf(oldObject['spec'])) ||
    !isDeepStrictEqual(ourKeys(object), ourKeys(oldObject))
  );
}

function touchesSpec(spec: JsonMap, before: JsonMap): boolean {
  const names = new Set([...Object.keys(spec), ...Object.keys(before)]);
  return [...names].some((name) => {
    if (spec[name] === undefined && RESTORED.includes(name)) return false;
    if (name === 'ports') return !isDeepStrictEqual(portsOf(spec, before), portsOf(before, before));
    return !isDeepStrictEqual(spec[name], before[name]);
  });
}

// A PUT may leave the node ports out; then they are as stored.
function portsOf({ ports }: JsonMap, before: JsonMap): readonly unknown[] {
  const stored = listOf(before['ports']).filter(isMap);
  return listOf(ports).map((port, i) => {
    if (!isMap(port) || port['nodePort'] !== undefined) return port;
    const nodePort = stored[i]?.['nodePort'];
    return nodePort === undefined ? port : { ...port, nodePort };
  });
}

function ourKeys(object: JsonMap): Readonly<Record<string, unknown>> {
  const annotations = Object.entries(mapOf(metadataOf(object)['annotations']));
  return Object.fromEntries(annotations.filter(([key]) => key.startsWith(IPAM_PREFIX)));
}
