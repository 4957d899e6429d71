import { isDeepStrictEqual } from 'node:util';

import type { Address } from '../../../addressing/address';
import type { AdmissionRequest } from '../../../contract/admission-review';
import { EXCLUDED_NAMESPACES, IPAM, IPAM_PREFIX, METALLB } from '../../../contract/group';
import { mapOf } from '../../../contract/loose-json';
import { LOAD_BALANCER, readService, type ServiceView } from '../../../contract/service';
import { annotationPath, hasServiceWish, unknownKeys } from '../../../contract/service-annotations';
import type { Refusal } from '../../../errors/outcome';
import { serviceOwner, type OwnerSettings } from '../../../rules/service-owner';
import { announcedAddresses } from '../pools/pool-content';
import { ownerSettings, type ServicesDoorParts } from './door-parts';
import type { AllowedBecause } from './verdict';

/** A Service that is ours to judge. */
export interface Review {
  /** `STORED`: no request; the controller judges what the API server has. */
  readonly operation: 'CREATE' | 'UPDATE' | 'STORED';
  readonly namespace: string;
  readonly service: ServiceView;
  /** The object before an UPDATE, whatever its type was; of a stored object itself. */
  readonly stored?: ServiceView;
  /**
   * The object before an UPDATE if it was a LoadBalancer already: only then its annotations count (W-11). Of a stored object the
   * state that was in order last; itself, where only the record tells that it was.
   */
  readonly live?: ServiceView;
  /** What the status of the stored object shows; absent: nothing. */
  readonly shown?: readonly Address[];
  /** True where nothing will be stored, so nothing may be reserved. */
  readonly dryRun?: true;
}

/** Annotation keys of MetalLB. */
export const METALLB_KEYS: readonly string[] = Object.values(METALLB);

/**
 * Lets everything pass that is not ours or changes nothing, without asking anybody.
 *
 * @param request - what the API server sent
 * @param parts - settings and zones, which decide whose Service it is
 * @returns the review to judge, or why it is allowed as it is
 */
export function openReview(
  request: AdmissionRequest,
  parts: Pick<ServicesDoorParts, 'settings' | 'zones'>,
): Review | AllowedBecause {
  const service = judgeable(request);
  if (service === undefined) return 'not-ours';
  const namespace = namespaceOf(request, service);
  // the selector of the webhooks leaves them out; one that is wider must not reserve what no controller would bind
  if (isExcluded(parts, namespace)) return 'not-ours';
  const stored = request.operation === 'UPDATE' ? readService(request.oldObject) : undefined;
  const live = stored?.type === LOAD_BALANCER ? { live: stored } : {};
  if (ownerOf(service, live.live, ownerSettings(parts)) !== 'services') return 'not-ours';
  const dryRun = request.dryRun ? ({ dryRun: true } as const) : {};
  if (stored === undefined) return { operation: 'CREATE', namespace, service, ...dryRun };
  if (sameButManagedFields(request.object, request.oldObject)) return 'unchanged';
  return { operation: 'UPDATE', namespace, service, stored, ...live, ...shownBy(request), ...dryRun };
}

function shownBy({ oldObject }: AdmissionRequest): Pick<Review, 'shown'> {
  const shown = announcedAddresses(mapOf(oldObject));
  return shown.length === 0 ? {} : { shown };
}

function namespaceOf({ namespace }: AdmissionRequest, service: ServiceView): string {
  return namespace || service.namespace;
}

/**
 * Tells whether the Services of a namespace are left alone.
 *
 * @param parts - settings of the door
 * @param namespace - name of the namespace
 * @returns true for those of the system and those that the settings add
 */
export function isExcluded({ settings }: Pick<ServicesDoorParts, 'settings'>, namespace: string): boolean {
  const excluded: readonly string[] = settings.excludedNamespaces ?? EXCLUDED_NAMESPACES;
  return excluded.includes(namespace);
}

function judgeable({ operation, subResource, object }: AdmissionRequest): ServiceView | undefined {
  if ((operation !== 'CREATE' && operation !== 'UPDATE') || subResource !== '') return undefined;
  const service = readService(object);
  if (service?.type !== LOAD_BALANCER) return undefined;
  // a dying object keeps what it has until it is gone; taking its finalizers off must never fail
  return service.dying ? undefined : service;
}

/**
 * Tells whether an UPDATE of a LoadBalancer touches nothing that decides about addresses.
 *
 * @param review - object and stored object
 * @returns true when every such field is as stored
 */
export function touchesNothing({ service, live }: Review): boolean {
  return live !== undefined && isDeepStrictEqual(decisive(service), decisive(live));
}

/**
 * Tells whether MetalLB reads the same of a LoadBalancer as before this UPDATE.
 *
 * @param review - object and stored object
 * @returns true when nothing new would be announced
 */
export function announcesTheSame({ service, live }: Review): boolean {
  return live !== undefined && isDeepStrictEqual(announced(service), announced(live));
}

function announced({ annotations, loadBalancerIP, ipFamilies }: ServiceView): unknown {
  return { keys: METALLB_KEYS.map((key) => annotations[key]), loadBalancerIP, ipFamilies };
}

/**
 * Tells whether a problem was there before this UPDATE: old data must not make an object read-only (ADDR-02).
 *
 * @param problem - a refusal that names its field
 * @param review - object and stored object
 * @returns true when the field has the stored value
 */
export function isOldProblem(problem: Refusal, { service, live }: Review): boolean {
  if (live === undefined || problem.code === 'wish/contradiction') return false;
  if (problem.field === 'spec.loadBalancerIP') return service.loadBalancerIP === live.loadBalancerIP;
  const key = Object.keys(service.annotations).find((name) => annotationPath(name) === problem.field);
  return key !== undefined && service.annotations[key] === live.annotations[key];
}

/**
 * Reads the sharing key that a Service has, ours or MetalLB's.
 *
 * @param service - the object
 * @returns the key, empty when it shares with nobody
 */
export function sharingKeyOf({ annotations }: ServiceView): string {
  return (
    annotations[IPAM.allowLocalSharedIp] ?? annotations[METALLB.sharing] ?? annotations[METALLB.legacySharing] ?? ''
  );
}

/**
 * Tells whose Service it is.
 *
 * @param service - the object
 * @param live - the LoadBalancer before, if there was one
 * @param owners - settings that decide
 * @returns the door; undefined for a Service that we leave alone
 */
export function ownerOf(
  service: ServiceView,
  live: ServiceView | undefined,
  owners: OwnerSettings,
): ReturnType<typeof serviceOwner> {
  const loadBalancerClass = service.loadBalancerClass ?? live?.loadBalancerClass;
  // what a PUT stripped was asked for once and is put back, so it counts
  const hasWish =
    hasServiceWish(service.annotations) ||
    (live !== undefined && hasServiceWish(live.annotations)) ||
    misspells(service, live);
  return serviceOwner(
    { type: service.type, hasWish, ...(loadBalancerClass === undefined ? {} : { loadBalancerClass }) },
    owners,
  );
}

// A key of ours that does not exist is a wish of somebody who misspelt it; what is stored with one already stays whose it was.
function misspells({ annotations }: ServiceView, live: ServiceView | undefined): boolean {
  return unknownKeys(annotations).some((key) => annotations[key] !== live?.annotations[key]);
}

function sameButManagedFields(object: unknown, oldObject: unknown): boolean {
  return isDeepStrictEqual(withoutManagedFields(object), withoutManagedFields(oldObject));
}

function withoutManagedFields(object: unknown): unknown {
  const whole = object as { readonly metadata?: Readonly<Record<string, unknown>> };
  const { managedFields: _who, ...metadata } = whole.metadata ?? {};
  return { ...whole, metadata };
}

function decisive(service: ServiceView): unknown {
  const ours = ([key]: [string, string]): boolean => key.startsWith(IPAM_PREFIX) || METALLB_KEYS.includes(key);
  const { loadBalancerIP, ipFamilies, ipFamilyPolicy, clusterIpFamilies } = service;
  const { ports, trafficPolicy, selector } = service;
  const shares = sharingKeyOf(service) !== '';
  return {
    annotations: Object.fromEntries(Object.entries(service.annotations).filter(ours)),
    spec: { loadBalancerIP, ipFamilies, ipFamilyPolicy, clusterIpFamilies },
    sharing: shares ? { ports, trafficPolicy, selector } : {},
  };
}
