import { parseAddressWithMask, type Prefix } from '../../../addressing/prefix';
import { jsonOf, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { NODE_HOST_CIDRS } from '../../../contract/shown-addresses';

/** Annotation of a node in a cloud: its interface, subnets, and how many addresses it can carry. */
const CLOUD_CONFIG = 'cloud.network.openshift.io/egress-ipconfig';
/** Annotation of a node that OVN-Kubernetes prepared: address and subnet of its primary interface. */
export const PRIMARY_ADDRESS = 'k8s.ovn.org/node-primary-ifaddr';

/** What OVN-Kubernetes can do with a node. */
interface NodeFacts {
  /** Subnets in which it can have addresses. */
  readonly subnets: readonly Prefix[];
  /** Absent where there is no limit. */
  readonly capacity?: number;
}

/** Facts of a node, or why it carries nothing. */
type ReadFacts =
  { readonly ok: true; readonly facts: NodeFacts } | { readonly ok: false; /** One sentence. */ readonly why: string };

/**
 * Reads what a node can carry.
 *
 * @param node - as the API server has it
 * @param isCloud - whether a cloud has to attach each address to the machine
 * @returns its subnets and capacity; or the annotation that is missing or malformed
 */
export function nodeFacts(node: JsonMap, isCloud: boolean): ReadFacts {
  return isCloud ? cloudFacts(node) : hostFacts(node);
}

function hostFacts(node: JsonMap): ReadFacts {
  const primary = mapOf(annotation(node, PRIMARY_ADDRESS));
  const subnets = [primary['ipv4'], primary['ipv6']].flatMap(subnetIn);
  if (subnets.length === 0) return unusable(node, PRIMARY_ADDRESS);
  return { ok: true, facts: { subnets: [...subnets, ...listOf(annotation(node, NODE_HOST_CIDRS)).flatMap(subnetIn)] } };
}

function cloudFacts(node: JsonMap): ReadFacts {
  const [config] = listOf(annotation(node, CLOUD_CONFIG));
  const { ifaddr, capacity } = mapOf(config);
  const { ipv4, ipv6 } = mapOf(ifaddr);
  const subnets = [ipv4, ipv6].flatMap(subnetIn);
  const { ip, ...byFamily } = mapOf(capacity);
  // one number for all addresses, or one a family
  const most = numberIn(ip ?? (subnetIn(ipv4).length > 0 ? byFamily['ipv4'] : byFamily['ipv6']));
  if (subnets.length === 0 || most === undefined) return unusable(node, CLOUD_CONFIG);
  return { ok: true, facts: { subnets, capacity: most } };
}

function unusable(node: JsonMap, key: string): ReadFacts {
  const { name, annotations } = metadataOf(node);
  const is = Object.hasOwn(mapOf(annotations), key) ? 'malformed' : 'missing';
  return { ok: false, why: `Node/${textOf(name)} carries no addresses, since its annotation ${key} is ${is}` };
}

function annotation(node: JsonMap, key: string): unknown {
  const text = mapOf(metadataOf(node)['annotations'])[key];
  return typeof text === 'string' ? jsonOf(text) : undefined;
}

function subnetIn(text: unknown): readonly Prefix[] {
  const parsed = parseAddressWithMask(textOf(text));
  return parsed.ok ? [parsed.value.network] : [];
}

// Numbers, or texts of numbers as some versions write them.
function numberIn(value: unknown): number | undefined {
  const read = typeof value === 'string' && /^\d+$/u.test(value) ? Number(value) : value;
  return typeof read === 'number' && Number.isSafeInteger(read) && read >= 0 ? read : undefined;
}
