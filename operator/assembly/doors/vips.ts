import { POOL_KIND } from '../../backends/metallb/metallb-pools';
import { isServedKind } from '../../cluster/api/served-kind';
import { IpamError } from '../../errors/ipam-error';
import type { Settings } from '../../settings/options';
import type { CommonParts, Door, ObjectDoorKind } from '../door';
import type { ClusterEnvironment } from '../environment';
import { leftOutNamespaces } from '../left-out';
import { openVipsOnCluster } from '../vips-on-cluster';

type VipsSettings = Pick<
  Settings,
  | 'vipsClasses'
  | 'vipsClassless'
  | 'vipsBesideMetalLbClass'
  | 'vipsOrphanGraceSeconds'
  | 'vipsMigration'
  | 'vipsForeignAnnotations'
  | 'services'
  | 'networks'
  | 'egress'
  | 'loadBalancerClasses'
  | 'occupiedClasses'
  | 'resyncSeconds'
  | 'namespace'
  | 'namespacePreset'
  | 'excludedNamespaces'
>;

/** The VIPs door: addresses of IPGroups for LoadBalancer Services. Its claims are objects of the cluster, and none is in the store. */
export const VIPS_DOOR: ObjectDoorKind = {
  name: 'vips',
  needsRecord: false,
  holdsOwnClaims: false,
  isOn: ({ vips }) => vips,
  open: openVipsDoor,
};

async function openVipsDoor(settings: VipsSettings, parts: CommonParts): Promise<Door> {
  const { environment } = parts;
  if (environment.kind === 'standalone') throw new IpamError('settings/invalid', '--vips needs a cluster');
  await refuseBesideMetalLb(settings, environment);
  const { vipsClasses: loadBalancerClasses, vipsClassless: classless, vipsOrphanGraceSeconds, services } = settings;
  const excludedNamespaces = await leftOut(settings, environment);
  const zones = () => parts.zones.current();
  return openVipsOnCluster(parts, environment, {
    behaviour: {
      excludedNamespaces,
      orphanGraceMs: 1000 * vipsOrphanGraceSeconds,
      foreignAnnotations: settings.vipsForeignAnnotations,
    },
    announcedClasses: [...loadBalancerClasses, ...settings.loadBalancerClasses, ...settings.occupiedClasses],
    resyncSeconds: settings.resyncSeconds,
    claiming: settings,
    ...(settings.vipsMigration ? { migration: migrationOf(settings, excludedNamespaces) } : {}),
    owners: () => ({
      vips: { loadBalancerClasses, classless },
      ...(services ? { services: { ...servicesOf(settings, zones().defaultZone), zones: zones() } } : {}),
    }),
  });
}

// A Service without a class would be one of another load balancer where this door does not serve those.
function migrationOf(
  { vipsClasses, vipsClassless, vipsOrphanGraceSeconds }: VipsSettings,
  excludedNamespaces: readonly string[],
) {
  const [loadBalancerClass] = vipsClasses;
  return {
    excludedNamespaces,
    orphanGraceMs: 1000 * vipsOrphanGraceSeconds,
    ...(vipsClassless || loadBalancerClass === undefined ? {} : { loadBalancerClass }),
  };
}

// How an installation began tells what the Services door leaves out; without that door nothing of the original was taken over.
function leftOut(settings: VipsSettings, environment: ClusterEnvironment): Promise<readonly string[]> {
  const { services, namespacePreset } = settings;
  const isMinimal = !services && namespacePreset === 'as-begun';
  return leftOutNamespaces(isMinimal ? { ...settings, namespacePreset: 'minimal' } : settings, environment);
}

const servicesOf = ({ loadBalancerClasses }: VipsSettings, defaultZone: string | undefined) => ({
  loadBalancerClasses,
  ...(defaultZone === undefined ? {} : { defaultZone }),
});

// Seen on the real one: it clears a status that it did not write.
async function refuseBesideMetalLb(settings: VipsSettings, { client }: ClusterEnvironment): Promise<void> {
  const { vipsClassless, vipsBesideMetalLbClass } = settings;
  if (!vipsClassless || vipsBesideMetalLbClass) return;
  if (!(await isServedKind(client, POOL_KIND))) return;
  throw new IpamError(
    'settings/invalid',
    '--vips-classless: this cluster has MetalLB, which clears the status of Services without a class; give MetalLB a class of its own (--lb-class) and set --vips-beside-metallb-class, or leave --vips-classless out',
  );
}
