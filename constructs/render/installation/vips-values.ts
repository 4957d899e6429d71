import { FOREIGN_NAMES, type ForeignLoadBalancer } from '../../../operator/contract/foreign-load-balancers';
import { OPTIONS } from '../../../operator/settings/options';
import type { VipsDoorProps } from '../../operator/vips-door/vips-door-props';
import { part, type ChartValue } from '../helm/chart-value';
import { valueAt, type ValueReader } from '../helm/value-reader';
import type { InstallationProps } from './installation';
import { shapesOfParts } from './secret-values';
import { CLASS_NAMES } from './value-schemas';

const AT = 'vips';
/** Value of the Cluster API door, which is a part of the shapes of the doors that have pools. */
export const CLUSTER_API = 'clusterApi.enabled';
const GRACE = OPTIONS.vipsOrphanGraceSeconds;
/** Word for which the tree puts the classes of the release. */
export const VIPS_CLASS_WORD = 'class-of-vips';
/** Name for which the tree puts those of the release. */
export const VIPS_FOREIGN_WORD: ForeignLoadBalancer = 'kube-vip';

function door(
  read: ValueReader,
  { migration, ...lists }: Required<Pick<VipsDoorProps, 'loadBalancerClasses' | 'foreignAnnotations' | 'migration'>>,
): VipsDoorProps {
  return {
    enabled: true,
    ...lists,
    classless: read.boolean(`${AT}.classless`),
    besideMetalLbClass: read.boolean(`${AT}.besideMetalLbClass`),
    orphanGraceSeconds: read.number(`${AT}.orphanGraceSeconds`),
    ...(migration ? { migration } : {}),
  };
}

/**
 * Opens the Cluster API door.
 *
 * @param isOn - as the value says
 * @returns its props; none where it is closed
 */
export const clusterApi = (isOn: boolean): Pick<InstallationProps, 'clusterApi'> =>
  isOn ? { clusterApi: { enabled: true } } : {};

// Its kinds are installed, and stay, as the other ones.
function enabled(): ChartValue<InstallationProps> {
  const migrates = `${AT}.migration`;
  const parts = {
    install: valueAt('crds.install'),
    keep: valueAt('crds.keep'),
    migration: valueAt(migrates),
    clusterApi: valueAt(CLUSTER_API),
  };
  return {
    path: `${AT}.enabled`,
    initial: false,
    schema: { type: 'boolean' },
    comment:
      'Whether Services of `vips.loadBalancerClasses` get addresses of IPGroups. Alone, with `services.enabled: false`, it needs neither MetalLB nor cert-manager, and with `store.kind: objects` no volume and no zones.',
    props: (on, read) =>
      on === true
        ? {
            vips: door(read, {
              loadBalancerClasses: read.items(`${AT}.loadBalancerClasses`),
              foreignAnnotations: read.items(`${AT}.foreignAnnotations`) as readonly ForeignLoadBalancer[],
              migration: read.boolean(migrates),
            }),
            ...clusterApi(read.boolean(CLUSTER_API)),
          }
        : {
            // refused, as by the chart
            ...(read.boolean(migrates) ? { vips: { enabled: false, migration: true } } : {}),
            ...clusterApi(read.boolean(CLUSTER_API)),
          },
    shapes: (read) => [
      { props: {} },
      ...shapesOfParts(
        valueAt(`${AT}.enabled`),
        parts,
        ({ install = true, keep = true, migration = false, clusterApi: claims = false }) => ({
          vips: door(read, {
            loadBalancerClasses: [VIPS_CLASS_WORD],
            foreignAnnotations: [VIPS_FOREIGN_WORD],
            migration,
          }),
          ...clusterApi(claims),
          crds: { install, keep },
        }),
      ),
    ],
  };
}

/** Values of the VIPs front door. They stand behind those of the kinds, which each shape of the door repeats. */
export const VIPS_VALUES: readonly ChartValue<InstallationProps>[] = [
  enabled(),
  part(`${AT}.loadBalancerClasses`, {
    comment: 'Values of `spec.loadBalancerClass` that it serves.',
    initial: OPTIONS.vipsClasses.default,
    schema: CLASS_NAMES,
  }),
  part(`${AT}.classless`, {
    comment:
      'Whether it serves Services without a class too, as the older operator did. Not beside `services.defaultZone`, nor a MetalLB without a class of its own.',
    initial: false,
  }),
  part(`${AT}.besideMetalLbClass`, {
    comment:
      'Says that the MetalLB of the cluster serves a class of its own alone (its option `--lb-class`), which `vips.classless` needs beside it.',
    initial: false,
  }),
  part(`${AT}.orphanGraceSeconds`, {
    comment: `Seconds for which an address stays on record for a Service that was found missing, as after a restore, ${String(GRACE.min)} to ${String(GRACE.max)}.`,
    initial: GRACE.default,
    schema: { minimum: GRACE.min, maximum: GRACE.max },
  }),
  part(`${AT}.foreignAnnotations`, {
    comment: 'Other load balancers by whose annotations Services may ask for an address, a group or a sharing key too.',
    initial: [],
    schema: { items: { enum: [...FOREIGN_NAMES] }, uniqueItems: true },
  }),
  part(`${AT}.migration`, {
    comment:
      'Whether VirtualIPs of the older VIP allocator operator become Services of type LoadBalancer where their annotation orders it.',
    initial: false,
  }),
  part(CLUSTER_API, {
    comment:
      'Whether IPAddressClaims of Cluster API get addresses of the pool that they refer to: of an IPGroup with `vips.enabled`, of a NetworkInstance or an IPPrefix with `networks.enabled`. Needs one of both, and the kinds of Cluster API in the cluster.',
    initial: false,
  }),
];
