import type { NetworkEntry } from '../../contract/networks/entry';
import { objectText } from '../../contract/object-name';
import { objectOwners, stateOf } from './orphans';
import { instanceText, type RecordedNetwork } from './entries-on-record';
import type { NetworksPagesParts } from './networks-pages-parts';

/**
 * Tells the holder and the user of an entry, since when, and what ends that.
 *
 * @param parts - the stored objects
 * @param entry - on record
 * @param of - its network
 * @returns one sentence at least
 */
export function entrySentences(parts: NetworksPagesParts, entry: NetworkEntry, of: RecordedNetwork): readonly string[] {
  const { block, facts, owner, user, takenAtMs } = entry;
  const text = block.hostCount === 1n ? block.first.toString() : block.toString();
  const from = facts?.parent === undefined ? '' : ` of ${facts.parent}`;
  const since = new Date(takenAtMs).toISOString();
  const seconds = String(Math.ceil(parts.settings.orphanGraceMs / 1000));
  return [
    `${objectText(owner)} holds ${text}${from} in ${instanceText(of)} since ${since}`,
    ...(user === undefined ? [] : [`${objectText(user)} uses it`]),
    ...objectOwners(entry)
      .filter((each) => stateOf({ parts }, each) !== 'stored')
      .map((each) => `${objectText(each)} is not stored; what it had is given back after ${seconds} s without it`),
  ];
}
