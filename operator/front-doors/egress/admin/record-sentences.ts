import { addressOf } from '../../../addressing/address';
import type { EgressAddress } from '../../../contract/ipam-api/egress-pages';
import { notReleasedText } from '../facts/held-back';
import { unseenAt } from '../facts/seen-dataplanes';
import { dataplaneOf, type PageFacts } from './page-facts';

/**
 * Tells the holder of an address, since when, and the node that carries it.
 *
 * @param facts - of the page
 * @param answer - what is shown of it
 * @returns what is unusual about it comes behind the holder
 */
export function recordSentences(facts: PageFacts, answer: EgressAddress): readonly string[] {
  const { address, egressIpam, namespace, since, state, until, node } = answer;
  const place = `${address} of EgressIPAM ${egressIpam}`;
  if (state === 'quarantined')
    return [
      `${place} was released, and is kept for Namespace ${namespace}${until === undefined ? '' : ` until ${until}`}`,
    ];
  const { parts, plans } = facts;
  const isStored = parts.namespaces.get('', namespace) !== undefined;
  const unseen = unseenAt(parts, { network: answer.network, address: addressOf(address) });
  const end = unseen.length === 0 ? [`${address} is given back with the next comparison`] : [];
  return [
    `Namespace ${namespace} holds ${place} since ${since}`,
    ...(node === undefined ? placeSentences(facts, answer) : [`Node ${node} carries ${address}`]),
    ...(unseen.length === 0 ? [] : [notReleasedText(address, unseen)]),
    ...(isStored ? [] : [[`no Namespace ${namespace} is stored`, ...end].join(', so ')]),
    ...(plans.plan(egressIpam) === undefined ? [`no EgressIPAM ${egressIpam} is stored`] : []),
  ];
}

// An address that no node carries is news only where a dataplane would carry it.
function placeSentences({ parts }: PageFacts, { address, egressIpam, namespace }: EgressAddress): readonly string[] {
  const dataplane = dataplaneOf(parts, egressIpam);
  if (dataplane === undefined) return [];
  const problem = dataplane.problemOf(namespace);
  return [`no node carries ${address}${problem === undefined ? '' : `: ${problem.message} (${problem.reason})`}`];
}
