import { RESOURCE_NAME } from '../../../operator/settings/networks-options';
import { OPTIONS } from '../../../operator/settings/options';
import type { NetworksDoorProps } from '../../operator/networks-door/networks-door-props';
import type { NetworksGrpcProps } from '../../operator/networks-grpc/networks-grpc-props';
import { part, type ChartValue } from '../helm/chart-value';
import { valueAt, type ValueReader } from '../helm/value-reader';
import type { InstallationProps } from './installation';
import { shapesOfParts } from './secret-values';
import { CLUSTER_API, clusterApi } from './vips-values';

const AT = 'networks';
const GRACE = OPTIONS.networksOrphanGraceSeconds;

const GRPC = `${AT}.grpc`;
/** Word for which the tree puts the resources of the release. */
export const OWNER_KIND_WORD = 'resource-of-owners';

const door = (
  read: ValueReader,
  ownerKinds: readonly string[],
  grpc: NetworksGrpcProps | undefined,
): NetworksDoorProps => ({
  enabled: true,
  orphanGraceSeconds: read.number(`${AT}.orphanGraceSeconds`),
  ownerKinds,
  ...(grpc === undefined ? {} : { grpc }),
});

const grpcOf = (read: ValueReader, hasOwnCertificate: boolean): NetworksGrpcProps => ({
  audience: read.text(`${GRPC}.audience`),
  allowAnonymous: read.boolean(`${GRPC}.allowAnonymous`),
  ...(hasOwnCertificate ? { certificateSecret: read.text(`${GRPC}.certificateSecret`) } : {}),
});

// Its kinds are installed, and stay, as the other ones.
function enabled(): ChartValue<InstallationProps> {
  const parts = {
    install: valueAt('crds.install'),
    keep: valueAt('crds.keep'),
    clusterApi: valueAt(CLUSTER_API),
    grpc: valueAt(`${GRPC}.enabled`),
    own: valueAt(`${GRPC}.certificateSecret`),
  };
  return {
    path: `${AT}.enabled`,
    initial: false,
    schema: { type: 'boolean' },
    comment:
      'Whether NetworkInstances, IPPrefixes and IPAllocations of `ipam.nephio.org` are served. Alone, with `services.enabled: false`, it needs neither MetalLB nor cert-manager, and with `store.kind: objects` no volume and no zones.',
    props: (on, read) => {
      const hasOwn = read.text(`${GRPC}.certificateSecret`) !== '';
      const grpc = read.boolean(`${GRPC}.enabled`) ? grpcOf(read, hasOwn) : undefined;
      if (on === true) return { networks: door(read, read.items(`${AT}.ownerKinds`), grpc) };
      // refused, as by the chart
      return grpc === undefined ? {} : { networks: { enabled: false, grpc } };
    },
    shapes: (read) => [
      { props: {} },
      ...shapesOfParts(
        valueAt(`${AT}.enabled`),
        parts,
        ({ install = true, keep = true, clusterApi: claims = false, grpc = false, own = false }) => ({
          networks: door(read, [OWNER_KIND_WORD], grpc ? grpcOf(read, own) : undefined),
          ...clusterApi(claims),
          crds: { install, keep },
        }),
      ),
    ],
  };
}

/** Values of the Networks front door. They stand behind those of the kinds, which each shape of the door repeats. */
export const NETWORKS_VALUES: readonly ChartValue<InstallationProps>[] = [
  enabled(),
  part(`${AT}.orphanGraceSeconds`, {
    comment: `Seconds for which a prefix or an address stays on record for an object that was found missing, as after a restore, ${String(GRACE.min)} to ${String(GRACE.max)}.`,
    initial: GRACE.default,
    schema: { minimum: GRACE.min, maximum: GRACE.max },
  }),
  part(`${GRPC}.enabled`, {
    comment:
      'Whether clients without objects in the cluster reach the gRPC API, over TLS, at port 9999 of the Service `ipam-networks-grpc`. Needs `networks.enabled`, and cert-manager unless `networks.grpc.certificateSecret` is given.',
    initial: false,
  }),
  part(`${GRPC}.certificateSecret`, {
    comment:
      'Secret of type kubernetes.io/tls in ipam-system with a certificate of your own; empty asks cert-manager for one.',
    initial: '',
  }),
  part(`${GRPC}.audience`, {
    comment: 'Audience for which the tokens of gRPC clients must be issued.',
    initial: OPTIONS.networksGrpcAudience.default,
    schema: { minLength: 1 },
  }),
  part(`${GRPC}.allowAnonymous`, {
    comment:
      'Whether gRPC calls are answered without a token: every client that reaches the port can take and release prefixes of every namespace.',
    initial: false,
  }),
  part(`${AT}.ownerKinds`, {
    comment:
      'Resources whose objects IPAllocations may name as owners (`spec.ownerRef`), such as `services` or `deployments.apps`. The operator gets the right to read single ones by name.',
    initial: OPTIONS.networksOwnerKinds.default,
    schema: { items: { type: 'string', pattern: RESOURCE_NAME.source }, uniqueItems: true },
  }),
];
