import { IpamError } from '../../errors/ipam-error';
import type { CarriedOut } from './carry-out';
import type { Planned } from './decide-batch';
import type { Job } from './verb-queue';

/** Times that a call is decided again when others write the same objects. */
const MOST_TRIES = 20;

/**
 * Answers a call whose decision ended.
 *
 * @param planned - the decision
 * @param ended - how it ended
 * @returns the call, when it is to be decided again
 */
export function afterCarryOut({ job, answer }: Pick<Planned, 'job' | 'answer'>, ended: CarriedOut): readonly Job[] {
  if (ended.as === 'overtaken') return again(job);
  if (ended.as === 'done' && answer === undefined) return [job];
  if (ended.as === 'done') job.accept(answer?.(ended.records));
  else job.refuse(ended.outcome);
  return [];
}

/**
 * Lets a call be decided again, within limits.
 *
 * @param job - the call
 * @returns the call; nothing once it was decided too often, which is told to its caller
 */
export function again(job: Job): readonly Job[] {
  job.tries += 1;
  if (job.tries < MOST_TRIES) return [job];
  job.fail(new IpamError('store/unavailable', 'claims of the network are written by other processes all the time'));
  return [];
}
