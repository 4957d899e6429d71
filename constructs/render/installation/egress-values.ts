import { EGRESS_DOOR } from '../../operator/doors/egress';
import type { ChartValue } from '../helm/chart-value';
import { valueAt } from '../helm/value-reader';
import type { InstallationProps } from './installation';
import { shapesOfParts } from './secret-values';

const AT = `${EGRESS_DOOR.name}.enabled`;
const DOOR: InstallationProps = { egress: { enabled: true } };

/** Values of the Egress front door. They stand behind those of the kinds, which each shape of the door repeats. */
export const EGRESS_VALUES: readonly ChartValue<InstallationProps>[] = [
  {
    path: AT,
    initial: false,
    schema: { type: 'boolean' },
    comment:
      'Whether Namespaces that opt in to an EgressIPAM of `redhatcop.redhat.io` are given its addresses. Alone, with `services.enabled: false`, it needs neither MetalLB nor cert-manager, and with `store.kind: objects` no volume and no zones.',
    props: (on) => (on === true ? DOOR : {}),
    shapes: () => [
      { props: {} },
      ...shapesOfParts(
        valueAt(AT),
        { install: valueAt('crds.install'), keep: valueAt('crds.keep') },
        ({ install = true, keep = true }) => ({ ...DOOR, crds: { install, keep } }),
      ),
    ],
  },
];
