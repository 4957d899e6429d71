import { parseAddress, type Address, type Family } from '../addressing/address';
import type { Annotations } from './service-annotations';
import { isMap, listOf, textOf, type JsonMap } from './loose-json';

/** The type of Service that has addresses from outside. */
export const LOAD_BALANCER = 'LoadBalancer';

/** Path of the field of a Service that asks for one address. */
export const LOAD_BALANCER_IP = 'spec.loadBalancerIP';

/** Family policies of a Service. */
export type IpFamilyPolicy = 'SingleStack' | 'PreferDualStack' | 'RequireDualStack';

/** The part of a core/v1 Service that the doors look at, read once from what the API server sent. */
export interface ServiceView {
  readonly namespace: string;
  /** Empty while the API server has not made it from `generateName`. */
  readonly name: string;
  readonly generateName: string;
  /** Empty until the object is stored. */
  readonly uid: string;
  /** True when it has a deletion timestamp. */
  readonly dying: boolean;
  /** False when the map is absent or null, so that a patch must make it. */
  readonly hasAnnotations: boolean;
  readonly annotations: Annotations;
  readonly type: string;
  readonly loadBalancerClass?: string;
  readonly loadBalancerIP?: string;
  /** Addresses whose traffic it claims beside its own, in their order; absent: none. */
  readonly externalIPs?: readonly Address[];
  /** As written; the first one is the primary family. */
  readonly ipFamilies: readonly Family[];
  readonly ipFamilyPolicy?: IpFamilyPolicy;
  /** Families of the cluster IPs that the object names, the primary one first. */
  readonly clusterIpFamilies: readonly Family[];
  /** `port/protocol`, for example `53/UDP`. */
  readonly ports: readonly string[];
  readonly trafficPolicy: 'Cluster' | 'Local';
  /** Canonical text of the pod selector. */
  readonly selector: string;
}

const POLICIES: readonly string[] = ['SingleStack', 'PreferDualStack', 'RequireDualStack'] satisfies IpFamilyPolicy[];

/**
 * Reads a Service out of an admission review or a manifest. Lenient, since admission runs before the API server
 * validates: what has the wrong type counts as absent, and the API server refuses it later.
 *
 * @param value - the object
 * @returns the view; undefined when it has no metadata, so that nothing can be said of it
 */
export function readService(value: unknown): ServiceView | undefined {
  if (!isMap(value) || !isMap(value['metadata'])) return undefined;
  const metadata = value['metadata'];
  const spec = isMap(value['spec']) ? value['spec'] : {};
  return { ...readMetadata(metadata), ...readSpec(spec) };
}

function readMetadata(
  metadata: JsonMap,
): Pick<ServiceView, 'namespace' | 'name' | 'generateName' | 'uid' | 'dying' | 'hasAnnotations' | 'annotations'> {
  const annotations = metadata['annotations'];
  return {
    namespace: textOf(metadata['namespace']),
    name: textOf(metadata['name']),
    generateName: textOf(metadata['generateName']),
    uid: textOf(metadata['uid']),
    dying: textOf(metadata['deletionTimestamp']) !== '',
    hasAnnotations: isMap(annotations),
    annotations: textMap(annotations),
  };
}

function readSpec(spec: JsonMap): Omit<ServiceView, keyof ReturnType<typeof readMetadata>> {
  const loadBalancerClass = textOf(spec['loadBalancerClass']);
  const loadBalancerIP = textOf(spec['loadBalancerIP']);
  const policy = textOf(spec['ipFamilyPolicy']);
  const externalIPs = addressesOf(spec['externalIPs']);
  // fields that are always there come first: after a spread, each costs several times as much
  return {
    type: textOf(spec['type']),
    ipFamilies: familiesOf(spec['ipFamilies']),
    clusterIpFamilies: clusterIpFamilies(spec),
    ports: portsOf(spec['ports']),
    trafficPolicy: spec['externalTrafficPolicy'] === 'Local' ? 'Local' : 'Cluster',
    selector: selectorText(spec['selector']),
    ...(loadBalancerClass === '' ? {} : { loadBalancerClass }),
    ...(loadBalancerIP === '' ? {} : { loadBalancerIP }),
    ...(externalIPs.length === 0 ? {} : { externalIPs }),
    ...(POLICIES.includes(policy) ? { ipFamilyPolicy: policy as IpFamilyPolicy } : {}),
  };
}

function textMap(value: unknown): Annotations {
  if (!isMap(value)) return {};
  if (holdsTextsOnly(value)) return value;
  const texts = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(texts);
}

// nearly always true, and then no copy is due
function holdsTextsOnly(map: JsonMap): map is Annotations {
  for (const key in map) if (typeof map[key] !== 'string') return false;
  return true;
}

function familiesOf(value: unknown): readonly Family[] {
  return listOf(value).flatMap((entry): Family[] => (entry === 'IPv4' ? [4] : entry === 'IPv6' ? [6] : []));
}

function addressesOf(value: unknown): readonly Address[] {
  return listOf(value).flatMap((entry) => {
    const parsed = parseAddress(textOf(entry));
    return parsed.ok ? [parsed.value] : [];
  });
}

function clusterIpFamilies(spec: JsonMap): readonly Family[] {
  const listed = listOf(spec['clusterIPs']).map(textOf);
  const texts = listed.length > 0 ? listed : [textOf(spec['clusterIP'])];
  return texts.flatMap((text): Family[] => {
    // a new object names none; to refuse a text in words costs more than all the rest here
    if (text === '' || text === 'None') return [];
    const parsed = parseAddress(text);
    return parsed.ok ? [parsed.value.family] : [];
  });
}

function portsOf(value: unknown): readonly string[] {
  return listOf(value)
    .filter(isMap)
    .filter((port) => typeof port['port'] === 'number')
    .map((port) => `${String(port['port'])}/${textOf(port['protocol']) || 'TCP'}`);
}

function selectorText(value: unknown): string {
  return Object.entries(textMap(value))
    .map(([key, text]) => `${key}=${text}`)
    .sort()
    .join(',');
}
