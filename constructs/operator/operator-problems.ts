import type { ZoneCatalogue } from '../../operator/contract/zones';
import type { Refusal } from '../../operator/errors/outcome';
import { doorProblems } from '../../operator/settings/door-settings';
import { crdsWithoutEffect } from './crds/crds-problems';
import { extraObjectProblems } from './extra-objects/extra-object-problems';
import { ipamApiProblems, ipamApiWithoutEffect } from './ipam-api/ipam-api-problems';
import type { CompleteOperatorProps } from './read-operator';
import { egressCloudProblems } from './egress-door/egress-cloud-problems';
import { servesEgress } from './egress-door/egress-process';
import { servesNetworks } from './networks-door/networks-process';
import { networksDoorProblems } from './networks-door/networks-problems';
import { apiServerPortProblems, networkPolicyWithoutEffect } from './network/network-policy-problems';
import { podProblems } from './pod/pod-problems';
import { numberProblems, portProblems } from './process/number-problems';
import { relatedSystemProblems } from './related-systems/related-system-problems';
import { secureMetricsProblems } from './secure-metrics/secure-metrics-problems';
import { servesServices } from './services-door/services-process';
import { settingsProblems } from './settings/settings-process';
import { storeProblemsOf } from './store/store-problems';
import { storeKind } from './store/store-shape';
import { clusterApiDoorProblems } from './doors/cluster-api-problems';
import { vipsDoorProblems } from './vips-door/vips-problems';
import { alertProblems } from './zones/zone-alerts';
import { zonePoolProblems } from './zones/zone-pool-problems';

/**
 * Checks what the zones document does not say: store, servers, Pods, pools, families and alerts.
 *
 * @param props - as given to the construct
 * @param zones - none while they are not valid
 * @returns every problem at once
 */
export function operatorProblems(props: CompleteOperatorProps, zones: ZoneCatalogue): readonly Refusal[] {
  return [
    ...storeProblemsOf(props),
    ...relatedSystemProblems(props),
    ...ipamApiProblems(props),
    ...openDoorProblems(props),
    ...vipsDoorProblems(props),
    ...clusterApiDoorProblems(props),
    ...networksDoorProblems(props),
    ...egressCloudProblems(props),
    ...rangeProblems(props),
    ...podProblems(props),
    ...networkPolicyWithoutEffect(props),
    ...crdsWithoutEffect(props.crds),
    ...ipamApiWithoutEffect(props),
    ...extraObjectProblems(props.extraObjects),
    ...zonePoolProblems(props, zones),
    ...secureMetricsProblems(props.monitoring),
    ...alertProblems(props.monitoring?.prometheusRule),
  ];
}

function openDoorProblems(props: CompleteOperatorProps): readonly Refusal[] {
  const doors = {
    services: servesServices(props),
    store: storeKind(props.store),
    ipamApi: props.ipamApi?.expose !== undefined,
    vips: props.vips?.enabled === true,
    networks: servesNetworks(props),
    egress: servesEgress(props),
  };
  return doorProblems(doors, { services: 'services.enabled', ipamApi: 'ipamApi.expose' });
}

// all numbers of options before all ports
function rangeProblems({ settings, ipamApi, netbox, store, networkPolicy }: CompleteOperatorProps): readonly Refusal[] {
  const { deadlineSeconds, port } = ipamApi?.expose ?? {};
  return [
    ...settingsProblems(settings),
    ...numberProblems('ipamApi.expose.deadlineSeconds', 'ipamApiDeadlineSeconds', deadlineSeconds),
    ...numberProblems('netbox.refreshSeconds', 'netboxRefreshSeconds', netbox?.refreshSeconds),
    ...portProblems('store.postgres.port', store?.postgres?.port),
    ...portProblems('ipamApi.expose.port', port),
    ...apiServerPortProblems(networkPolicy),
  ];
}
