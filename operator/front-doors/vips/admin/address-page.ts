import type { Address } from '../../../addressing/address';
import type { VipAddress, VipsExplanation, VipsHistory } from '../../../contract/ipam-api/vips-pages';
import { objectText } from '../../../contract/object-name';
import { explainFreeAddress, whyNotGiven } from '../../../rules/vips';
import { eventsAbout } from '../../../ledger/views/events-about';
import type { AddressRecord } from '../../../ports/claims';
import { GroupsView } from '../controller/groups-view';
import { placeOf } from '../controller/record';
import { shownAt } from '../controller/vips-view';
import { addressAnswer } from './record-answers';
import { sentencesOfHolder } from './stored-holders';
import type { VipsPagesParts } from './vips-pages-parts';

/**
 * Explains an address: its group, its holders and since when, or why it cannot be taken.
 *
 * @param parts - record, groups, what the cluster shows
 * @param address - any address
 * @returns what the door knows of it
 */
export function addressPage(parts: VipsPagesParts, address: Address): VipsExplanation {
  const view = new GroupsView(parts);
  const groups = view.plans().map(({ group }) => group);
  const record = parts.known.at(placeOf(address));
  const isOver = (record?.quarantine?.untilMs ?? Infinity) <= parts.clock.nowMs();
  if (record !== undefined && !isOver) {
    const group = groups.find(({ segments }) => segments.contains(address));
    const about = record.state === 'held' ? heldSentences(parts, record) : quarantineSentences(record);
    const after = group === undefined ? [] : whyNotGiven(group, address).map((why) => `once it is free: ${why}`);
    const outside =
      group === undefined ? [`${address.toString()} lies in no IPGroup now, so it is not given again`] : [];
    return { known: true, sentences: [...about, ...outside, ...after], addresses: [addressAnswer(record)] };
  }
  const [showing] = shownAt(parts, view, address).filter(({ kind }) => kind !== 'externalIPs');
  const use =
    showing === undefined ? ({ kind: 'free' } as const) : ({ kind: 'occupied', source: showing.source } as const);
  const explained = explainFreeAddress({ address, groups, use });
  return { ...explained, sentences: [...explained.sentences, ...claimedBy(parts, address)], addresses: [] };
}

// What stands in spec.externalIPs makes an address the last choice.
function claimedBy({ shown }: VipsPagesParts, address: Address): readonly string[] {
  const claims = shown.at(address).filter(({ kind }) => kind === 'externalIPs');
  return claims.map(({ source }) => `${source} names it in spec.externalIPs, so it is given last`);
}

function heldSentences(parts: VipsPagesParts, record: AddressRecord): readonly string[] {
  const { address, pool, holders } = record;
  const from = pool === '' ? '' : ` of IPGroup ${pool}`;
  return holders.flatMap((holder) => [
    `${objectText(holder.owner)} holds ${address.toString()}${from} since ${new Date(holder.sinceMs).toISOString()}${sharing(holder)}`,
    ...sentencesOfHolder(parts, holder),
  ]);
}

const sharing = ({ sharing: terms }: AddressRecord['holders'][number]): string =>
  terms === undefined || terms.key === '' ? '' : `, shared under the key "${terms.key}"`;

function quarantineSentences({ address, pool, quarantine }: AddressRecord): readonly string[] {
  if (quarantine === undefined) return [];
  const until = Number.isFinite(quarantine.untilMs) ? ` until ${new Date(quarantine.untilMs).toISOString()}` : '';
  const former = objectText(quarantine.former.owner);
  return [
    `${address.toString()} of IPGroup ${pool} was released, and is kept for ${former}${until}`,
    'every other Service gets it after that',
  ];
}

/**
 * Tells the past of an address, as far as the cluster knows it: the IP has its present holders, and Events name it for a while.
 *
 * @param parts - record and Events
 * @param address - any address
 * @returns the IP, and the Events of this operator that name the address
 * @throws IpamError `cluster/unavailable`
 */
export async function historyPage(parts: VipsPagesParts, address: Address): Promise<VipsHistory> {
  const record = parts.known.at(placeOf(address));
  const answer: { readonly address?: VipAddress } = record === undefined ? {} : { address: addressAnswer(record) };
  return { ...answer, events: await eventsAbout(parts.recordedEvents, address) };
}
