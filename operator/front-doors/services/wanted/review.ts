import { isDeepStrictEqual } from 'node:util';

import type { Address } from '../../../addressing/address';
import type { AdmissionRequest } from '../../../contract/admission-review';
import { EXCLUDED_NAMESPACES, IPAM, IPAM_PREFIX, METALLB } from '../../../contract/group';
import { isMap, listOf, mapOf, metadataOf } from '../../../contract/loose-json';
import { LOAD_BALANCER, LOAD_BALANCER_IP, readService, type ServiceView } from '../../../contract/service';
import { annotationPath } from '../../../contract/service-annotations';
import { accept, type Outcome, type Refusal } from '../../../errors/outcome';
import { serviceOwner } from '../../../rules/service-owner';
import { announcedAddresses } from '../../../contract/shown-addresses';
import { ownerSettings, type DeciderParts } from './door-parts';
import { dyingProblem } from './dying-service';
import { isServedElsewhere, touchesSpecOrKeys } from './served-elsewhere';
import type { AllowedBecause } from '../../../reviews/verdict';

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
  /** Addresses that the status of the stored object shows; absent: none. */
  readonly shown?: readonly Address[];
  /** True where nothing will be stored, so nothing may be reserved. */
  readonly dryRun?: true;
}

/**
 * Describes an object that is judged as it is stored.
 *
 * @param view - the stored object
 * @returns the review of it, as if nothing were known of what it was before
 */
export function storedReview(view: ServiceView): Review {
  return { operation: 'STORED', namespace: view.namespace, service: view, stored: view };
}

/** Annotation keys of MetalLB. */
export const METALLB_KEYS: readonly string[] = Object.values(METALLB);

/** A request as it was read: a review to judge, a refusal at sight, or why it is allowed as it is. */
type Opened = Outcome<Review> | AllowedBecause;

/**
 * Lets everything pass that is not ours or changes nothing, without asking any server.
 *
 * @param request - what the API server sent
 * @param parts - settings and zones, which decide whose Service it is
 * @returns the review to judge; why it is allowed as it is; or refusal `service/dying`
 */
export function openReview(request: AdmissionRequest, parts: DeciderParts): Opened {
  const service = judgeable(request);
  if (service === undefined) return 'not-ours';
  const namespace = namespaceOf(request, service);
  // the selector of the webhooks leaves them out; one that is wider must not reserve what no controller would bind
  if (isExcluded(parts, namespace)) return 'not-ours';
  const stored = storedBefore(request);
  const live = stored?.type === LOAD_BALANCER ? { live: stored } : {};
  const owner = serviceOwner({ service, ...live, isServedElsewhere: isLeftAlone(request) }, ownerSettings(parts));
  if (owner !== 'services') return 'not-ours';
  if (service.dying) return openDying(request, service, stored);
  return stored === undefined
    ? accept({ operation: 'CREATE', namespace, service, ...dryRunOf(request) })
    : openUpdate(request, { namespace, service, stored, ...live });
}

function openUpdate(request: AdmissionRequest, review: Omit<Review, 'operation'>): Opened {
  if (sameButManagedFields(request.object, request.oldObject)) return 'unchanged';
  return accept({ operation: 'UPDATE', ...review, ...shownBy(request), ...dryRunOf(request) });
}

function dryRunOf({ dryRun }: AdmissionRequest): Pick<Review, 'dryRun'> {
  return dryRun ? { dryRun: true } : {};
}

function storedBefore({ operation, oldObject }: AdmissionRequest): ServiceView | undefined {
  return operation === 'UPDATE' ? readService(oldObject) : undefined;
}

function openDying({ object }: AdmissionRequest, service: ServiceView, stored: ServiceView | undefined): Opened {
  const staysOn = listOf(metadataOf(mapOf(object))['finalizers']).length > 0;
  const problem = dyingProblem(service, stored, staysOn);
  return problem === undefined ? 'not-ours' : { ok: false, refusal: problem };
}

// What another load balancer serves, and what does not ask us now either, is none of our business until it changes.
function isLeftAlone({ operation, object, oldObject }: AdmissionRequest): boolean {
  if (operation !== 'UPDATE' || !isMap(object) || !isMap(oldObject)) return false;
  return isServedElsewhere(oldObject) && !touchesSpecOrKeys(object, oldObject);
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
export function isExcluded({ settings }: Pick<DeciderParts, 'settings'>, namespace: string): boolean {
  return (settings.excludedNamespaces ?? EXCLUDED_NAMESPACES).includes(namespace);
}

function judgeable({ operation, subResource, object }: AdmissionRequest): ServiceView | undefined {
  if ((operation !== 'CREATE' && operation !== 'UPDATE') || subResource !== '') return undefined;
  const service = readService(object);
  return service?.type === LOAD_BALANCER ? service : undefined;
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
  if (problem.field === LOAD_BALANCER_IP) return service.loadBalancerIP === live.loadBalancerIP;
  const key = Object.keys(service.annotations).find((name) => annotationPath(name) === problem.field);
  return key !== undefined && service.annotations[key] === live.annotations[key];
}

/**
 * Reads the sharing key that a Service has, ours or MetalLB's.
 *
 * @param service - the object
 * @returns the key, empty when it shares with no Service
 */
export function sharingKeyOf({ annotations }: ServiceView): string {
  return (
    annotations[IPAM.allowLocalSharedIp] ?? annotations[METALLB.sharing] ?? annotations[METALLB.legacySharing] ?? ''
  );
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
  const { loadBalancerIP, externalIPs, ipFamilies, ipFamilyPolicy, clusterIpFamilies } = service;
  const { ports, trafficPolicy, selector } = service;
  const shares = sharingKeyOf(service) !== '';
  return {
    annotations: Object.fromEntries(Object.entries(service.annotations).filter(ours)),
    spec: { loadBalancerIP, externalIPs, ipFamilies, ipFamilyPolicy, clusterIpFamilies },
    sharing: shares ? { ports, trafficPolicy, selector } : {},
  };
}
