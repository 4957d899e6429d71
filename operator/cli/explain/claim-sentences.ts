import type { ClaimAnswer, ZoneAnswer } from '../../contract/ipam-api/v3/answers';
import { serviceText } from '../output/service-text';

/**
 * Tells the holder of an address by a claim, and since when.
 *
 * @param claim - on record
 * @returns one sentence
 */
export function claimSentence(claim: ClaimAnswer): string {
  const { address, zone, network, since, until = '' } = claim;
  const place = `"${address}" of zone "${zone}"${network === 'default' ? '' : ` in network "${network}"`}`;
  const holder = holderText(claim);
  switch (claim.state) {
    case 'bound':
      return `${holder} holds ${place} since ${since}`;
    case 'reserved':
      return `${holder} has ${place} reserved since ${since}: its object is not stored yet, or was not seen since`;
    case 'retained':
      return `${place} is kept for ${holder} until ${until}, which had it from ${since} on and gave it up`;
    case 'quarantined':
      return `${holder} gave up ${place}; until ${until} no other claimant may have it`;
  }
}

function holderText({ service }: ClaimAnswer): string {
  if (service.clusterUid === '') return `standing claim "${service.serviceName}"`;
  return `"${serviceText(service)}" of cluster ${service.clusterUid}`;
}

/**
 * Says how a claim ends, and what stands in the way of that.
 *
 * @param claim - on record
 * @param zone - its zone, where it is known
 * @returns sentences in the order in which they matter
 */
export function endSentences(claim: ClaimAnswer, zone: ZoneAnswer | undefined): readonly string[] {
  const { sharedWith, options, service } = claim;
  return [
    ...(sharedWith.length === 0
      ? []
      : [`it shares the address with ${sharedWith.map((holder) => `"${holder}"`).join(', ')}`]),
    ...ending(claim, zone),
    ...(options.denyExternalCleanup && service.clusterUid !== ''
      ? ['a clean-up of its cluster leaves it alone, since deny-external-cleanup is set']
      : []),
  ];
}

function ending(claim: ClaimAnswer, zone: ZoneAnswer | undefined): readonly string[] {
  const { service, until = '', stale } = claim;
  const after = afterwards(claim, zone);
  const now = `to end it now: ${releaseText(claim)}`;
  switch (claim.state) {
    case 'bound':
      return service.clusterUid === ''
        ? ['it lasts until it is released', now]
        : [`it ends when the Service is deleted, is no LoadBalancer any more or gets another address; ${after}`, now];
    case 'reserved':
      return stale
        ? [`its time was up at ${until}, but its cluster has not reported since, so it stays until then`, now]
        : [`it is bound when the object is stored, and ends at ${until} otherwise`, now];
    case 'retained':
      return ['a claim that shows its secret before then gets it back', now];
    case 'quarantined':
      return ['afterwards any claimant may have it; nothing ends a quarantine earlier'];
  }
}

function afterwards({ options, sharedWith }: ClaimAnswer, zone: ZoneAnswer | undefined): string {
  const days = options.retentionPeriodDays;
  if (days > 0) return `then the address is kept for its secret for ${days} ${days === 1 ? 'day' : 'days'}`;
  if (sharedWith.length > 0) return 'then the others keep the address';
  const seconds = zone?.quarantineSeconds ?? 0;
  return seconds === 0
    ? 'then any claimant may have the address'
    : `then no other claimant may have the address for ${seconds} seconds`;
}

function releaseText({ address, network, holderId, sharedWith }: ClaimAnswer): string {
  const where = network === 'default' ? '' : ` --network ${network}`;
  return `ipam release ${address}${where}${sharedWith.length === 0 ? '' : ` --holder ${holderId}`}`;
}
