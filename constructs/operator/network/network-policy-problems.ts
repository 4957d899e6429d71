import type { Refusal } from '../../../operator/errors/outcome';
import { withoutEffect } from '../../props-kit/options-without-effect';
import { portProblems } from '../process/number-problems';
import { RELATED_SYSTEM_NAMES, type RelatedSystemName } from '../process/servers';
import { storeKind, type StoreKind, type StoreOwner } from '../store/store-shape';
import type { OperatorNetworkPolicyProps } from './network-policy-props';

/** The policy, and the props without which parts of it are for nothing. */
interface NetworkPolicyContext extends Pick<StoreOwner, 'store'>, Partial<Record<RelatedSystemName, object>> {
  readonly networkPolicy?: OperatorNetworkPolicyProps;
}

/**
 * Finds props of the NetworkPolicy that change nothing beside the others.
 *
 * @param props - of the installation
 * @returns one refusal for each
 */
export function networkPolicyWithoutEffect({
  networkPolicy = {},
  store,
  netbox,
  cleanupEvents,
  splunk,
}: NetworkPolicyContext): readonly Refusal[] {
  const { enabled, monitoringNamespaces, apiServerCidrs, apiServerPorts, storeCidrs } = networkPolicy;
  const systems = { netbox, cleanupEvents, splunk };
  const theirs = RELATED_SYSTEM_NAMES.map((name) => ({
    name,
    cidrs: { field: `networkPolicy.${name}Cidrs`, value: networkPolicy[`${name}Cidrs`] },
  }));
  const cidrs = { field: 'networkPolicy.storeCidrs', value: storeCidrs };
  if (enabled !== false) {
    return [
      ...storeCidrsWithoutEffect(storeKind(store), cidrs),
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

const NOT_ELSEWHERE: Readonly<Partial<Record<StoreKind, string>>> = {
  sqlite: 'with the store sqlite, which is in the Pod',
  objects: 'with the store objects, which the API server has',
};

function storeCidrsWithoutEffect(
  kind: StoreKind,
  cidrs: { readonly field: string; readonly value: unknown },
): readonly Refusal[] {
  const why = NOT_ELSEWHERE[kind];
  return why === undefined ? [] : withoutEffect(why, [cidrs]);
}

/**
 * Checks the ports of the API server.
 *
 * @param networkPolicy - as given to the operator
 * @returns one problem for each that is no port
 */
export function apiServerPortProblems({ apiServerPorts = [] }: OperatorNetworkPolicyProps = {}): readonly Refusal[] {
  return apiServerPorts.flatMap((port, i) => portProblems(`networkPolicy.apiServerPorts[${String(i)}]`, port));
}
