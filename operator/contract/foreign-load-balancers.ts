import { METALLB } from './group';

/** Annotations by which Services ask another load balancer for something. Each list has the present key first, then older ones. */
export interface ForeignKeys {
  /** One address, or several with a comma between. */
  readonly addresses: readonly string[];
  /** Name of a pool. */
  readonly pool: readonly string[];
  /** Key of Services that share an address. */
  readonly sharing: readonly string[];
  /** Other namespaces of which Services may share, with a comma between; `*` for all. */
  readonly sharingNamespaces?: readonly string[];
}

/** Load balancers whose annotations the VIPs door can read in place of its own, with their keys. */
export const FOREIGN_LOAD_BALANCERS = {
  metallb: {
    addresses: [METALLB.addresses, METALLB.legacyAddresses],
    pool: [METALLB.pool, METALLB.legacyPool],
    sharing: [METALLB.sharing, METALLB.legacySharing],
  },
  // its pools are chosen by labels, and by no annotation
  cilium: {
    addresses: ['lbipam.cilium.io/ips', 'io.cilium/lb-ipam-ips'],
    pool: [],
    sharing: ['lbipam.cilium.io/sharing-key', 'io.cilium/lb-ipam-sharing-key'],
    sharingNamespaces: ['lbipam.cilium.io/sharing-cross-namespace', 'io.cilium/lb-ipam-sharing-cross-namespace'],
  },
  purelb: {
    addresses: ['purelb.io/addresses'],
    pool: ['purelb.io/service-group'],
    sharing: ['purelb.io/allow-shared-ip'],
  },
  // its pools belong to namespaces
  'kube-vip': { addresses: ['kube-vip.io/loadbalancerIPs'], pool: [], sharing: [] },
  // two kinds of wish have one name, and differ in what looks like a version
  openelb: {
    addresses: ['eip.openelb.kubesphere.io/v1alpha1', 'eip.porter.kubesphere.io/v1alpha1'],
    pool: ['eip.openelb.kubesphere.io/v1alpha2', 'eip.porter.kubesphere.io/v1alpha2'],
    sharing: [],
  },
} as const satisfies Readonly<Record<string, ForeignKeys>>;

/** Name of one of them, as settings have it. */
export type ForeignLoadBalancer = keyof typeof FOREIGN_LOAD_BALANCERS;

/** Names of all, in the order of messages. */
export const FOREIGN_NAMES: readonly ForeignLoadBalancer[] = Object.keys(
  FOREIGN_LOAD_BALANCERS,
) as ForeignLoadBalancer[];

/** Every annotation of theirs that can be read. */
export const FOREIGN_KEYS: ReadonlySet<string> = new Set(
  FOREIGN_NAMES.flatMap((name) => Object.values<readonly string[]>(FOREIGN_LOAD_BALANCERS[name]).flat()),
);
