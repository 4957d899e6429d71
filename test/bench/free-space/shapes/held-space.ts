/** Ours: the choice of a claim store whose record is objects, over its index, in a batch of its own as each take has one. */
import { Address, addressOf } from '../../../../operator/addressing/address';
import { Prefix } from '../../../../operator/addressing/prefix';
import { PrefixSetBuilder } from '../../../../operator/addressing/prefix-set';
import type { ClaimCodec } from '../../../../operator/backends/claim-objects/claim-codec';
import { ClaimIndex } from '../../../../operator/backends/claim-objects/claim-index';
import { ClaimView } from '../../../../operator/backends/claim-objects/claim-view';
import { lowestFree } from '../../../../operator/backends/claim-objects/free-space';
import { refuse } from '../../../../operator/errors/outcome';
import type { AddressRecord, Holder } from '../../../../operator/ports/claims';
import { randomOffsets4 } from './tasks';
import { serve } from '../serve';
import type { Contestant } from '../shape';

const BASE = addressOf('10.0.0.0');
const SPACE = new PrefixSetBuilder().add(new Prefix(BASE, 8)).build();
const BATCH = 64;

const CODEC: ClaimCodec = {
  maxHolders: 1,
  nameOf: ({ address }) => address.toString(),
  read: (object) => object['record'] as AddressRecord,
  write: () => refuse('claim/invalid', 'nothing is written here'),
  decisionOf: () => '',
};

/** Quarantines of {@link quarantinedFrom}, which no bench outlives. */
const END_MS = 1e15;
const FORMER: Holder = {
  id: 'h',
  state: 'bound',
  sinceMs: 0,
  owner: { cluster: '', apiVersion: 'v1', kind: 'Service', namespace: 'a', namespaceUid: '', name: 'b' },
};

function indexOf(
  offsets: Iterable<number>,
  stateOf: (offset: number) => Partial<AddressRecord> = () => ({}),
): ClaimIndex {
  const index = new ClaimIndex(CODEC, () => undefined);
  for (const offset of offsets) {
    const address = new Address(4, { w0: 0, w1: 0, w2: 0, w3: BASE.w3 + offset });
    const record = {
      network: 'default',
      address,
      length: 32,
      pool: 'p',
      family: 4,
      state: 'held',
      holders: [],
      takenAtMs: 0,
      version: 1,
      ...stateOf(offset),
    };
    const name = String(offset);
    index.put({ metadata: { name, uid: name, resourceVersion: '1' }, record });
  }
  return index;
}

function choosing(index: ClaimIndex): Contestant {
  return {
    batch: BATCH,
    op: () => lowestFree(new ClaimView(index, CODEC, 0), 'default', { family: 4, space: SPACE })?.first.w3 ?? 0,
  };
}

/** Cost of a choice without the runs: one look-up for each address in use, up to the first gap. */
function walking(index: ClaimIndex): Contestant {
  return {
    batch: 1,
    op: () => {
      let at = BASE;
      while (index.overlapping('default', new Prefix(at, 32)).length > 0) at = at.next() ?? BASE;
      return at.w3;
    },
  };
}

const first = (live: number): Iterable<number> => Array.from({ length: live }, (_, offset) => offset);
/** A gap at the end of each run, and runs of every length. */
const scattered = (live: number): Iterable<number> => new Set([...first(1_000), ...randomOffsets4(live, 3)]);

// each with an end of its own, in no order
const quarantinedFrom = (offset: number): Partial<AddressRecord> => ({
  state: 'quarantined',
  quarantine: { untilMs: END_MS + ((offset * 7_919) % 1_000_003), former: FORMER },
});

serve({
  empty: () => choosing(indexOf([])),
  dense: ({ live }) => choosing(indexOf(first(live))),
  quarantined: ({ live }) => choosing(indexOf(first(live), quarantinedFrom)),
  scattered: ({ live }) => choosing(indexOf(scattered(live))),
  walk: ({ live }) => walking(indexOf(first(live))),
});
