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
} as const;
