import { OPTIONS } from '../../operator/settings/options';
import { ANY_MAP, list, props } from '../props-kit/containers';
import { jsonOf } from '../props-kit/json-values';
import { FLAG, NUMBER, text, word } from '../props-kit/values';
import { CLUSTER_API } from './cluster-api/cluster-api-rules';
import { CRDS } from './crds/crds-rules';
import { EGRESS } from './egress-door/egress-door-rules';
import { IPAM_API } from './ipam-api/ipam-api-rules';
import type { IpamOperatorProps } from './ipam-operator-props';
import { MONITORING } from './monitoring/monitoring-rules';
import { NETWORK_POLICY } from './network/network-policy-rules';
import { NETWORKS } from './networks-door/networks-door-rules';
import { IMAGE } from './pod/image-rules';
import { POD_RULES } from './pod/pod-rules';
import { RELATED_SYSTEMS } from './related-systems/related-system-rules';
import { SERVICES } from './services-door/services-door-rules';
import { SETTINGS } from './settings/settings-rules';
import { STORE } from './store/store-rules';
import { VIPS } from './vips-door/vips-door-rules';
import { ZONE_POOLS, ZONES } from './zones/zone-rules';

/** Props of the operator. */
export const OPERATOR = props<IpamOperatorProps>({
  zones: ZONES,
  services: SERVICES,
  vips: VIPS,
  clusterApi: CLUSTER_API,
  networks: NETWORKS,
  egress: EGRESS,
  whenUnavailable: word('deny', 'admit'),
  clusterFamilies: list(text()),
  image: IMAGE,
  store: STORE,
  ...RELATED_SYSTEMS,
  replicas: NUMBER,
  certificates: word('cert-manager', 'self-managed'),
  ipamApi: IPAM_API,
  networkPolicy: NETWORK_POLICY,
  platform: word('kubernetes', 'openshift'),
  createNamespace: FLAG,
  settings: SETTINGS,
  crds: CRDS,
  monitoring: MONITORING,
  extraObjects: list(jsonOf(ANY_MAP)),
  logLevel: word(...OPTIONS.logLevel.choices),
  ...POD_RULES,
  ...ZONE_POOLS,
});
