import type { DataplaneDriver } from '../shared/driver';
import { Antrea } from './antrea';

/** Antrea, by Egresses and ExternalIPPools. */
export const ANTREA: DataplaneDriver = {
  name: 'antrea',
  networkType: 'antrea',
  // its feature is on by default since 1.6, and its kinds are served by Antrea alone
  isRunning: () => true,
  optionsOf: () => ({}),
  open: (cluster) => new Antrea(cluster),
};
