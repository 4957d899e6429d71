import { EGRESS_DATAPLANES, type EgressDataplaneName } from '../../../operator/contract/egress-dataplanes';
import { EGRESS_DOOR } from '../../operator/doors/egress';
import { part, type ChartValue } from '../helm/chart-value';
import { valueAt } from '../helm/value-reader';
import type { InstallationProps } from './installation';
import { shapesOfParts } from './secret-values';

const AT = `${EGRESS_DOOR.name}.enabled`;
const DATAPLANES = `${EGRESS_DOOR.name}.dataplanes`;

const door = (dataplanes: readonly EgressDataplaneName[]): InstallationProps => ({
  egress: { enabled: true, ...(dataplanes.length === 0 ? {} : { dataplanes }) },
});

/** Values of the Egress front door. They stand behind those of the kinds, which each shape of the door repeats. */
export const EGRESS_VALUES: readonly ChartValue<InstallationProps>[] = [
  {
    path: AT,
    initial: false,
    schema: { type: 'boolean' },
    comment:
      'Whether Namespaces that opt in to an EgressIPAM of `redhatcop.redhat.io` are given its addresses. Alone, with `services.enabled: false`, it needs neither MetalLB nor cert-manager, and with `store.kind: objects` no volume and no zones.',
    props: (on, read) => (on === true ? door(inOrder(read.items(DATAPLANES))) : {}),
    shapes: () => [
      { props: {} },
      ...shapesOfParts(
        valueAt(AT),
        {
          ...{ install: valueAt('crds.install'), keep: valueAt('crds.keep') },
          ...Object.fromEntries(EGRESS_DATAPLANES.map((name) => [name, `has "${name}" ${valueAt(DATAPLANES)}`])),
        },
        ({ install = true, keep = true, ...driven }) => ({
          ...door(EGRESS_DATAPLANES.filter((name) => driven[name] === true)),
          crds: { install, keep },
        }),
      ),
    ],
  },
  part(DATAPLANES, {
    comment:
      'Dataplanes that carry these addresses, where the cluster has them: `ovn-kubernetes`, `openshift-sdn`. Each brings the rights to write its objects, and OVN-Kubernetes that to label Nodes. Without one, addresses are written to Namespaces alone.',
    initial: [],
    schema: { items: { enum: [...EGRESS_DATAPLANES] }, uniqueItems: true },
  }),
];

// As the templates have them, whatever the order in the values is.
const inOrder = (names: readonly string[]): readonly EgressDataplaneName[] =>
  EGRESS_DATAPLANES.filter((name) => names.includes(name));
