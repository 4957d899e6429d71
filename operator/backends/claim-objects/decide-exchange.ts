import { spaceText } from '../../addressing/space-text';
import { refuseOutdated } from '../../errors/store-refusals';
import type { AddressRecord, Holder, Move, Place } from '../../ports/claims';
import type { ClaimCodec } from './claim-codec';
import type { KnownClaim } from './claim-index';
import type { ClaimVerb, Decided } from './claim-verb';
import type { ClaimView } from './claim-view';
import { over, type ClaimWrite } from './claim-write';
import { changeable } from './decide-change';

interface Leaving {
  readonly claim: KnownClaim;
  readonly holder: Holder;
}

/**
 * Makes the verb by which holders change places in a circle.
 *
 * @param codec - of the claims
 * @param moves - each holder and where it goes, all in one network
 * @returns decides the call
 */
export function exchangeVerb(codec: ClaimCodec, moves: readonly Move[]): ClaimVerb<readonly AddressRecord[]> {
  return {
    decide: (view, decision) => {
      const leaving = new Map<string, Leaving>();
      const coming: Holder[] = [];
      for (const { from } of moves) {
        const found = changeable(view, from);
        if (!found.ok) return found.decided;
        const { claim, holder } = found.value;
        if (holder === undefined) return circleRefusal(from);
        leaving.set(view.nameOf(from), { claim, holder });
        coming.push(holder);
      }
      const stray = strayPlace(view, moves);
      if (stray !== undefined) return circleRefusal(stray);
      const writes: ClaimWrite[] = [];
      for (const [index, { to }] of moves.entries()) {
        const there = leaving.get(view.nameOf(to));
        const holder = coming[index];
        if (there === undefined || holder === undefined) return circleRefusal(to);
        const { record, object } = there.claim;
        const holders = [...record.holders.filter((each) => each !== there.holder), holder];
        const draft = { ...record, holders: holders.sort((a, b) => a.sinceMs - b.sinceMs) };
        const after = codec.write(draft, { decision, before: object });
        if (!after.ok) return { as: 'refusal', outcome: after, because: [] };
        writes.push({ name: view.nameOf(to), after: after.value, ...over(there.claim) });
      }
      return { as: 'writes', writes, answer: (records) => records as readonly AddressRecord[] };
    },
  };
}

function circleRefusal(place: Place): Decided<never> {
  return { as: 'refusal', outcome: refuseOutdated(spaceText(place)), because: [] };
}

// A place that is left twice, reached twice, or reached and not left: that is no circle.
function strayPlace(view: ClaimView, moves: readonly Move[]): Place | undefined {
  const froms = moves.map(({ from }) => view.nameOf(from));
  const tos = moves.map(({ to }) => view.nameOf(to));
  const times = (names: readonly string[], name: string): number => names.filter((each) => each === name).length;
  return moves.map(({ to }) => to).find((_, i) => times(froms, tos[i] ?? '') !== 1 || times(tos, tos[i] ?? '') !== 1);
}
