import type { EgressDataplanes } from '../ports/egress-dataplane';

/** A cluster in which no dataplane is driven: addresses are written to the namespaces alone. */
export const NO_DATAPLANES: EgressDataplanes = {
  choose: (asked) =>
    asked === 'none'
      ? { kind: 'none' }
      : {
          ...{ kind: 'missing', reason: 'NoDriver' },
          message:
            'this version writes addresses to the namespaces alone and drives no dataplane; spec.dataplane: none says that this is meant',
        },
  open: () => [],
  whenKnown: () => Promise.resolve(),
  onChange: () => () => undefined,
};
