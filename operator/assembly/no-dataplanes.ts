import type { EgressDataplanes } from '../ports/egress-dataplane';

/** A cluster in which no dataplane is driven: addresses are written to the namespaces alone. */
export const NO_DATAPLANES: EgressDataplanes = {
  choose: (asked) =>
    asked === 'none'
      ? { kind: 'none' }
      : {
          kind: 'missing',
          reason: 'NoDriver',
          message:
            'no dataplane is switched on (--egress-dataplanes), so addresses are written to the namespaces alone; spec.dataplane: none says that this is meant',
        },
  open: () => [],
  find: () => 'unseen',
  whenKnown: () => Promise.resolve(),
  onChange: () => () => undefined,
};
