import { IPAM, METALLB, WAITING_POOL } from '../../../contract/group';
import type { ServiceView } from '../../../contract/service';
import { annotationPath, WISH_KEYS } from '../../../contract/service-annotations';
import type { Refusal } from '../../../errors/outcome';
import { annotationPatch, type AnnotationChanges } from '../wanted/patch';
import { isStripped, RECORDED_KEYS } from '../wanted/result-marks';
import type { Review } from '../wanted/review';
import { deny, type Verdict } from '../../../reviews/verdict';

// MetalLB reads its own keys and the spec at once; ours it reads never, so a wish there can wait beside a working address.
const OUR_KEY = `wish it by ${annotationPath(IPAM.addresses)} alone, and the Service keeps its address until it has that one`;

/**
 * Tells whether MetalLB was told where the Service's address comes from.
 *
 * @param service - the object
 * @returns true when it names a pool and an address
 */
export function isServed({ annotations, loadBalancerIP }: ServiceView): boolean {
  const pool = annotations[METALLB.pool] ?? '';
  const addresses = annotations[METALLB.addresses] ?? loadBalancerIP ?? '';
  return pool !== '' && pool !== WAITING_POOL && addresses !== '';
}

/**
 * Admits a Service that cannot be served now: a new one waits beside a pool that does not exist, so that MetalLB gives it
 * nothing; one that is served keeps its keys, since a working address is kept until its replacement is secured.
 *
 * @param review - object and stored object
 * @param on - what stands in the way, the default zone, and the id of a Service without a name
 * @returns the verdict; a change that would cost a working address is denied all the same
 */
export function admitWaiting(
  review: Review,
  on: { readonly cause: Refusal; readonly defaultZone: string | undefined; readonly reservation: string | undefined },
): Verdict {
  const { live, shown = [] } = review;
  // a Service that shows an address keeps it, whatever its keys say
  if (live === undefined || (!isServed(live) && shown.length === 0)) {
    return {
      allowed: true,
      because: 'waiting',
      patch: annotationPatch(review.service, parkingKeys(review, on)),
      ...told(on.cause),
    };
  }
  if (endangersAddress(review.service, live)) {
    const way = on.cause.code === 'address/in-use' ? `; ${OUR_KEY}` : '';
    const message = `${on.cause.message}; until then this change would cost the Service the address that it has${way}`;
    return deny({ ...on.cause, message });
  }
  return {
    allowed: true,
    because: 'waiting',
    patch: annotationPatch(review.service, lostKeys(review.service, live)),
    ...told(on.cause),
  };
}

function told(cause: Refusal): Pick<Verdict & { allowed: true }, 'cause' | 'warnings'> {
  return { cause, warnings: [cause.message] };
}

/**
 * Computes the keys of a Service that waits: a pool that does not exist, and the zone that the pool key named before.
 *
 * @param review - object and stored object
 * @param on - the default zone, and the id of a Service without a name
 * @returns wanted values
 */
export function parkingKeys(
  { service, live }: Pick<Review, 'service' | 'live'>,
  { defaultZone, reservation }: { readonly defaultZone: string | undefined; readonly reservation: string | undefined },
): AnnotationChanges {
  const { annotations } = service;
  const pools = [annotations[METALLB.pool], annotations[METALLB.legacyPool]];
  const asked = pools.find((pool) => pool !== undefined && pool !== '' && pool !== WAITING_POOL);
  // the pool key loses its value here, so the zone is kept where the controller finds it
  const zone = annotations[IPAM.zone] ?? asked ?? live?.annotations[IPAM.zone] ?? defaultZone;
  const kept = live === undefined ? [] : [...lostKeys(service, live)];
  return new Map([...kept, [IPAM.zone, zone], [IPAM.reservation, reservation], [METALLB.pool, WAITING_POOL]]);
}

// Without the record nothing tells a wish that was given up from a result that was lost; the controller decides it later.
function lostKeys(service: ServiceView, live: ServiceView): AnnotationChanges {
  const wishes = isStripped(service) ? WISH_KEYS : WISH_KEYS.filter((key) => !RECORDED_KEYS.includes(key));
  const keys = [...wishes, IPAM.reservation, METALLB.pool, METALLB.addresses, METALLB.sharing];
  return new Map(
    keys
      .filter((key) => !(key in service.annotations) && key in live.annotations)
      .map((key) => [key, live.annotations[key]]),
  );
}

function endangersAddress(service: ServiceView, live: ServiceView): boolean {
  const rewritten = Object.values(METALLB).some((key) => {
    const value = service.annotations[key];
    return value !== undefined && value !== live.annotations[key];
  });
  const policy = service.ipFamilyPolicy ?? live.ipFamilyPolicy;
  return rewritten || policy !== live.ipFamilyPolicy || service.loadBalancerIP !== live.loadBalancerIP;
}
