import { firstFindings, type DoorFinding, type DoorFindings } from '../../contract/ipam-api/door-pages';
import { objectText } from '../../contract/object-name';
import { textOf, type JsonMap } from '../../contract/loose-json';
import { NETWORKS_FINALIZER } from '../../contract/nephio';
import type { EntryOwner, NetworkEntry } from '../../contract/networks/entry';
import { conditionOf, statusIn } from '../../contract/stored-status';
import { otherFinalizers, sinceText } from '../../ledger/views/condition-sentences';
import type { ObjectWork } from './door-parts';
import { createdMsOf, feedOf, isDying, isPaused, keyOf, namedOf, ownerOf } from './objects';
import { missingId, objectOwners, stateOf } from './orphans';
import { networksOf } from './record';
import { shownBlock } from './shown-places';
import { instanceText, recordedNetworks, type RecordedNetwork } from './entries-on-record';
import type { NetworksPagesParts } from './networks-pages-parts';
import { FIRST_CONDITION_MS } from '../../contract/durations';

/** A stored object with what is said about it. */
interface Stored {
  readonly of: ObjectWork;
  readonly object: JsonMap;
  readonly check: string;
}

/** An entry with its network. */
interface Recorded {
  readonly of: RecordedNetwork;
  readonly entry: NetworkEntry;
}

/**
 * Looks at everything of the door that may need a person.
 *
 * @param parts - record and objects
 * @returns the findings, those about instances first
 * @remarks O(objects and entries).
 */
export function findingsPage(parts: NetworksPagesParts): DoorFindings {
  const stored = (['instance', 'prefix', 'allocation'] as const).flatMap((of) => storedOf(parts, of));
  const entries = recordedNetworks(parts).flatMap((of) => entriesOf(parts, of));
  const count = (of: ObjectWork): string => String(stored.filter((each) => each.of === of).length);
  return {
    check: 'NetworkInstances',
    well: `${count('instance')} NetworkInstances, ${count('prefix')} IPPrefixes and ${count('allocation')} IPAllocations are ready, with ${String(entries.length)} entries on record`,
    counted: 'ipam_network_',
    findings: [
      ...firstFindings(stored.flatMap((each) => waiting(parts, each))),
      ...firstFindings(stored.flatMap(held)),
      ...firstFindings(stored.flatMap((each) => withoutRecord(parts, each))),
      ...firstFindings(entries.flatMap((each) => withoutObject(parts, each))),
      ...firstFindings(entries.flatMap(madeByHand)),
      ...firstFindings(stored.flatMap(overlapping)),
      ...firstFindings(stored.flatMap(paused)),
    ],
  };
}

function storedOf(parts: NetworksPagesParts, of: ObjectWork): readonly Stored[] {
  return feedOf(parts, of)
    .list()
    .map((object) => ({ of, object, check: objectText(namedOf(of, object)) }));
}

function entriesOf({ tables }: NetworksPagesParts, of: RecordedNetwork): readonly Recorded[] {
  return tables.page(of.network, { most: Number.MAX_SAFE_INTEGER }).map((entry) => ({ of, entry }));
}

// A dying or paused object is told of by what it waits for.
function waiting({ clock }: NetworksPagesParts, { object, check }: Stored): readonly DoorFinding[] {
  if (isDying(object) || isPaused(object)) return [];
  const status = statusIn(object);
  const failed = ['Synced', 'Accepted', 'Ready']
    .map((type) => conditionOf(status, type))
    .find((condition) => condition?.['status'] === 'False');
  if (failed !== undefined) return [{ verdict: 'bad', check, finding: `is not ready ${sinceText(failed)}` }];
  const isLate = clock.nowMs() - createdMsOf(object) > FIRST_CONDITION_MS;
  if (conditionOf(status, 'Ready') !== undefined || !isLate) return [];
  return [{ verdict: 'bad', check, finding: 'has no condition yet, although it is older than a minute' }];
}

function held({ object, check }: Stored): readonly DoorFinding[] {
  if (!isDying(object)) return [];
  const others = otherFinalizers(object, NETWORKS_FINALIZER);
  const inUse = textOf(conditionOf(statusIn(object), 'InUse')?.['message']);
  const waits = [
    ...(inUse === '' ? [] : [inUse]),
    ...(others.length === 0 ? [] : [`the finalizer ${others.join(', ')} of another program`]),
  ];
  const finding = waits.length === 0 ? 'is being deleted' : `is being deleted, and held: ${waits.join(', and ')}`;
  return [{ verdict: 'watch', check, finding }];
}

function withoutRecord(parts: NetworksPagesParts, { of, object, check }: Stored): readonly DoorFinding[] {
  const block = of === 'instance' || isDying(object) || isPaused(object) ? undefined : shownBlock(of, object);
  if (block === undefined || networksOf(parts, ownerOf(parts, keyOf(of, object))).length > 0) return [];
  return [{ verdict: 'bad', check, finding: `shows ${block.toString()}, and nothing is on record for it` }];
}

function withoutObject(parts: NetworksPagesParts, { of, entry }: Recorded): readonly DoorFinding[] {
  const check = `AddressClaim ${entry.block.toString()}`;
  const missing = objectOwners(entry).filter((owner) => stateOf({ parts }, owner) !== 'stored');
  if (missing.length > 0)
    return missing.map((owner) => ({ verdict: 'watch', check, finding: missingText(parts, { of, entry }, owner) }));
  if (of.instance !== '') return [];
  return [{ verdict: 'watch', check, finding: `is on record in ${instanceText(of)}` }];
}

function missingText(parts: NetworksPagesParts, { of, entry }: Recorded, owner: EntryOwner): string {
  const about = `is on record for ${objectText(owner)}, which is not stored`;
  const { clock, settings, view } = parts;
  const sinceMs = view.missingSince.get(missingId(of.network, entry.block));
  if (sinceMs === undefined) return about;
  const until = new Date(sinceMs + settings.orphanGraceMs);
  return until.getTime() > clock.nowMs() ? `${about}, and is given back at ${until.toISOString()}` : about;
}

function madeByHand({ of, entry }: Recorded): readonly DoorFinding[] {
  if (entry.facts !== undefined) return [];
  const finding = `was made by hand for ${objectText(entry.owner)}, and blocks its space in ${instanceText(of)}`;
  return [{ verdict: 'watch', check: `AddressClaim ${entry.block.toString()}`, finding }];
}

function overlapping({ object, check }: Stored): readonly DoorFinding[] {
  const overlaps = conditionOf(statusIn(object), 'OverlapsOtherDoor');
  if (overlaps?.['status'] !== 'True') return [];
  return [{ verdict: 'watch', check, finding: textOf(overlaps['message']) }];
}

function paused({ object, check }: Stored): readonly DoorFinding[] {
  return isPaused(object) ? [{ verdict: 'watch', check, finding: 'is paused, so nothing is done about it' }] : [];
}
