import { Chart } from 'cdk8s';
import { Construct } from 'constructs';

import { parseZones, toZonesDocument, type ZoneCatalogue, type ZonesOutcome } from '../../operator/contract/zones';
import type { Refusal } from '../../operator/errors/outcome';
import { operatorsOfApp, registerOperator } from '../app/app-operators';
import { mayShareCluster } from '../app/clusters';
import { refuseForeignTwins } from '../app/foreign-objects';
import type { IpamOperatorProps } from './ipam-operator-props';
import { OperatorAccess } from './access/access';
import { CaBundleAccess } from './certificates/ca-bundle-access';
import { ServingCertificate } from './certificates/certificate';
import { OperatorCrds } from './crds/crds';
import { OperatorDeployment } from './pod/deployment';
import { OperatorDisruptionBudget } from './pod/disruption-budget';
import { putLast } from '../app/ordering';
import { ExtraObjects } from './extra-objects/extra-objects';
import { ownObjectProblems } from './extra-objects/extra-object-problems';
import { ExposedIpamApi } from './ipam-api/ipam-api';
import { lateBoundOperatorProblems } from './late-bound-props';
import { OperatorMonitoring } from './monitoring/monitoring';
import { OperatorNamespace } from './pod/namespace';
import { OperatorNetworkPolicy } from './network/network-policy';
import { OperatorServices } from './network/network-services';
import { operatorProblems } from './operator-problems';
import { PoolsAccess } from './services-door/pools-access';
import { ServicesAccess } from './services-door/services-access';
import { OperatorStorage } from './store/storage';
import { servesServices, storeKind, storeShape } from './store/store-shape';
import { ServiceWebhooks } from './services-door/webhooks';
import { withoutAdvertise, ZonePools } from './zones/zone-pools';
import { ZonesConfig } from './zones/zones-config';
import { isWebhookConfiguration } from '../objects/webhook-kinds';
import { writeAppForEveryReader } from '../app/portable-yaml';
import { OPERATOR } from './operator-rules';
import { placeFor } from '../props-kit/place';
import { readProps } from '../props-kit/rule';

/** Stands in for zones that are not valid; synth has failed by the time that anybody could miss them. */
const NO_ZONES: ZoneCatalogue = { zones: [], names: [], zone: () => undefined };

/**
 * The IPAM operator with everything it needs: namespace, rights, volume, certificate, webhooks, and one MetalLB pool per
 * zone. MetalLB is expected in the cluster, and cert-manager unless `certificates` says otherwise.
 *
 * Put Services into a chart of their own that depends on the operator's chart: the webhooks are the last objects of their chart,
 * behind whatever else stands there, unless you put something behind them by `addDependency`.
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
    super(placeFor(scope, id, 'settings/invalid'), id);
    const { sound } = readProps(OPERATOR, props, 'settings/invalid');
    const outcome = zonesOf(sound);
    this.zones = outcome.ok ? outcome.value : NO_ZONES;
    this.node.addValidation({ validate: () => ipamOperatorProblems(props).map(({ message }) => message) });
    registerOperator({
      ...{ construct: this, cluster: sound.cluster, services: sound.services ?? {} },
      zones: outcome.ok ? outcome.value : undefined,
    });
    this.node.addValidation({ validate: () => this.twins(sound.cluster) });
    this.node.addValidation({
      validate: () => ownObjectProblems(this, sound.extraObjects).map(({ message }) => message),
    });

    const namespace = sound.createNamespace === false ? [] : [new OperatorNamespace(this, 'Namespace', sound.platform)];
    const parts = this.declareParts(sound);
    parts.forEach((part) => {
      part.node.addDependency(...namespace);
    });
    const pools = new ZonePools(this, 'Pools', { operator: sound, zones: this.zones });
    writeAppForEveryReader(this);
    // last: the API server must never call a webhook for which nobody listens yet
    const webhooks = this.declareWebhooks(sound);
    for (const each of webhooks) each.node.addDependency(...namespace, ...parts, pools);
    putLast(webhooks);
    refuseForeignTwins(this, sound.cluster);
  }

  // The objects have fixed names, so a second operator of one chart or of one cluster would overwrite the first.
  private twins(cluster: string | undefined): string[] {
    return operatorsOfApp(this).flatMap((other) => {
      if (other.construct === this) return [];
      const stands = `another IpamOperator stands at "${other.construct.node.path}"`;
      if (Chart.of(other.construct) === Chart.of(this)) return [`${stands}; a chart has one, each cluster its own`];
      return mayShareCluster(cluster, other.cluster)
        ? [`cluster: ${stands}; a cluster has one, so give each the name of its own cluster`]
        : [];
    });
  }

  private declareParts(props: IpamOperatorProps): readonly Construct[] {
    const needs = [
      ...this.declareRights(props),
      new ZonesConfig(this, 'Zones', documentOf(props)),
      ...(storeKind(props.store) === 'sqlite' ? [new OperatorStorage(this, 'Storage', props.store?.sqlite)] : []),
      ...this.declareCertificates(props),
      ...this.declareOptionalNeeds(props),
    ];
    const deployment = new OperatorDeployment(this, 'Deployment', props);
    deployment.node.addDependency(...needs);
    return [...needs, deployment, new OperatorServices(this, 'Services', servesServices(props))];
  }

  // beside a certificate of its own, an IPAM-API without webhooks has no use for the CA
  private declareCertificates(props: IpamOperatorProps): readonly Construct[] {
    const { certificates, ipamApi } = props;
    const webhooks = servesServices(props);
    const own = ipamApi?.expose?.certificateSecret ?? ipamApi?.expose?.issuer;
    if (certificates === 'self-managed' || (!webhooks && own !== undefined)) return [];
    return [new ServingCertificate(this, 'Certificate', webhooks)];
  }

  private declareRights(props: IpamOperatorProps): readonly Construct[] {
    const access = new OperatorAccess(this, 'Access', props);
    if (!servesServices(props)) return [access];
    const services = [
      new ServicesAccess(this, 'ServicesAccess'),
      new PoolsAccess(this, 'PoolsAccess', props.zonePools === 'claims'),
    ];
    return props.certificates === 'self-managed'
      ? [access, ...services, new CaBundleAccess(this, 'CaBundleAccess')]
      : [access, ...services];
  }

  private declareOptionalNeeds(props: IpamOperatorProps): readonly Construct[] {
    const { ipamApi, extraObjects, monitoring } = props;
    return [
      ...(props.crds?.install === false ? [] : [new OperatorCrds(this, 'Crds', props.crds)]),
      ...(monitoring === undefined ? [] : [new OperatorMonitoring(this, 'Monitoring', monitoring)]),
      ...(props.networkPolicy?.enabled === false ? [] : [new OperatorNetworkPolicy(this, 'NetworkPolicy', props)]),
      ...(ipamApi?.expose === undefined ? [] : [new ExposedIpamApi(this, 'IpamApi', ipamApi.expose)]),
      ...(storeShape(props).replicas > 1 ? [new OperatorDisruptionBudget(this, 'DisruptionBudget')] : []),
      ...(extraObjects === undefined
        ? []
        : [
            new ExtraObjects(this, 'ExtraObjects', {
              all: extraObjects,
              manifests: extraObjects.filter((each) => !isWebhookConfiguration(each)),
              cluster: props.cluster,
            }),
          ]),
    ];
  }

  private declareWebhooks(props: IpamOperatorProps): readonly Construct[] {
    const { services = {}, whenUnavailable = 'deny', certificates, extraObjects = [] } = props;
    const { enabled = true, loadBalancerClasses = [], excludedNamespaces = [] } = services;
    const injectCa = certificates !== 'self-managed';
    const settings = { whenUnavailable, loadBalancerClasses, excludedNamespaces, injectCa };
    return [
      ...(enabled ? [new ServiceWebhooks(this, 'Webhooks', settings)] : []),
      new ExtraObjects(this, 'ExtraWebhooks', {
        all: extraObjects,
        manifests: extraObjects.filter(isWebhookConfiguration),
        cluster: props.cluster,
      }),
    ];
  }
}

const documentOf = ({ zones, services }: IpamOperatorProps) =>
  toZonesDocument({ zones: zones.map(withoutAdvertise), defaultZone: services?.defaultZone });

const zonesOf = (props: IpamOperatorProps): ZonesOutcome => parseZones(documentOf(props));

/**
 * Checks the props of an operator without building anything; synth runs the same check.
 *
 * @param props - as given to {@link IpamOperator}
 * @returns every problem of zones, pools and shape; empty when nothing is wrong
 */
export function ipamOperatorProblems(props: IpamOperatorProps): readonly Refusal[] {
  const { sound, problems, misshapen } = readProps(OPERATOR, props, 'settings/invalid');
  if (misshapen) return problems;
  const late = lateBoundOperatorProblems(sound);
  if (late.length > 0) return late; // whatever else is said would be about placeholders
  const outcome = zonesOf(sound);
  return [
    ...(outcome.ok ? [] : outcome.problems),
    ...problems,
    ...operatorProblems(sound, outcome.ok ? outcome.value : NO_ZONES),
  ];
}
