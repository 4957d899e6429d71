import { parseAddress, type Address } from '../../../addressing/address';
import type { PrefixSet } from '../../../addressing/prefix-set';
import { groupLabel } from '../../../contract/kinds/ip-group';
import { IP, ipName, ipProblems, MAX_HOLDERS } from '../../../contract/kinds/ip';
import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { IP_KEYS } from '../../../contract/paas';
import { LOAD_BALANCER, readService, type ServiceView } from '../../../contract/service';
import { SERVICE } from '../../../contract/service-identity';
import type { ForeignLoadBalancer } from '../../../contract/foreign-load-balancers';
import { termsOf, whyNotJoined } from '../join';
import { nameOf } from '../refusals';
import { readVipWish } from '../wish';
import type { ImportedGroup } from './group-of-pool';
import { unmetWish } from './unmet-wishes';

/** A moment as the API server writes it. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/u;

/** IPs made of what Services show. */
export interface ImportedIps {
  readonly ips: readonly JsonMap[];
  /** Sentences on what is shown and not taken over. */
  readonly notes: readonly string[];
  /** Classes of the holders, each once. */
  readonly classes: readonly string[];
}

/** A Service that shows addresses. */
interface AnnouncingService {
  readonly view: ServiceView;
  /** When it was made, RFC 3339. */
  readonly since: string;
  readonly shown: readonly string[];
}

/** Facts that the IPs are made from. */
export interface Assigning {
  readonly groups: readonly ImportedGroup[];
  /** Addresses that stay with the Services door. */
  readonly ofZones: PrefixSet;
  /** Load balancer whose annotations tell sharing keys. */
  readonly from: ForeignLoadBalancer;
  /** Moment of the import, RFC 3339. */
  readonly now: string;
}

/**
 * Makes an IP of each address that Services show and a group has, with the Services as its holders, so that the VIPs door goes on
 * where the other load balancer stopped.
 *
 * @param objects - of all kinds
 * @param assigning - groups, and how to read sharing keys
 * @returns the IPs in the order of their addresses
 */
export function ipsOfServices(objects: readonly JsonMap[], assigning: Assigning): ImportedIps {
  const notes: string[] = [];
  const holders = new Map<
    string,
    { readonly address: Address; readonly group: string; readonly all: AnnouncingService[] }
  >();
  for (const service of announcingServices(objects, assigning.now)) {
    const several = severalOf(service);
    if (several !== undefined) notes.push(`Service ${nameOf(service.view)}: ${several}`);
    for (const text of service.shown) {
      const at = placeOf(text, service, assigning);
      if (at === undefined) continue;
      if (typeof at === 'string') {
        notes.push(`Service ${nameOf(service.view)}: ${at}`);
        continue;
      }
      const unmet = unmetWish(service.view, at, assigning.from);
      if (unmet !== undefined) notes.push(`Service ${nameOf(service.view)}: ${unmet}`);
      const known = holders.get(ipName(at.address)) ?? { ...at, all: [] };
      known.all.push(service);
      holders.set(ipName(at.address), known);
    }
  }
  const sorted = [...holders.values()].sort((a, b) => a.address.compareTo(b.address));
  const made = sorted.map((each) => ipOf(each, assigning));
  const classes = sorted.flatMap(({ all }) => all.flatMap(({ view }) => view.loadBalancerClass ?? []));
  return {
    ips: made.map(({ ip }) => ip),
    notes: [...notes, ...made.flatMap((each) => each.notes)],
    classes: [...new Set(classes)].sort(),
  };
}

function announcingServices(objects: readonly JsonMap[], now: string): readonly AnnouncingService[] {
  const announcing = objects.flatMap((object): readonly AnnouncingService[] => {
    const isService = object['kind'] === SERVICE.kind && object['apiVersion'] === SERVICE.apiVersion;
    const view = isService ? readService(object) : undefined;
    if (view?.type !== LOAD_BALANCER) return [];
    const made = textOf(metadataOf(object)['creationTimestamp']);
    const ingress = listOf(mapOf(mapOf(object['status'])['loadBalancer'])['ingress']).filter(isMap);
    const shown = ingress.map(({ ip, hostname }) => textOf(ip) || textOf(hostname));
    return [{ view, since: INSTANT.test(made) ? made : now, shown }];
  });
  // the longest holder is the first one
  return [...announcing].sort((a, b) => compare(a.since, b.since) || compare(nameOf(a.view), nameOf(b.view)));
}

// One that shows more than the door gives would lose an address.
function severalOf({ shown }: AnnouncingService): string | undefined {
  const addresses = shown.flatMap((text) => {
    const parsed = parseAddress(text);
    return parsed.ok ? [parsed.value] : [];
  });
  const families = new Set(addresses.map(({ family }) => family));
  if (families.size === addresses.length) return undefined;
  return `it shows ${addresses.join(', ')}, and keeps one address of each family here; make a Service for each before the door is on`;
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

// The group of a shown address, or half a sentence why there is none; undefined for an address of a zone.
function placeOf(text: string, { view }: AnnouncingService, { groups, ofZones }: Assigning) {
  const parsed = parseAddress(text);
  if (!parsed.ok) return `it shows ${text}, which is no address`;
  const address = parsed.value;
  if (ofZones.contains(address)) return undefined;
  const group = groups.find(({ space }) => space.contains(address))?.name;
  if (group === undefined) return `it shows ${text}, which lies in no pool`;
  if (view.uid === '' || view.namespace === '')
    return `it shows ${text}, and has no metadata.uid; give the objects as "kubectl get -A -o json" writes them`;
  return { address, group };
}

function ipOf(
  {
    address,
    group,
    all,
  }: { readonly address: Address; readonly group: string; readonly all: readonly AnnouncingService[] },
  { from }: Assigning,
): { readonly ip: JsonMap; readonly notes: readonly string[] } {
  const holders = all.slice(0, MAX_HOLDERS).map((each) => holderOf(each, from));
  const [oldest] = holders;
  const { id: _id, since: _since, apiVersion: _version, sharing: _sharing, ...owner } = oldest ?? {};
  const ip = {
    apiVersion: `${IP.group}/${IP.version}`,
    kind: IP.kind,
    metadata: {
      name: ipName(address),
      labels: { [IP_KEYS.group]: groupLabel(group) },
      annotations: { [IP_KEYS.owner]: `${textOf(oldest?.['namespace'])}/${textOf(oldest?.['name'])}` },
    },
    spec: { address: address.toString(), ipGroup: group, owner, state: 'bound', holders },
  };
  const tell = (text: string): string => `${address.toString()}: ${text}`;
  const problems = ipProblems(ip).map(({ message }) => tell(`the API server would refuse its IP: ${message}`));
  return { ip, notes: [...problems, ...notesOn(all, from).map(tell)] };
}

function holderOf({ view, since }: AnnouncingService, from: ForeignLoadBalancer): JsonMap {
  const { namespace, name, uid } = view;
  const { key, ports, trafficPolicy, selector } = sharedTerms(view, from);
  const sharing = key === '' ? {} : { sharing: { key, ports: [...ports], trafficPolicy, selector } };
  return { id: uid, since, ...SERVICE, namespace, name, uid, ...sharing };
}

function sharedTerms(view: ServiceView, from: ForeignLoadBalancer) {
  const wish = readVipWish(view, [from]);
  return termsOf(view, wish.ok ? wish.sharingKey : '');
}

function notesOn(all: readonly AnnouncingService[], from: ForeignLoadBalancer): readonly string[] {
  const sharers = all.map(({ view }) => ({ owner: view, terms: sharedTerms(view, from) }));
  const broken = sharers.flatMap((each, index) => {
    const why = whyNotJoined(each, sharers.slice(0, index));
    return why === undefined ? [] : [`${nameOf(each.owner)} keeps it, and its condition will be False: ${why}`];
  });
  const left = all.slice(MAX_HOLDERS).map(({ view }) => nameOf(view));
  return [
    ...broken,
    ...(left.length === 0 ? [] : [`an IP has ${String(MAX_HOLDERS)} holders; left out: ${left.join(', ')}`]),
  ];
}
