import { Chart, Testing } from 'cdk8s';
import type { IConstruct } from 'constructs';

import type { Family } from '../../operator/addressing/address';
import { IPAM } from '../../operator/contract/group';
import { LOAD_BALANCER, readService, type ServiceView } from '../../operator/contract/service';
import { annotationPath } from '../../operator/contract/service-annotations';
import { NAMESPACE_NAME_LABEL } from '../../operator/contract/label-selector';
import { webhookNamespaces } from '../../operator/contract/webhook-conditions';
import { parseZoneText } from '../../operator/contract/zone-text';
import { selectorMatches, type ZoneCatalogue } from '../../operator/contract/zones';
import { IpamError } from '../../operator/errors/ipam-error';
import type { Refusal } from '../../operator/errors/outcome';
import { planFamilies } from '../../operator/rules/families';
import { familyName, type FamilyPlan } from '../../operator/rules/family-facts';
import { impliedZone } from '../../operator/rules/named-zone';
import { optOutProblem } from '../../operator/rules/opt-out';
import { optsOut, serviceOwner } from '../../operator/rules/service-owner';
import { pairedAddressProblems, specAddressProblems } from '../../operator/rules/spec-address';
import { collectWishes, type CollectedWishes } from '../../operator/rules/wishes';
import { closedZone, noZone, zoneWishProblems } from '../../operator/rules/zone-wish';
import { operatorOfCluster } from '../app/app-operators';
import { NAMES } from '../objects/names';
import type { IpFamily } from '../service/ipam-service-props';
import { objectsIn, type KubernetesObject } from '../validations/plugin';
import { poolsCheck } from '../validations/pools-disjoint';
import { webhookCheck } from '../validations/webhook-safety';
import type { AdmissionOptions, IpamProblemsOptions } from './testing-props';
import { checkArguments } from './testing-rules';
import { BOTH_FAMILIES, familyNumber } from '../service/family-number';

/**
 * The objects of a chart, sorted by what this package is about.
 *
 * @jsii ignore
 */
export interface SynthesizedIpam {
  /** Every object, in the order of the manifest. */
  readonly objects: readonly KubernetesObject[];
  /** Services of type LoadBalancer. */
  readonly services: readonly KubernetesObject[];
  /** Pools of MetalLB. */
  readonly pools: readonly KubernetesObject[];
  /** Zones of the operator, where the chart has one. */
  readonly zones?: ZoneCatalogue;
}

/**
 * Answer of the webhooks to a Service that is made now, as far as that is known before anything is reserved.
 *
 * @jsii ignore
 */
export interface ServiceAdmission {
  /** `not-ours`: the operator leaves it alone; `asks`: it is reserved for; `refused`: the API server refuses the write. */
  readonly verdict: 'not-ours' | 'asks' | 'refused';
  /** Zone that it gets its addresses from. */
  readonly zone?: string;
  /** Families that it gets an address of, IPv4 first; empty where it gets none. */
  readonly families: readonly IpFamily[];
  /** Addresses that it asks for; a family without one gets a free address. */
  readonly addresses: readonly string[];
  /** Everything that stands against it. */
  readonly refusals: readonly Refusal[];
}

const NOT_OURS: ServiceAdmission = { verdict: 'not-ours', families: [], addresses: [], refusals: [] };

function zonesIn(objects: readonly KubernetesObject[]): ZoneCatalogue | undefined {
  const config = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === NAMES.zonesConfigMap);
  const [text] = Object.values((config?.['data'] ?? {}) as Readonly<Record<string, string>>);
  const parsed = text === undefined ? undefined : parseZoneText(text);
  return parsed?.ok === true ? parsed.value : undefined;
}

function sorted(documents: readonly unknown[]): SynthesizedIpam {
  const objects = objectsIn(documents, 'chart').map(({ object }) => object);
  const zones = zonesIn(objects);
  return {
    objects,
    services: objects.filter((object) => object.kind === 'Service' && readService(object)?.type === LOAD_BALANCER),
    pools: objects.filter(({ kind }) => kind === 'IPAddressPool'),
    ...(zones === undefined ? {} : { zones }),
  };
}

/**
 * Synthesizes a chart for a test, with every validation of its constructs.
 *
 * @param chart - to be synthesized
 * @returns its objects, sorted
 * @throws {@link IpamError} `settings/invalid` for what is no chart
 */
export function synthIpam(chart: Chart): SynthesizedIpam {
  checkArguments(['chart', chart, 'chart']);
  return sorted(Testing.synth(chart) as readonly unknown[]);
}

function isOurs(service: ServiceView, zones: ZoneCatalogue | undefined, options: AdmissionOptions): boolean {
  const names = { [NAMESPACE_NAME_LABEL]: service.namespace };
  if (!selectorMatches(webhookNamespaces(options.excludedNamespaces), names) || service.dying) return false;
  const { defaultZone } = zones ?? {};
  const services = {
    loadBalancerClasses: options.loadBalancerClasses ?? [],
    ...(zones === undefined ? {} : { zones }),
    ...(defaultZone === undefined ? {} : { defaultZone }),
  };
  return serviceOwner({ service }, { services }) === 'services';
}

/** A Service that is ours, with what it is held against. */
interface Case {
  readonly service: ServiceView;
  readonly wishes: CollectedWishes;
  /** Undefined where they are not known: then what needs none is judged. */
  readonly zones: ZoneCatalogue | undefined;
  readonly options: AdmissionOptions;
}

function zoneRefusals(of: Case, name: string | undefined, families: readonly Family[]): readonly Refusal[] {
  const { service, wishes, zones, options } = of;
  if (zones === undefined || name === undefined) return [];
  const field = wishes.zoneField ?? annotationPath(IPAM.zone);
  const addresses = wishes.addresses.filter(({ family }) => families.includes(family));
  const problems = zoneWishProblems(zones, {
    zone: name,
    field,
    families,
    addresses,
    addressFields: wishes.addressFields,
  });
  const zone = families.length === 0 ? undefined : zones.zone(name);
  const labels = { ...options.namespaceLabels, [NAMESPACE_NAME_LABEL]: service.namespace };
  const closed = zone === undefined ? undefined : closedZone(zone, { name: service.namespace, labels }, field);
  return closed === undefined ? problems : [...problems, closed];
}

function plannedFamilies({ service, wishes, options }: Case): ReturnType<typeof planFamilies> {
  return planFamilies({
    spec: service,
    ...(wishes.ipFamily === undefined ? {} : { wish: wishes.ipFamily }),
    addresses: wishes.addresses,
    addressFields: wishes.addressFields,
    clusterFamilies: (options.clusterFamilies ?? BOTH_FAMILIES).map(familyNumber),
  });
}

function optOutRefusals({ service, zones }: Case): readonly Refusal[] {
  const problem = zones === undefined ? undefined : optOutProblem(service, zones);
  return problem === undefined ? [] : [problem];
}

function plannedFor(of: Case, zone: string | undefined): { plan: FamilyPlan; refusals: readonly Refusal[] } {
  const planned = plannedFamilies(of);
  const plan: FamilyPlan = planned.ok ? planned.value : { families: [] };
  const refusals = [
    ...of.wishes.problems,
    ...(planned.ok ? [] : [planned.refusal]),
    ...zoneRefusals(of, zone, plan.families),
    ...specAddressProblems(of.service, plan),
    ...pairedAddressProblems(of.service),
  ];
  return { plan, refusals };
}

function judged(of: Case): ServiceAdmission {
  const { service, wishes, zones } = of;
  const zone = wishes.zone ?? (zones === undefined ? undefined : impliedZone(wishes.addresses, zones));
  const addresses = wishes.addresses.map(String);
  const refused = (...refusals: readonly Refusal[]): ServiceAdmission => ({
    verdict: 'refused',
    ...(zone === undefined ? {} : { zone }),
    families: [],
    addresses,
    refusals,
  });
  // the webhook reads no further where it cannot read a wish; a contradiction it tells with everything else
  const unreadable = wishes.problems.filter(({ code }) => code !== 'wish/contradiction');
  if (unreadable.length > 0) return refused(...unreadable);
  if (optsOut(service)) {
    const problem = optOutRefusals(of);
    return problem.length === 0 ? NOT_OURS : refused(...problem);
  }
  if (zone === undefined && zones !== undefined) return refused(...wishes.problems, noZone(zones));
  const { plan, refusals } = plannedFor(of, zone);
  if (refusals.length > 0) return refused(...refusals);
  return {
    verdict: 'asks',
    ...(zone === undefined ? {} : { zone }),
    families: plan.families.map(familyName).sort(),
    addresses,
    refusals,
  };
}

/**
 * Says what the webhooks would say of a Service that is made now, by the functions that the webhooks use. What only the
 * running operator knows is left out: the holder of an address, whether a zone is full, what a Secret holds.
 *
 * @param service - the object, as `Testing.synth`, {@link synthIpam} or a YAML reader returns it
 * @param zones - from {@link IpamOperator.zones} or a zone file
 * @param options - what is known of the cluster
 * @returns the verdict; refusals in the words of the webhooks
 * @throws {@link IpamError} `settings/invalid` for arguments of another shape, with each of them
 */
export function admissionOf(service: object, zones: ZoneCatalogue, options: AdmissionOptions = {}): ServiceAdmission {
  checkArguments(['service', service, 'service'], ['zones', zones, 'zones'], ['admission', options, '']);
  return admission(service, zones, options);
}

function admission(service: object, zones: ZoneCatalogue | undefined, options: AdmissionOptions): ServiceAdmission {
  const view = readService(service);
  if (view === undefined || !isOurs(view, zones, options)) return NOT_OURS;
  return judged({ service: view, wishes: collectWishes(view), zones, options });
}

const at = (path: string, message: string): string => `[${path}] ${message}`;

// A construct inside of a chart is judged with its chart; an app without any has nothing to judge.
function chartsOf(scope: IConstruct): readonly Chart[] {
  const below = scope.node.findAll().filter((each): each is Chart => Chart.isChart(each));
  return below.length > 0 ? below : scope.node.scopes.filter((each): each is Chart => Chart.isChart(each)).slice(-1);
}

/**
 * Finds what is wrong with everything below a construct: what its constructs say of their props, Services that the webhooks
 * would refuse, pools that overlap, and webhooks that can lock a cluster.
 *
 * @param scope - an app, a chart, or any construct
 * @param options - zones, and what is known of the cluster
 * @returns sentences with the place in front; empty when nothing is wrong
 * @throws {@link IpamError} `settings/invalid` for arguments of another shape, with each of them
 */
export function ipamProblems(scope: IConstruct, options: IpamProblemsOptions = {}): readonly string[] {
  checkArguments(['scope', scope, 'scope'], ['problems', options, '']);
  // a construct that is wrong would say the same of its object once more; and cdk8s makes no object while the app is wrong
  for (const whole of [scope, scope.node.root]) {
    const own = whole.node.findAll().flatMap((each) => each.node.validate().map((text) => at(each.node.path, text)));
    if (own.length > 0) return own;
  }
  const documents = chartsOf(scope).flatMap((chart) => chart.toJson() as readonly unknown[]);
  const { services, ...found } = sorted(documents);
  const zones = options.zones ?? found.zones ?? operatorOfCluster(scope, undefined)?.zones;
  const { zones: _given, ...known } = options;
  const denied = services.flatMap((service) => {
    const { refusals } = admission(service, zones, known);
    return refusals.map(({ message }) => at(`Service ${service.metadata.name}`, message));
  });
  const violations = [poolsCheck, webhookCheck].flatMap((check) => check(objectsIn(documents, 'chart')));
  return [
    ...denied,
    ...violations.map(({ rule, placed: { object }, locations }) =>
      at(`${object.kind} ${object.metadata.name}`, `${rule}: ${locations.join('; ')}`),
    ),
  ];
}

/**
 * Fails a test when {@link ipamProblems} finds anything; works with every test runner.
 *
 * @param scope - an app, a chart, or any construct
 * @param options - zones, and what is known of the cluster
 * @throws {@link IpamError} with every problem, one a line
 */
export function expectNoIpamProblems(scope: IConstruct, options: IpamProblemsOptions = {}): void {
  const problems = ipamProblems(scope, options);
  if (problems.length === 0) return;
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  throw new IpamError('settings/invalid', [`${count} in "${scope.node.path}":`, ...problems].join('\n  '));
}
