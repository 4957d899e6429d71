import type { Refusal } from '../../operator/errors/outcome';
import type { IpamOperatorProps } from './ipam-operator-props';
import { lateBoundProblems } from '../props-kit/placeholder';
import { RELATED_SYSTEM_NAMES } from './related-systems/related-systems';
import { refused } from '../props-kit/refused';
import { storeKind } from './store/store-shape';

/** A prop that counts only beside another one. */
interface Dependent {
  readonly field: string;
  readonly value: unknown;
  /** What is the same as to leave it out. */
  readonly usual?: unknown;
}

// What stands there as it would without a word is no wish; what is known after synth only is judged by whoever renders it.
function isWish({ field, value, usual }: Dependent): boolean {
  if (value === undefined || lateBoundProblems(value, field).length > 0) return false;
  if (Array.isArray(value) && value.length === 0) return false;
  return JSON.stringify(value) !== JSON.stringify(usual);
}

const withoutEffect = (why: string, all: readonly Dependent[]): readonly Refusal[] =>
  all.filter(isWish).map(({ field }) => refused(field, `has no effect ${why}; leave one of the two out`));

function networkPolicyProblems({
  networkPolicy = {},
  store,
  netbox,
  cleanupEvents,
  splunk,
}: IpamOperatorProps): readonly Refusal[] {
  const { enabled, monitoringNamespaces, apiServerCidrs, apiServerPorts, storeCidrs } = networkPolicy;
  const systems = { netbox, cleanupEvents, splunk };
  const theirs = RELATED_SYSTEM_NAMES.map((name) => ({
    name,
    cidrs: { field: `networkPolicy.${name}Cidrs`, value: networkPolicy[`${name}Cidrs`] },
  }));
  const cidrs = { field: 'networkPolicy.storeCidrs', value: storeCidrs };
  if (enabled !== false) {
    return [
      ...(storeKind(store) === 'sqlite' ? withoutEffect('with the store sqlite, which is in the Pod', [cidrs]) : []),
      ...theirs.flatMap((each) =>
        systems[each.name] === undefined ? withoutEffect(`without ${each.name}`, [each.cidrs]) : [],
      ),
    ];
  }
  return withoutEffect('while networkPolicy.enabled is false', [
    { field: 'networkPolicy.monitoringNamespaces', value: monitoringNamespaces },
    { field: 'networkPolicy.apiServerCidrs', value: apiServerCidrs },
    { field: 'networkPolicy.apiServerPorts', value: apiServerPorts, usual: [443, 6443] },
    cidrs,
    ...theirs.map((each) => each.cidrs),
  ]);
}

function crdProblems({ crds = {} }: IpamOperatorProps): readonly Refusal[] {
  if (crds.install !== false) return [];
  return withoutEffect('while crds.install is false', [
    { field: 'crds.keep', value: crds.keep, usual: true },
    { field: 'crds.breakGlassGroup', value: crds.breakGlassGroup, usual: 'ipam-break-glass' },
  ]);
}

function certificateProblems({ ipamApi }: IpamOperatorProps): readonly Refusal[] {
  const { certificateSecret, dnsNames } = ipamApi?.expose ?? {};
  if (certificateSecret === undefined) return [];
  return withoutEffect('beside certificateSecret, whose certificate has its own names', [
    { field: 'ipamApi.expose.dnsNames', value: dnsNames },
  ]);
}

/**
 * Finds props that change nothing beside the others, so that whoever wrote them would wait for their effect in vain.
 *
 * @param props - as given to the operator
 * @returns one refusal for each
 */
export function optionsWithoutEffect(props: IpamOperatorProps): readonly Refusal[] {
  return [...networkPolicyProblems(props), ...crdProblems(props), ...certificateProblems(props)];
}
