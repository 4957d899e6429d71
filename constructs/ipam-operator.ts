import { Construct } from 'constructs';

import { parseZones, toZonesDocument, type ZoneCatalogue, type ZonesOutcome } from '../operator/contract/zones';
import type { Refusal } from '../operator/errors/outcome';
import type { IpamOperatorProps } from './ipam-operator-props';
import { ZonePool } from './metallb';
import { OperatorAccess } from './operator-parts/access';
import { ServingCertificate } from './operator-parts/certificate';
import { OperatorDeployment } from './operator-parts/deployment';
import { OperatorNamespace } from './operator-parts/namespace';
import { OperatorServices } from './operator-parts/network-services';
import { operatorProblems } from './operator-parts/problems';
import { OperatorStorage } from './operator-parts/storage';
import { ServiceWebhooks } from './operator-parts/webhooks';
import { poolPrefixes, withoutAdvertise } from './operator-parts/zone-pools';
import { ZONES_FILE, ZonesConfig } from './operator-parts/zones-config';

/** Stands in for zones that are not valid; synth has failed by the time that anybody could miss them. */
const NO_ZONES: ZoneCatalogue = { zones: [], names: [], zone: () => undefined };

/**
 * The IPAM operator with everything it needs: namespace, rights, volume, certificate, webhooks, and one MetalLB pool per
 * zone. cert-manager and MetalLB are expected in the cluster.
 *
 * Put Services into a chart of their own that depends on the operator's chart: the webhooks are the operator's last objects.
 */
export class IpamOperator extends Construct {
  /** The zones, for {@link IpamServiceProps.zones}; empty while they are not valid. */
  readonly zones: ZoneCatalogue;

  /**
   * Declares the operator.
   *
   * @param scope - a chart, or a construct inside of one
   * @param id - id within `scope`
   * @param props - zones and settings
   */
  constructor(scope: Construct, id: string, props: IpamOperatorProps) {
    super(scope, id);
    const outcome = zonesOf(props);
    this.zones = outcome.ok ? outcome.value : NO_ZONES;
    this.node.addValidation({ validate: () => ipamOperatorProblems(props).map(({ message }) => message) });

    const namespace = new OperatorNamespace(this, 'Namespace');
    const parts = this.declareParts(props);
    parts.forEach((part) => {
      part.node.addDependency(namespace);
    });
    const webhooks = new ServiceWebhooks(this, 'Webhooks', {
      whenUnavailable: props.whenUnavailable ?? 'deny',
      loadBalancerClasses: props.services?.loadBalancerClasses ?? [],
      excludedNamespaces: props.services?.excludedNamespaces ?? [],
    });
    // last: the API server must never call a webhook for which nobody listens yet
    webhooks.node.addDependency(namespace, ...parts, ...this.declarePools(props));
  }

  private declareParts(props: IpamOperatorProps): readonly Construct[] {
    const access = new OperatorAccess(this, 'Access');
    const zones = new ZonesConfig(this, 'Zones', documentOf(props));
    const storage = new OperatorStorage(this, 'Storage', props.storage);
    const certificate = new ServingCertificate(this, 'Certificate');
    const deployment = new OperatorDeployment(this, 'Deployment', {
      image: props.image ?? {},
      resources: props.resources ?? {},
      zonesFile: ZONES_FILE,
      whenUnavailable: props.whenUnavailable ?? 'deny',
      loadBalancerClasses: props.services?.loadBalancerClasses ?? [],
      logLevel: props.logLevel ?? 'info',
      ...(props.priorityClassName === undefined ? {} : { priorityClassName: props.priorityClassName }),
    });
    deployment.node.addDependency(access, zones, storage, certificate);
    return [access, zones, storage, certificate, deployment, new OperatorServices(this, 'Services')];
  }

  private declarePools(props: IpamOperatorProps): readonly Construct[] {
    return this.zones.zones.flatMap((zone, i) => {
      const prefixes = poolPrefixes(zone, props.clusterFamilies);
      const advertise = props.zones[i]?.advertise ?? 'l2';
      return prefixes.length === 0
        ? []
        : [new ZonePool(this, `Pool-${zone.name}`, { zone: zone.name, prefixes, advertise })];
    });
  }
}

const documentOf = ({ zones, services }: IpamOperatorProps) =>
  toZonesDocument({ zones: zones.map(withoutAdvertise), defaultZone: services?.defaultZone });

const zonesOf = (props: IpamOperatorProps): ZonesOutcome => parseZones(documentOf(props));

/**
 * Checks the props of an operator without building anything; synth runs the same check.
 *
 * @param props - as given to {@link IpamOperator}
 * @returns every problem of zones, pools and shape, as the operator would say it at its start; empty when nothing is wrong
 */
export function ipamOperatorProblems(props: IpamOperatorProps): readonly Refusal[] {
  const outcome = zonesOf(props);
  return [...(outcome.ok ? [] : outcome.problems), ...operatorProblems(props, outcome.ok ? outcome.value : NO_ZONES)];
}
