import { IpamError } from '../../errors/ipam-error';
import type { Outcome } from '../../errors/outcome';
import type { Clock } from '../../ports/clock';
import type { NetworkTables } from '../../ports/network-tables';
import type { ClaimCodec } from './claim-codec';
import type { ClaimIndex } from './claim-index';
import type { ClaimVerb } from './claim-verb';
import type { ServerTime } from './server-time';
import { tableVerb, type Concluded, type TableCall } from './table-verb';
import { entryOf, TableView } from './table-view';
import { writePause } from './write-pause';

/** Parts of the tables of {@link networkTables}. */
export interface NetworkTablesParts {
  readonly codec: ClaimCodec;
  readonly index: ClaimIndex;
  readonly time: ServerTime;
  readonly clock: Clock;
  /** From 0 to 1, for pauses. */
  readonly random: () => number;
  /** Runs a verb in its turn; throws for a network that has no table. */
  readonly run: <V>(network: string, verb: ClaimVerb<V>) => Promise<Outcome<V>>;
}

/** Times that a decision waits for another process to carry out its own. */
const MOST_TRIES = 20;

/**
 * Shows claims as tables of networks whose space nests.
 *
 * @param parts - claims and tools
 * @returns the tables; a decision whose claims cannot be stored is refused with `claim/invalid` or `cluster/refused`
 */
export function networkTables(parts: NetworkTablesParts): NetworkTables {
  const { index, time } = parts;
  return {
    decide: async (network, decide) => {
      for (let left = MOST_TRIES; left > 0; left -= 1) {
        const outcome = await decideOnce(parts, { network, decide });
        if (outcome !== 'busy') return outcome;
        await writePause(parts);
      }
      throw new IpamError('store/unavailable', `claims of network "${network}" are being written by another process`);
    },
    look: (network, read) =>
      index.withLayer(network, [], (space) =>
        read(
          new TableView({
            network,
            space,
            nowMs: time.estimate(),
            find: (wanted) => index.all(wanted).map(({ record }) => record),
            isUnderWay: () => false,
            seen: () => undefined,
          }),
        ),
      ),
    page: (network, { after, most }) =>
      index.withLayer(network, [], (space) => space.page(after, most).map(({ record }) => entryOf(record))),
  };
}

async function decideOnce<V>({ codec, run }: NetworkTablesParts, call: TableCall<V>): Promise<Outcome<V> | 'busy'> {
  let made: unknown;
  const verb = tableVerb(codec, {
    network: call.network,
    decide: (table) => {
      const verdict = call.decide(table);
      made = verdict.as === 'refusal' ? verdict.refusal : undefined;
      return verdict;
    },
  });
  const outcome = await run<Concluded<V>>(call.network, verb);
  // another process writes a claim that the decision rests on
  if (!outcome.ok) return outcome.refusal !== made && outcome.refusal.code === 'store/conflict' ? 'busy' : outcome;
  if (outcome.value.as === 'thrown') throw outcome.value.thrown;
  return { ok: true, value: outcome.value.value };
}
