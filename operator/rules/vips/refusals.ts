import type { Address } from '../../addressing/address';
import { LONGEST_LABEL, quoteValue } from '../../contract/quote';
import type { ServiceName, VipRefusal } from './types';

/** Most names that a message lists. */
const MOST_NAMES = 10;

/**
 * Says why a Service waits, and what ends the wait.
 *
 * @param reason - one of the words that conditions and metrics have
 * @param message - a sentence for the author of the Service
 * @param wokenBy - what may end the wait
 * @returns one value of all three
 */
export function vipRefusal(
  reason: VipRefusal['reason'],
  message: string,
  wokenBy: Partial<VipRefusal['wokenBy']> = {},
): VipRefusal {
  return { reason, message, wokenBy: { addresses: [], groups: [], ...wokenBy } };
}

/**
 * Names a Service in a message.
 *
 * @param service - its name
 * @returns namespace and name
 */
export function nameOf({ namespace, name }: Pick<ServiceName, 'namespace' | 'name'>): string {
  return quoteValue(`${namespace}/${name}`, LONGEST_LABEL).slice(1, -1);
}

/**
 * Lists addresses with the Services that hold them.
 *
 * @param uses - addresses and their holders
 * @returns for example `test/a (1.1.1.1)`, shortened where there are many
 */
export function listOfHolders(
  uses: readonly { readonly address: Address; readonly holders: readonly ServiceName[] }[],
): string {
  const names = uses.flatMap(({ address, holders }) =>
    holders.length === 0 ? [address.toString()] : holders.map((each) => `${nameOf(each)} (${address.toString()})`),
  );
  const more = names.length - MOST_NAMES;
  return names.slice(0, MOST_NAMES).join(', ') + (more > 0 ? ` and ${String(more)} more` : '');
}
