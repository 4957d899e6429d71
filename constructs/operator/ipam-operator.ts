import { Chart } from 'cdk8s';
import { Construct } from 'constructs';

import { toZonesDocument } from '../../operator/contract/zones-document';
import { NO_ZONES, parseZones, type ZoneCatalogue, type ZonesOutcome } from '../../operator/contract/zones';
import type { Refusal } from '../../operator/errors/outcome';
import { operatorsOfApp, registerOperator } from '../app/app-operators';
import { mayShareCluster } from '../app/clusters';
import { refuseForeignTwins } from '../app/foreign-objects';
import { putLast } from '../app/ordering';
import { writeAppForEveryReader } from '../app/portable-yaml';
import { isWebhookConfiguration } from '../objects/webhook-kinds';
import { placeFor } from '../props-kit/place';
import { OperatorAccess } from './access/access';
import { KeptObjectsGuard } from './access/kept-objects-guard';
import { ServingCertificate } from './certificates/certificate';
import { OperatorCrds } from './crds/crds';
import { doorProcesses, doorServers, openDoors, type Door } from './doors/doors';
import { ownObjectProblems } from './extra-objects/extra-object-problems';
import { ExtraObjects } from './extra-objects/extra-objects';
import type { IpamOperatorProps } from './ipam-operator-props';
import { lateBoundOperatorProblems } from './late-bound-props';
import { monitoringRows } from './monitoring-rows';
import { OperatorMonitoring } from './monitoring/monitoring';
import { OperatorNetworkPolicy, type PodConnections } from './network/network-policy';
import { OperatorServices } from './network/network-services';
import { operatorProblems } from './operator-problems';
import { OperatorDeployment } from './pod/deployment';
import { OperatorDisruptionBudget } from './pod/disruption-budget';
import { OperatorNamespace } from './pod/namespace';
import type { ProcessPart } from './process/process-part';
import type { RelatedSystem } from './process/servers';
import { readOperator, type CompleteOperatorProps } from './read-operator';
import { relatedSystemsOf } from './related-systems/related-systems';
import { endpointSecurity } from './secure-metrics/secure-metrics-process';
import { settingsOptions } from './settings/settings-process';
import { OperatorStorage } from './store/storage';
import { storeKind, storeProcess, storeShape } from './store/store-shape';
import { withoutAdvertise, ZonePools } from './zones/zone-pools';
import { ZONES_PROCESS, ZonesConfig } from './zones/zones-config';

/** Id of the construct that holds one construct for each zone's pool. */
const POOLS = 'Pools';

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
    const { valid } = readOperator(props);
    const outcome = zonesOf(valid);
    this.zones = outcome.ok ? outcome.value : NO_ZONES;
    this.node.addValidation({ validate: () => ipamOperatorProblems(props).map(({ message }) => message) });
    registerOperator({
      construct: this,
      cluster: valid.cluster,
      services: valid.services ?? {},
      zones: outcome.ok ? outcome.value : undefined,
      poolOf: (zone) => this.node.tryFindChild(POOLS)?.node.tryFindChild(zone),
    });
    this.node.addValidation({ validate: () => this.#twins(valid.cluster) });
    this.node.addValidation({
      validate: () => ownObjectProblems(this, valid.extraObjects).map(({ message }) => message),
    });

    const namespace = valid.createNamespace === false ? [] : [new OperatorNamespace(this, 'Namespace', valid.platform)];
    const doors = openDoors(valid);
    const parts = this.#declareParts(valid, doors);
    parts.forEach((part) => {
      part.node.addDependency(...namespace);
    });
    const pools = new ZonePools(this, POOLS, { operator: valid, zones: this.zones });
    const keptGuard = new KeptObjectsGuard(this, 'KeptGuard');
    keptGuard.node.addDependency(...namespace, ...parts, pools);
    writeAppForEveryReader(this);
    // last: the API server must never call a webhook for which no Pod listens yet
    const webhooks = this.#declareAdmission(valid, doors);
    for (const each of webhooks) each.node.addDependency(...namespace, ...parts, pools, keptGuard);
    putLast(webhooks);
    refuseForeignTwins(this, valid.cluster);
  }

  // The objects have fixed names, so a second operator of one chart or of one cluster would overwrite the first.
  #twins(cluster: string | undefined): string[] {
    return operatorsOfApp(this).flatMap((other) => {
      if (other.construct === this) return [];
      const stands = `another IpamOperator stands at "${other.construct.node.path}"`;
      if (Chart.of(other.construct) === Chart.of(this)) return [`${stands}; a chart has one, each cluster its own`];
      return mayShareCluster(cluster, other.cluster)
        ? [`cluster: ${stands}; a cluster has one, so give each the name of its own cluster`]
        : [];
    });
  }

  #declareParts(props: CompleteOperatorProps, doors: readonly Door[]): readonly Construct[] {
    const store = storeKind(props.store);
    const connections = { ports: doors.flatMap(({ port }) => port ?? []), relatedSystems: serversOf(props) };
    const needs = [
      new OperatorAccess(this, 'Access', { store, doors: doors.map((door) => door.rights(props)) }),
      ...doors.flatMap((door) => door.roles(this, props)),
      ...(hasZones(props) ? [new ZonesConfig(this, 'Zones', documentOf(props))] : []),
      ...(store === 'sqlite' ? [new OperatorStorage(this, 'Storage', props.store?.sqlite)] : []),
      ...this.#declareCertificates(props, doors),
      ...this.#declareOptionalNeeds(props, doors, connections),
    ];
    const sockets = doors.flatMap(({ socketFolder }) => socketFolder ?? []);
    const pods = { process: processParts(props), ports: connections.ports, sockets };
    const deployment = new OperatorDeployment(this, 'Deployment', { ...props, ...pods });
    deployment.node.addDependency(...needs);
    return [...needs, deployment, new OperatorServices(this, 'Services', connections.ports)];
  }

  #declareCertificates(props: IpamOperatorProps, doors: readonly Door[]): readonly Construct[] {
    const needed = doors.flatMap((door) => door.certificate?.(props) ?? []);
    // without a door that listens synth fails; a chart of Helm learns which doors are open later
    const isUseless = needed.length > 0 && needed.every((each) => each === 'none');
    if (props.certificates === 'self-managed' || isUseless) return [];
    return [new ServingCertificate(this, 'Certificate', needed.includes('webhooks'))];
  }

  #declareOptionalNeeds(
    props: IpamOperatorProps,
    doors: readonly Door[],
    connections: PodConnections,
  ): readonly Construct[] {
    const { crds, monitoring, networkPolicy } = props;
    return [
      ...(crds?.install === false
        ? []
        : [
            new OperatorCrds(this, 'Crds', {
              ...crds,
              kinds: doors.flatMap((door) => door.kinds(props)),
              guarded: doors.flatMap(({ guarded }) => guarded ?? []),
            }),
          ]),
      ...(monitoring === undefined
        ? []
        : [
            new OperatorMonitoring(this, 'Monitoring', {
              ...monitoring,
              ...monitoringRows(monitoring),
              security: endpointSecurity(props),
            }),
          ]),
      ...(networkPolicy?.enabled === false
        ? []
        : [new OperatorNetworkPolicy(this, 'NetworkPolicy', { ...props, ...connections })]),
      ...doors.flatMap((door) => door.objects(this, props)),
      ...(storeShape(props).replicas > 1 ? [new OperatorDisruptionBudget(this, 'DisruptionBudget')] : []),
      ...this.#declareExtraObjects(props),
    ];
  }

  #declareExtraObjects({ extraObjects, cluster }: IpamOperatorProps): readonly Construct[] {
    if (extraObjects === undefined) return [];
    const manifests = extraObjects.filter((each) => !isWebhookConfiguration(each));
    return [new ExtraObjects(this, 'ExtraObjects', { all: extraObjects, manifests, cluster })];
  }

  #declareAdmission(props: IpamOperatorProps, doors: readonly Door[]): readonly Construct[] {
    const { extraObjects = [], cluster } = props;
    const manifests = extraObjects.filter(isWebhookConfiguration);
    return [
      ...doors.flatMap((door) => door.admission(this, props)),
      new ExtraObjects(this, 'ExtraWebhooks', { all: extraObjects, manifests, cluster }),
    ];
  }
}

// in the order in which the folders are mounted
const processParts = (props: CompleteOperatorProps): readonly ProcessPart[] => [
  ...(hasZones(props) ? [ZONES_PROCESS] : []),
  ...doorProcesses(props),
  storeProcess(props),
  { options: settingsOptions(props.settings), folders: [] },
  ...serversOf(props),
];

const serversOf = (props: IpamOperatorProps): readonly RelatedSystem[] => relatedSystemsOf(props, doorServers(props));

const hasZones = ({ store }: IpamOperatorProps): boolean => storeKind(store) !== 'objects';

const documentOf = ({ zones, services }: CompleteOperatorProps) =>
  toZonesDocument({ zones: zones.map(withoutAdvertise), defaultZone: services?.defaultZone });

const zonesOf = (props: CompleteOperatorProps): ZonesOutcome =>
  hasZones(props) ? parseZones(documentOf(props)) : { ok: true, value: NO_ZONES };

/**
 * Checks the props of an operator without building anything; synth runs the same check.
 *
 * @param props - as given to {@link IpamOperator}
 * @returns every problem of zones, pools and shape; empty when nothing is wrong
 */
export function ipamOperatorProblems(props: IpamOperatorProps): readonly Refusal[] {
  const { valid, problems, malformed } = readOperator(props);
  if (malformed) return problems;
  const late = lateBoundOperatorProblems(valid);
  if (late.length > 0) return late; // whatever else is said would be about placeholders
  const outcome = zonesOf(valid);
  return [
    ...(outcome.ok ? [] : outcome.problems),
    ...problems,
    ...operatorProblems(valid, outcome.ok ? outcome.value : NO_ZONES),
  ];
}
