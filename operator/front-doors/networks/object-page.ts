import type { NetworksExplanation } from '../../contract/ipam-api/networks-pages';
import { objectText } from '../../contract/object-name';
import { textOf, type JsonMap } from '../../contract/loose-json';
import type { NetworkEntry } from '../../contract/networks/entry';
import { conditionOf, statusIn } from '../../contract/stored-status';
import { conditionSentence } from '../../ledger/views/condition-sentences';
import type { ObjectName } from '../../ports/object-feed';
import type { ObjectWork } from './door-parts';
import { feedOf, isDying, isPaused, KINDS, namedOf } from './objects';
import { entryAnswer, recordedNetworks, type RecordedNetwork } from './entries-on-record';
import { entrySentences } from './entry-sentences';
import type { NetworksPagesParts } from './networks-pages-parts';

/** One entry of an object with its network. */
interface Own {
  readonly of: RecordedNetwork;
  readonly entry: NetworkEntry;
}

/**
 * Explains the objects of one name: what they have, their conditions, and for what they wait.
 *
 * @param parts - record and objects
 * @param named - namespace and name, of any of the three kinds
 * @returns what the door knows of them; not known where there are none
 */
export function objectPage(parts: NetworksPagesParts, named: ObjectName): NetworksExplanation {
  const answers = (['allocation', 'prefix', 'instance'] as const).map((of) => explained(parts, of, named));
  return {
    known: answers.some(({ known }) => known),
    sentences: answers.flatMap(({ sentences }) => sentences),
    entries: answers.flatMap(({ entries }) => entries),
  };
}

function explained(parts: NetworksPagesParts, of: ObjectWork, named: ObjectName): NetworksExplanation {
  const object = feedOf(parts, of).get(named.namespace, named.name);
  // the subnets of an instance are those of its prefixes
  const own = of === 'instance' ? [] : entriesOf(parts, of, named);
  const held = own.flatMap(({ of: network, entry }) => entrySentences(parts, entry, network));
  const entries = own.map(({ of: network, entry }) => entryAnswer(entry, network));
  if (object === undefined) return { known: own.length > 0, sentences: held, entries };
  return { known: true, sentences: [...held, ...stateSentences(of, object)], entries };
}

function entriesOf(parts: NetworksPagesParts, of: ObjectWork, { namespace, name }: ObjectName): readonly Own[] {
  return recordedNetworks(parts).flatMap((network) =>
    parts.tables
      .look(network.network, (table) => table.ofOwner({ kind: KINDS[of], namespace, name }))
      .map((entry) => ({ of: network, entry })),
  );
}

function stateSentences(of: ObjectWork, object: JsonMap): readonly string[] {
  const text = objectText(namedOf(of, object));
  const status = statusIn(object);
  const inUse = textOf(conditionOf(status, 'InUse')?.['message']);
  const overlaps = conditionOf(status, 'OverlapsOtherDoor');
  return [
    conditionSentence(text, conditionOf(status, 'Accepted') ?? conditionOf(status, 'Ready')),
    ...(isPaused(object) ? [`${text} is paused, so nothing is done about it`] : []),
    ...(isDying(object) ? [`${text} is being deleted${inUse === '' ? '' : `, and held: ${inUse}`}`] : []),
    ...(overlaps?.['status'] === 'True' ? [textOf(overlaps['message'])] : []),
  ];
}
