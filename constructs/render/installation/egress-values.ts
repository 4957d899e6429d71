import { EGRESS_DATAPLANES, type EgressDataplaneName } from '../../../operator/contract/egress-dataplanes';
import { OPTIONS } from '../../../operator/settings/options';
import type { EgressDoorProps } from '../../operator/egress-door/egress-door-props';
import { part, type ChartValue } from '../helm/chart-value';
import { valueAt, type ValueReader } from '../helm/value-reader';
import type { InstallationProps } from './installation';
import { shapesOfParts } from './secret-values';

const AT = 'egress';
const SERVICES = 'services.enabled';
const DATAPLANES = `${AT}.dataplanes`;

/** Template expression that is true where the API server asks the operator by webhooks. */
export const HAS_WEBHOOKS = `or ${valueAt(SERVICES)} ${valueAt(`${AT}.enabled`)}`;

/** Dataplanes of OpenShift, of which a cluster has two while it goes from one to the other; of all others it has one. */
const OF_OPENSHIFT = ['openshift-sdn', 'ovn-kubernetes'] as const satisfies readonly EgressDataplaneName[];

const isTogether = (names: readonly EgressDataplaneName[]): boolean =>
  names.length <= 1 || names.every((name) => OF_OPENSHIFT.some((each) => each === name));

const drivenIn = (present: Readonly<Record<string, boolean>>): readonly EgressDataplaneName[] =>
  EGRESS_DATAPLANES.filter((name) => present[name] === true);

const door = (read: ValueReader, dataplanes: readonly EgressDataplaneName[]): EgressDoorProps => ({
  enabled: true,
  ...(dataplanes.length === 0 ? {} : { dataplanes }),
  usePermission: read.boolean(`${AT}.usePermission`),
  whenUnavailable: read.text(`${AT}.whenUnavailable`) as 'admit',
});

// The webhooks that it shares with Services are there without them too, so each shape says whether those are served, and by which
// certificate.
function enabled(): ChartValue<InstallationProps> {
  const parts = {
    install: valueAt('crds.install'),
    keep: valueAt('crds.keep'),
    services: valueAt(SERVICES),
    certManager: `eq ${valueAt('certificates')} "cert-manager"`,
    ...Object.fromEntries(EGRESS_DATAPLANES.map((name) => [name, `has "${name}" ${valueAt(DATAPLANES)}`])),
  };
  return {
    path: `${AT}.enabled`,
    initial: false,
    schema: { type: 'boolean' },
    comment:
      'Whether Namespaces that opt in to an EgressIPAM of `redhatcop.redhat.io` are given its addresses. Alone, with `services.enabled: false`, it needs no MetalLB, and with `store.kind: objects` no volume and no zones.',
    props: (on, read) => (on === true ? { egress: door(read, inOrder(read.items(DATAPLANES))) } : {}),
    shapes: (read) => [
      { props: {} },
      ...shapesOfParts(
        valueAt(`${AT}.enabled`),
        parts,
        ({ install = true, keep = true, services = true, certManager = true, ...present }) => {
          const driven = drivenIn(present);
          if (!isTogether(driven)) return undefined;
          return {
            egress: door(read, driven),
            certificates: certManager ? 'cert-manager' : 'self-managed',
            services: { enabled: services },
            crds: { install, keep },
          };
        },
      ),
    ],
  };
}

/** Values of the Egress front door. They stand behind those of the kinds, which each shape of the door repeats. */
export const EGRESS_VALUES: readonly ChartValue<InstallationProps>[] = [
  enabled(),
  part(DATAPLANES, {
    comment:
      'Dataplanes that carry these addresses, where the cluster has them: `cilium`, `antrea`, or one or both of `ovn-kubernetes` and `openshift-sdn`. Each brings the rights to write its objects, OVN-Kubernetes and Antrea those to mark Nodes, and Cilium that to read its ConfigMap. Without one, addresses are written to Namespaces alone.',
    initial: [],
    schema: {
      items: { enum: [...EGRESS_DATAPLANES] },
      uniqueItems: true,
      anyOf: [{ maxItems: 1 }, { items: { enum: [...OF_OPENSHIFT] } }],
    },
  }),
  part(`${AT}.usePermission`, {
    comment:
      'Whether a user needs the right `use` on an EgressIPAM to opt a Namespace in to it, or to list its addresses; without, everything that may annotate a Namespace may.',
    initial: OPTIONS.egressUsePermission.default,
  }),
  part(`${AT}.whenUnavailable`, {
    comment:
      'Treatment of a Namespace with egress annotations while the operator does not answer: `admit` stores it, and rights are not looked at; `deny` refuses it. Other Namespaces are never refused.',
    initial: OPTIONS.egressWhenUnavailable.default,
    schema: { enum: OPTIONS.egressWhenUnavailable.choices },
  }),
];

// As the templates have them, whatever the order in the values is.
const inOrder = (names: readonly string[]): readonly EgressDataplaneName[] =>
  EGRESS_DATAPLANES.filter((name) => names.includes(name));
