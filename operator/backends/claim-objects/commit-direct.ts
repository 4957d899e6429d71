import type { ClaimCarrier } from './carry-out';
import type { ClaimCodec } from './claim-codec';
import type { ClaimIndex } from './claim-index';
import { ClaimView } from './claim-view';
import { decideBatch, type Planned } from './decide-batch';
import type { EndedSweep } from './delete-ended';
import { afterCarryOut } from './finish-job';
import type { ServerTime } from './server-time';
import type { Job } from './verb-queue';

/** Parts of both ways to commit. */
export interface CommitParts {
  readonly codec: ClaimCodec;
  readonly index: ClaimIndex;
  readonly carrier: ClaimCarrier;
  readonly time: ServerTime;
}

/**
 * Commits calls of a network without a table: the names of the objects are the only lock, so no two spaces of the network may overlap
 * under different names.
 *
 * @param parts - claims and writer
 * @param sweep - deletes quarantines that are over
 * @returns decides a batch and carries it out; returns the calls that are to be decided again
 */
export function commitDirectly(
  parts: CommitParts,
  sweep: EndedSweep,
): (jobs: readonly Job[]) => Promise<readonly Job[]> {
  const { codec, index, carrier, time } = parts;
  const carryOut = async (planned: Planned): Promise<readonly Job[]> => {
    try {
      return afterCarryOut(planned, await carrier.carryOut(planned.id, planned.writes));
    } catch (thrown) {
      planned.job.fail(thrown);
      return [];
    }
  };
  return async (jobs) => {
    const nowMs = await time.now();
    const view = new ClaimView(index, codec, nowMs);
    const { planned, later } = await decideBatch(view, [...jobs, ...sweep.jobs(nowMs)], {
      refresh: (names) => refreshAll(carrier, names),
    });
    const again = await Promise.all(planned.map(carryOut));
    return [...again.flat(), ...later];
  };
}

/**
 * Reads objects once more.
 *
 * @param carrier - reads them
 * @param names - of the objects
 */
export async function refreshAll(carrier: ClaimCarrier, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => carrier.refresh(name)));
}
