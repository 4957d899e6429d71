import type { Address } from '../../addressing/address';
import { hostPrefix } from '../../addressing/prefix';
import type { NetworksExplanation, NetworksHistory } from '../../contract/ipam-api/networks-pages';
import { objectText } from '../../contract/object-name';
import type { NetworkEntry } from '../../contract/networks/entry';
import { eventsAbout } from '../../ledger/views/events-about';
import { readInstance } from '../../rules/networks';
import { reservedIn } from '../../rules/networks/reserved';
import { entryAnswer, instanceText, recordedNetworks, type RecordedNetwork } from './entries-on-record';
import { entrySentences } from './entry-sentences';
import type { NetworksPagesParts } from './networks-pages-parts';

/** Entries of one network at an address: the one of exactly this address, and the nearest one around it. */
interface Found {
  readonly of: RecordedNetwork;
  readonly exact: NetworkEntry | undefined;
  readonly around: NetworkEntry | undefined;
}

/**
 * Explains an address in every instance: its holder and since when, or whether it can be given.
 *
 * @param parts - record, objects, what the cluster shows
 * @param address - any address
 * @returns what the door knows of it; not known where it lies in no entry
 */
export function addressPage(parts: NetworksPagesParts, address: Address): NetworksExplanation {
  const found = foundAt(parts, address);
  return {
    known: found.length > 0,
    sentences:
      found.length === 0
        ? [`${address.toString()} lies in no entry of a NetworkInstance`]
        : found.flatMap((each) => sentencesOf(parts, address, each)),
    entries: found.flatMap(({ of, exact, around }) => {
      const shown = exact ?? around;
      return shown === undefined ? [] : [entryAnswer(shown, of)];
    }),
  };
}

/**
 * Tells the past of an address, as far as the cluster knows it: an AddressClaim has its present holder, and Events name the address for
 * a while.
 *
 * @param parts - record and Events
 * @param address - any address
 * @returns its entries, and the Events of this operator that name it
 * @throws IpamError `cluster/unavailable`
 */
export async function historyPage(parts: NetworksPagesParts, address: Address): Promise<NetworksHistory> {
  const entries = foundAt(parts, address).flatMap(({ of, exact }) =>
    exact === undefined ? [] : [entryAnswer(exact, of)],
  );
  return { entries, events: await eventsAbout(parts.recordedEvents, address) };
}

function foundAt(parts: NetworksPagesParts, address: Address): readonly Found[] {
  const block = hostPrefix(address);
  return recordedNetworks(parts)
    .map((of) =>
      parts.tables.look(of.network, (table) => ({
        of,
        exact: table.at(block),
        around: table.around(block).at(-1),
      })),
    )
    .filter(({ exact, around }) => exact !== undefined || around !== undefined);
}

function sentencesOf(parts: NetworksPagesParts, address: Address, { of, exact, around }: Found): readonly string[] {
  if (exact !== undefined) return entrySentences(parts, exact, of);
  return around === undefined ? [] : freeSentences(parts, address, { of, around });
}

function freeSentences(
  parts: NetworksPagesParts,
  address: Address,
  { of, around }: { readonly of: RecordedNetwork; readonly around: NetworkEntry },
): readonly string[] {
  const text = address.toString();
  const place = `${around.block.toString()} of ${instanceText(of)}`;
  if (around.facts?.role === 'allocation' || around.facts === undefined)
    return [`${text} lies in ${place}, which ${objectText(around.owner)} holds`];
  const [namespace = '', name = ''] = of.instance.split('/');
  const object = parts.instances.get(namespace, name);
  const reasons = object === undefined ? [] : whyNotGiven(parts, address, { around, object });
  if (reasons.length === 0 && around.facts.kind === 'aggregate')
    return [`${text} is free in ${place}, an aggregate, which gives to requests of kind pool or loopback alone`];
  if (reasons.length === 0) return [`${text} is free in ${place}`];
  return [`${text} lies in ${place}, and is not given by itself`, ...reasons];
}

function whyNotGiven(
  { view }: NetworksPagesParts,
  address: Address,
  { around, object }: { readonly around: NetworkEntry; readonly object: Parameters<typeof readInstance>[0] },
): readonly string[] {
  const context = view.contexts.contextOf(readInstance(object));
  const used = context.usedBy(address);
  const isExcluded = used === undefined && context.excludedFrom(around).contains(address);
  const reserved = reservedAs(around, address);
  const isFree = used === undefined && !isExcluded && reserved === undefined;
  const isOfRange = isFree && context.neverChosenIn(around).contains(address);
  return [
    ...(used === undefined ? [] : [`it belongs to ${used}, or is shown by it`]),
    ...(isExcluded ? ['it is excluded (spec.excluded of an IPPrefix)'] : []),
    ...(reserved === undefined ? [] : [`it is the ${reserved} address of its subnet, which no host can have`]),
    ...(isOfRange ? ['it lies in a range of an IPPrefix, which gives to requests that select the range by label'] : []),
    ...(context.isClosed(around) ? ['the prefix gives nothing new: it is draining, or being deleted'] : []),
  ];
}

function reservedAs({ block, facts }: NetworkEntry, address: Address): 'first' | 'last' | undefined {
  const { first, last } = facts?.role === 'subnet' ? reservedIn(block) : {};
  if (first?.equals(address) === true) return 'first';
  return last?.equals(address) === true ? 'last' : undefined;
}
