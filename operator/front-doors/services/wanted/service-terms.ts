import { IPAM } from '../../../contract/group';
import { boundedTerms } from '../../../contract/sharing-terms';
import { SERVICE_DEFAULTS, type ServiceWish } from '../../../contract/service-annotations';
import type { ServiceView } from '../../../contract/service';
import type { ClaimOptions, SharingTerms } from '../../../ports/claims';
import type { CollectedWishes } from '../../../rules/wishes';
import { sharingKeyOf, type Review } from './review';

/** Under which terms a Service has its addresses. */
export interface ServiceTerms {
  readonly secret: string;
  /** Secret that the stored object names, when it is another one. */
  readonly previousSecret?: string;
  readonly options: ClaimOptions;
  readonly sharing: SharingTerms;
  /** True when the terms of sharing differ from those of the stored object. */
  readonly sharingChanged: boolean;
  /** Sharing key by our own annotation, now or before a PUT lost it. */
  readonly ownSharingKey?: string;
}

/**
 * Decides under which terms the addresses are held from now on.
 *
 * @param review - object and stored object
 * @param wishes - what the object asks for now
 * @param inherited - what stays in force
 * @returns secret, options and sharing
 */
export function termsOf({ service, live }: Review, wishes: CollectedWishes, inherited: ServiceWish): ServiceTerms {
  const { secret, retentionPeriodDays, denyExternalCleanup } = { ...SERVICE_DEFAULTS, ...inherited, ...wishes };
  const ownSharingKey = service.annotations[IPAM.allowLocalSharedIp] ?? inherited.allowLocalSharedIp;
  const sharing = sharingTerms(service, wishes.sharingKey || (ownSharingKey ?? ''));
  return {
    secret,
    options: { retentionPeriodDays, denyExternalCleanup },
    sharing,
    sharingChanged: live !== undefined && !sameSharing(sharing, sharingTerms(live, sharingKeyOf(live))),
    ...previousSecret(live, secret),
    ...(ownSharingKey === undefined ? {} : { ownSharingKey }),
  };
}

function previousSecret(live: ServiceView | undefined, secret: string): Pick<ServiceTerms, 'previousSecret'> {
  if (live === undefined) return {};
  const before = live.annotations[IPAM.secret] ?? SERVICE_DEFAULTS.secret;
  return before === secret ? {} : { previousSecret: before };
}

function sharingTerms({ ports, trafficPolicy, selector }: Omit<SharingTerms, 'key'>, key: string): SharingTerms {
  return boundedTerms({ key, ports, trafficPolicy, selector });
}

// Without a key on either side nothing is shared, so ports and policy may change freely.
function sameSharing(a: SharingTerms, b: SharingTerms): boolean {
  if (a.key === '' && b.key === '') return true;
  const ports = a.ports.join() === b.ports.join();
  return ports && a.key === b.key && a.trafficPolicy === b.trafficPolicy && a.selector === b.selector;
}
