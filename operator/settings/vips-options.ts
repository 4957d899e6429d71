import { FOREIGN_NAMES } from '../contract/foreign-load-balancers';
import { VIP_CLASS } from '../contract/paas';
import type { Option } from './option';

/** Options of the VIPs door; a part of `OPTIONS`. */
export const VIPS_OPTIONS = {
  vips: {
    flag: '--vips',
    env: 'IPAM_VIPS',
    type: 'switch',
    default: false,
    help: 'Give addresses of IPGroups to LoadBalancer Services, in their status; needs the kinds IPGroup and IP',
  },
  vipsClasses: {
    flag: '--vips-load-balancer-classes',
    env: 'IPAM_VIPS_LOAD_BALANCER_CLASSES',
    type: 'list',
    default: [VIP_CLASS],
    help: 'Values of spec.loadBalancerClass that --vips serves',
  },
  vipsClassless: {
    flag: '--vips-classless',
    env: 'IPAM_VIPS_CLASSLESS',
    type: 'switch',
    default: false,
    help: 'Serve Services without a class too, as the older operator did; not beside a default zone, nor a MetalLB without a class of its own',
  },
  vipsBesideMetalLbClass: {
    flag: '--vips-beside-metallb-class',
    env: 'IPAM_VIPS_BESIDE_METALLB_CLASS',
    type: 'switch',
    default: false,
    help: 'Says that the MetalLB of this cluster serves a class of its own alone (its option --lb-class), which --vips-classless needs beside it',
  },
  vipsMigration: {
    flag: '--vips-migration',
    env: 'IPAM_VIPS_MIGRATION',
    type: 'switch',
    default: false,
    help: 'Migrate VirtualIPs of the older VIP allocator operator to Services of type LoadBalancer where their annotation orders it; needs the kind VirtualIP',
  },
  vipsForeignAnnotations: {
    flag: '--vips-foreign-annotations',
    env: 'IPAM_VIPS_FOREIGN_ANNOTATIONS',
    type: 'list',
    choices: FOREIGN_NAMES,
    default: [],
    help: 'Other load balancers by whose annotations Services may ask --vips for an address, a pool or a sharing key too',
  },
  vipsOrphanGraceSeconds: {
    flag: '--vips-orphan-grace',
    env: 'IPAM_VIPS_ORPHAN_GRACE',
    type: 'number',
    unit: 'seconds',
    min: 1,
    max: 86_400,
    default: 300,
    help: 'Time for which an address stays on record for a Service that was found missing, as after a restore; one whose deletion is seen gives it back at once',
  },
} as const satisfies Record<string, Option>;
