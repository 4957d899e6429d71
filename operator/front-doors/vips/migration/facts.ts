import type { Address } from '../../../addressing/address';
import { ipName } from '../../../contract/kinds/ip';
import { readVirtualIp, VIRTUAL_IP, VIRTUAL_IP_STATES, type VirtualIpView } from '../../../contract/kinds/virtual-ip';
import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { ADDRESS_ALLOCATED } from '../../../contract/paas';
import { LOAD_BALANCER } from '../../../contract/service';
import { addressIn } from '../../../contract/shown-addresses';
import type { ObjectKey } from '../../../ports/object-feed';
import type { ExposedService, MigrationFacts } from '../../../rules/vips/migration/types';
import { holderIn } from './ip-object';
import type { MigrationParts } from './migration-parts';

/** Everything that is stored about one VirtualIP now. */
export interface Gathered {
  readonly facts: MigrationFacts;
  readonly objects: {
    readonly virtualIp: JsonMap;
    readonly service: JsonMap | undefined;
    readonly clone: JsonMap | undefined;
    readonly ip: JsonMap | undefined;
  };
}

/**
 * Reads everything that decides about one VirtualIP, without a cache.
 *
 * @param parts - writers, groups
 * @param key - of the VirtualIP
 * @returns facts and objects; undefined where it is gone
 * @throws IpamError `cluster/unavailable`
 */
export async function gather(parts: MigrationParts, key: ObjectKey): Promise<Gathered | undefined> {
  const { object: raw } = await parts.virtualIpWriter.read(key);
  const virtualIp = readVirtualIp(raw);
  if (raw === undefined || virtualIp?.uid !== key.uid) return undefined;
  const objects = { virtualIp: raw, ...(await around(parts, virtualIp)) };
  return { facts: await factsOf(parts, virtualIp, objects), objects };
}

async function around(
  parts: MigrationParts,
  virtualIp: VirtualIpView,
): Promise<Omit<Gathered['objects'], 'virtualIp'>> {
  const { namespace, service: name, clone: copy, address } = virtualIp;
  const [service, clone, ip] = await Promise.all([
    storedService(parts, { namespace, name }),
    storedService(parts, { namespace, name: copy }),
    address === undefined ? undefined : storedIp(parts, address),
  ]);
  return { service, clone: clone !== undefined && isCopyOf(clone, virtualIp) ? clone : undefined, ip };
}

async function factsOf(
  parts: MigrationParts,
  virtualIp: VirtualIpView,
  { service, clone, ip }: Gathered['objects'],
): Promise<MigrationFacts> {
  const { address, service: name } = virtualIp;
  const recorded = service === undefined ? undefined : { name, uid: textOf(metadataOf(service)['uid']) };
  return {
    virtualIp,
    service: service === undefined ? undefined : exposed(service, address),
    clone: clone === undefined ? 'none' : isDying(clone) ? 'dying' : 'stored',
    holder: holderIn(ip, virtualIp, recorded),
    group: address === undefined ? undefined : parts.groupAt(address),
    rival: await rivalOf(parts, virtualIp),
    obstacle: service === undefined ? undefined : await obstacleOf(parts, virtualIp, service),
  };
}

async function storedService(
  { serviceWriter }: MigrationParts,
  name: { readonly namespace: string; readonly name: string },
): Promise<JsonMap | undefined> {
  if (name.name === '') return undefined;
  return (await serviceWriter.read(name)).object;
}

async function storedIp({ ipWriter }: MigrationParts, address: Address): Promise<JsonMap | undefined> {
  return (await ipWriter.read({ namespace: '', name: ipName(address) })).object;
}

const isDying = (object: JsonMap): boolean => metadataOf(object)['deletionTimestamp'] !== undefined;

// A Service of that name which no VirtualIP owns is none of the older operator.
function isCopyOf(service: JsonMap, { name }: VirtualIpView): boolean {
  const owners = listOf(metadataOf(service)['ownerReferences']).filter(isMap);
  return owners.some(({ kind, name: owner }) => kind === VIRTUAL_IP.kind && owner === name);
}

function exposed(service: JsonMap, address: Address | undefined): ExposedService {
  const spec = mapOf(service['spec']);
  const status = mapOf(service['status']);
  const ingress = listOf(mapOf(status['loadBalancer'])['ingress']).filter(isMap);
  const condition = listOf(status['conditions']).find((each) => isMap(each) && each['type'] === ADDRESS_ALLOCATED);
  const waitsFor = isMap(condition) && condition['status'] === 'False' ? textOf(condition['message']) : '';
  return {
    isLoadBalancer: spec['type'] === LOAD_BALANCER,
    isDying: isDying(service),
    hasIngress: ingress.length > 0,
    shown: ingress.flatMap((entry) => addressIn(entry['ip'])),
    isAddressRequested: addressIn(spec['loadBalancerIP']).some((each) => address?.equals(each) === true),
    ...(waitsFor === '' ? {} : { waitsFor }),
  };
}

// Read anew, since the watch may not know yet which of two was ordered first.
async function rivalOf(parts: MigrationParts, own: VirtualIpView): Promise<string | undefined> {
  const { namespace, service, uid } = own;
  const others = parts.virtualIps
    .touching(namespace, service)
    .filter((each) => each.uid !== uid && each.service === service);
  for (const other of others) {
    const { object } = await parts.virtualIpWriter.read(other);
    const view = readVirtualIp(object);
    if (view === undefined || view.order !== 'migrate') continue;
    if (isUnderWay(view) || (!isUnderWay(own) && ageOf(view) < ageOf(own))) return view.name;
  }
  return undefined;
}

// names tell two of one second apart
const ageOf = ({ createdAt, name }: VirtualIpView): string => `${createdAt} ${name}`;

/** States in which nothing was changed yet. */
const BEFORE: readonly string[] = [VIRTUAL_IP_STATES.valid, VIRTUAL_IP_STATES.preparing];

function isUnderWay({ state, resumeAt }: VirtualIpView): boolean {
  const at = state === VIRTUAL_IP_STATES.error ? resumeAt : state;
  return at !== '' && !BEFORE.includes(at);
}

/**
 * Makes the Service that a migration leads to.
 *
 * @param parts - class of the Services
 * @param virtualIp - whose address it gets
 * @param service - as it is stored
 * @returns the whole object
 */
export function converted(
  { settings }: Pick<MigrationParts, 'settings'>,
  { address }: VirtualIpView,
  service: JsonMap,
): JsonMap {
  const { loadBalancerClass } = settings;
  return {
    ...service,
    spec: {
      ...mapOf(service['spec']),
      type: LOAD_BALANCER,
      loadBalancerIP: String(address),
      ...(loadBalancerClass === undefined ? {} : { loadBalancerClass }),
    },
  };
}

/** Types of Services that can become load balancers. */
const CONVERTIBLE: readonly unknown[] = ['ClusterIP', 'NodePort'];

// Whatever the cluster holds against the new type (quotas, policies) is found out before anything is changed.
async function obstacleOf(
  parts: MigrationParts,
  virtualIp: VirtualIpView,
  service: JsonMap,
): Promise<string | undefined> {
  const { type, clusterIP } = mapOf(service['spec']);
  const whole = `Service ${virtualIp.namespace}/${virtualIp.service}`;
  if (type === LOAD_BALANCER || isDying(service)) return undefined;
  if (parts.settings.excludedNamespaces.includes(virtualIp.namespace))
    return `no Service of namespace ${virtualIp.namespace} is served, since it is left out`;
  if (!CONVERTIBLE.includes(type) || clusterIP === 'None')
    return `${whole} is ${clusterIP === 'None' ? 'headless' : `of type ${String(type)}`} and cannot become one of type LoadBalancer`;
  if (!needsLook(virtualIp)) return undefined;
  const outcome = await parts.serviceWriter.replace(converted(parts, virtualIp, service), { isDryRun: true });
  if (outcome.ok || outcome.refusal.code !== 'cluster/refused') return undefined;
  return `the cluster refuses the new type: ${outcome.refusal.message}`;
}

function needsLook({ order, state, resumeAt }: VirtualIpView): boolean {
  const { preparing, converting, error } = VIRTUAL_IP_STATES;
  const at = state === error ? resumeAt : state;
  return order === 'dry-run' || [preparing, converting, ''].includes(at);
}
