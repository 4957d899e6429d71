/** Paths of the admin socket beside version 3: its caller is the command line in the Pod of the operator. */
export const ADMIN_PATHS = {
  /** Copy of the store, where it is a file. */
  backup: '/backup',
  /** Services of the operator's own cluster that are left alone. */
  leftAlone: '/left-alone',
  /** Families of the operator's own cluster, which the claims do not know. */
  ownCluster: '/own-cluster',
  /** One stored Service of the operator's own cluster; namespace and name follow. */
  storedServices: '/stored-services',
  /** Takes a contested address away; namespace and name of the Service follow. */
  evictions: '/evictions',
  /** Takes the claims over from a cluster of the same identity that is gone; UID of its kube-system follows. */
  forgottenClusters: '/forgotten-clusters',
  /** Gives the claims of a cluster to another identity; both follow. */
  renamedClusters: '/renamed-clusters',
  /** Groups and IPs of the VIPs door. */
  vipsTree: '/vips/tree',
  /** One address as the VIPs door knows it; the address follows, and `/history` where its past is asked for. */
  vipsAddresses: '/vips/addresses',
  /** One Service as the VIPs door judges it; namespace and name follow. */
  vipsServices: '/vips/services',
  /** Objects of one namespace and name as the Networks door judges them; both follow. */
  networksObjects: '/networks/objects',
  /** One address in every NetworkInstance; the address follows, and `/history` where its past is asked for. */
  networksAddresses: '/networks/addresses',
  /** EgressIPAMs and their addresses. */
  egressTree: '/egress/tree',
  /** One address as the Egress door knows it; the address follows, and `/history` where its past is asked for. */
  egressAddresses: '/egress/addresses',
  /** A Namespace or an EgressIPAM as the Egress door judges it; kind in small letters and name follow. */
  egressObjects: '/egress/objects',
  /** Everything of a door that has to be looked at. */
  vipsFindings: '/vips/findings',
  networksFindings: '/networks/findings',
  egressFindings: '/egress/findings',
  clusterApiFindings: '/cluster-api/findings',
} as const;
