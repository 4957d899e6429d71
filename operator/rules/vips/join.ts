import { boundedTerms } from '../../contract/sharing-terms';
import { sharingProblem, type ServiceTerms } from '../sharing';
import { nameOf } from './refusals';
import type { ServiceName, Sharer } from './types';

/**
 * Makes the terms of a Service under a sharing key, of bounded length.
 *
 * @param service - ports, policy and selector
 * @param key - its sharing key; empty: it never shares
 * @returns its terms; without a key where it has too many ports to share
 */
export function termsOf({ ports, trafficPolicy, selector }: Omit<ServiceTerms, 'key'>, key: string): ServiceTerms {
  const bounded = boundedTerms({ key, ports, trafficPolicy, selector });
  // a key lists namespaces, which a digest of it would hide; its length is bounded where the wish is read
  return bounded.key === '' ? bounded : { ...bounded, key };
}

/** In place of namespaces: all of them. */
const EVERY_NAMESPACE = '*';

/**
 * Tells whether Services of two namespaces may share under a key.
 *
 * @param key - `NAMESPACE,NAMESPACE/WORD`, or one word for sharing inside of one namespace
 * @param namespaces - both
 * @returns true where the key lists both
 */
function listsAll(key: string, namespaces: readonly string[]): boolean {
  const slash = key.indexOf('/');
  const listed = slash < 0 ? [] : key.slice(0, slash).split(',');
  return listed.includes(EVERY_NAMESPACE) || namespaces.every((each) => listed.includes(each));
}

/**
 * Tells why a Service cannot join the holders of an address. One of another namespace is let in only where the key, which both
 * have, lists both namespaces.
 *
 * @param sharer - the Service, with its terms
 * @param holders - of the address
 * @returns half a sentence that names the rule and the other Service; undefined where it may join
 */
export function whyNotJoined(
  sharer: { readonly owner: Pick<ServiceName, 'namespace' | 'name'>; readonly terms: ServiceTerms },
  holders: readonly Sharer[],
): string | undefined {
  for (const holder of holders) {
    const problem = sharingProblem(sharerOf(sharer), sharerOf(holder));
    if (problem !== undefined) return problem.text;
    const namespaces = [holder.owner.namespace, sharer.owner.namespace];
    if (namespaces[0] !== namespaces[1] && !listsAll(sharer.terms.key, namespaces))
      return `${nameOf(holder.owner)} is in another namespace, and Services of two namespaces share only under a key that lists both, such as ${sharer.owner.namespace},${holder.owner.namespace}/web`;
  }
  return undefined;
}

const sharerOf = ({ owner, terms }: { owner: Pick<ServiceName, 'namespace' | 'name'>; terms?: ServiceTerms }) => ({
  label: nameOf(owner),
  place: { namespaceUid: owner.namespace, clusterUid: '' },
  terms,
});
