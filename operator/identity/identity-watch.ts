import { isMap, textOf } from '../contract/loose-json';
import { isIpamError } from '../errors/ipam-error';
import { refuse, type Outcome } from '../errors/outcome';
import type { LeaderWork } from '../runtime/leadership';
import type { Tools } from '../ports/tools';
import type { IdentityOrigin } from './identity-origin';

/** Between two looks. */
export const LOOK_MS = 5_000;
/** Between two looks while this process does not know the leader yet. */
const LOOK_SOON_MS = 500;
/** Looks without a sign of life after which the last writer counts as gone, unless it was proven to be a stranger. */
const SILENT_LOOKS = 2;
/**
 * Time without a sign of life after which a proven stranger counts as gone, also where it went in order: its cluster may be without
 * API server or leader for a while, and is alive all the same.
 */
export const STRANGER_GONE_MS = 120_000;
/** Further such looks after the record was away, which others may reach later than this process. */
const LOOKS_AFTER_OUTAGE = 2;
/**
 * Signs of life that prove a stranger. One or two can be of a leader of this cluster: it was held up, the record came from a
 * backup, or this process has not heard of the leader yet.
 */
const SIGNS = 3;

/** A place that every operator on the record can read and write: the text that stood there, replaced where one is given. */
type PresenceNote = (text?: string) => Promise<string>;

/** Sign of life of an operator. */
interface Presence {
  /** Of one process. */
  readonly instance: string;
  /** Where it runs, for people. */
  readonly at: string;
  /** Grows with each sign of life. */
  readonly beat: number;
  /** It went in order, so no process that saw it lead waits for it. */
  readonly ended: boolean;
}

/** Parts of an {@link IdentityWatch}. */
export interface IdentityWatchProps extends Tools {
  readonly note: PresenceNote;
  /** This process, as the Lease of the cluster names it. */
  readonly instance: string;
  /** Where it runs, for people. */
  readonly at: () => Promise<string>;
  /** Leader in this cluster as far as is known here; empty: none. */
  readonly leader: () => string;
  /** Whether an instance was seen to lead this very cluster; what a restored Lease names was not. */
  readonly hasLed: (instance: string) => boolean;
  /** Whose the claims under the identity are. */
  readonly origin: IdentityOrigin;
}

/**
 * Notices that another cluster goes by the identity of this one, after both were restored from one backup: each would release
 * what the other one's Services use. The leader of each cluster leaves signs of life at the record. A cluster that finds those of a
 * stranger that is alive neither gives nor releases anything, until the stranger is silent for long; a newcomer leaves none of
 * its own, so the cluster that was there first is not disturbed.
 */
export class IdentityWatch {
  readonly #props: IdentityWatchProps;
  #cancel: () => void = () => undefined;
  #looking: Promise<void> = Promise.resolve();
  #closed = false;
  /** A leader waits for a look that begins from now on. */
  #awaited = false;
  #beat = 0;
  #seen: Presence | undefined;
  /** The last sign of life, of any cluster, and for how long it was seen not to change. */
  #last: Presence | undefined;
  #lookedMs = 0;
  #silentMs = 0;
  /** Since the last sign of life of a process that was not seen to lead this very cluster. */
  #othersSilentMs = 0;
  /** Since the last sign of life of a stranger. */
  #strangerSilentMs = 0;
  /** Signs of life of the same stranger, and looks since then that found none. */
  #signs: { readonly of: string; readonly count: number } = { of: '', count: 0 };
  #looksWithout = 0;
  /** Knowledge of others: nothing yet, that no other operator is there, or the one that is. */
  #state: 'unsure' | 'alone' | Presence = 'unsure';
  /** Until then it is not known whether the note at the record is from a cluster of this identity that is alive. */
  #wasSure = false;
  /** The other cluster that was told of last. */
  #otherTold: string | undefined;
  #work: { readonly begin: () => void; begun: boolean } | undefined;

  /**
   * Begins to look.
   *
   * @param props - the note, this cluster, its leader, tools
   */
  constructor(props: IdentityWatchProps) {
    this.#props = props;
    props.meter.set('identity_shared', 0);
    props.meter.set('identity_silent', 0);
    this.#looking = this.#look().finally(() => {
      this.#lookAgain(this.#pauseMs());
    });
  }

  /**
   * Tells whether no other cluster goes by the identity of this one, as far as can be known; a leader asks anew each time it begins.
   *
   * @returns false also while nothing is known yet
   */
  alone(): boolean {
    return this.#state === 'alone' && this.#props.origin.other() === undefined;
  }

  /**
   * Finds the other cluster that goes by the identity of this one.
   *
   * @returns where it runs; undefined while none is known
   */
  stranger(): string | undefined {
    const other = this.#props.origin.other();
    if (other !== undefined) return `the cluster whose kube-system has UID "${other}"`;
    return typeof this.#state === 'string' ? undefined : `the operator at ${this.#state.at}`;
  }

  /**
   * Tells whether another cluster may be there of which nothing is known yet; only at the start of a process, and not where an operator
   * went in order. The other one would release what is given here meanwhile.
   *
   * @returns as far as was looked
   */
  suspects(): boolean {
    return !this.#wasSure && this.#state === 'unsure' && this.#seen?.ended === false;
  }

  /**
   * Waits for the first look.
   *
   * @returns when something is known, or the record is away
   */
  async looked(): Promise<void> {
    if (!this.#wasSure) await this.#looking;
  }

  /**
   * Puts off what a leader does until it is sure that no other cluster is there; from then on it leaves signs of life.
   *
   * @param work - of the leader, as far as it ends what others may hold
   * @returns the work to begin and end in its place
   */
  whenSure(work: LeaderWork): LeaderWork {
    return {
      begin: () => {
        this.#work = {
          begin: () => {
            work.begin();
          },
          begun: false,
        };
        // the Lease of a restored cluster names the leader of the other one, which is alive
        if (this.#state === 'alone') this.#state = 'unsure';
        this.#signs = { of: '', count: 0 };
        this.#looksWithout = 0;
        this.#awaited = true;
        this.#lookAgain(0);
      },
      end: async () => {
        const begun = this.#hasBegun();
        this.#work = undefined;
        await this.#looking;
        await work.end();
        if (begun && this.alone()) await this.#say(true).catch(() => undefined);
      },
    };
  }

  /**
   * Takes the claims over from another cluster of this identity that is gone.
   *
   * @param uid - of its `kube-system`
   * @param dryRun - true: only tells
   * @returns nothing; or refusal `api/not-found`, `cluster/identity-shared` while it gives signs of life
   * @throws IpamError of record or cluster
   */
  async forget(uid: string, dryRun: boolean): Promise<Outcome<void>> {
    const { origin, logger } = this.#props;
    if (origin.other() === uid && this.#othersSilentMs < STRANGER_GONE_MS) {
      const message = `cluster "${uid}" is alive, or was not silent for ${STRANGER_GONE_MS / 1_000} s yet as far as this process has seen; shut its operator down, and ask again then`;
      return refuse('cluster/identity-shared', message, { value: uid });
    }
    const forgotten = await origin.forget(uid, dryRun);
    if (forgotten.ok && !dryRun) {
      logger.warn('another cluster of this identity is forgotten by an administrator', { uid });
      this.#becomeShared();
      this.#awaited = true;
      this.#lookAgain(0);
    }
    return forgotten;
  }

  /** Ends the looks; waits for one that is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    await this.#looking;
  }

  #lookAgain(pauseMs: number): void {
    this.#cancel();
    if (this.#closed) return;
    this.#cancel = this.#props.clock.after(pauseMs, () => {
      this.#looking = this.#looking
        .then(() => this.#look())
        .finally(() => {
          this.#lookAgain(this.#pauseMs());
        });
    });
  }

  #pauseMs(): number {
    if (this.#awaited) return 0;
    return this.suspects() && this.#props.leader() === '' ? LOOK_SOON_MS : LOOK_MS;
  }

  async #look(): Promise<void> {
    const { note, origin, logger } = this.#props;
    this.#awaited = false;
    try {
      // before the note: whatever comes between reading and writing it can hide a sign of life that is overwritten
      await origin.look();
      this.#judge(presenceIn(await note()));
      if (this.#work !== undefined && this.alone()) await origin.claim();
      this.#becomeShared();
      if (this.#work === undefined) return;
      if (this.alone()) this.#beginWork();
      if (this.#work.begun) await this.#say(false);
    } catch (thrown) {
      // while the record is away nothing is given or released anyway, and no cluster can leave a sign of life
      this.#silentMs = -LOOKS_AFTER_OUTAGE * LOOK_MS;
      this.#othersSilentMs = 0;
      this.#strangerSilentMs = 0;
      logger.debug('no look at the identity', { code: isIpamError(thrown) ? thrown.code : 'internal' });
    }
  }

  #becomeShared(): void {
    const { origin, meter, logger } = this.#props;
    const other = origin.other();
    const isSilent = other !== undefined && this.#othersSilentMs >= STRANGER_GONE_MS;
    meter.set('identity_silent', isSilent ? 1 : 0);
    if (other !== undefined) meter.set('identity_shared', 1);
    else if (this.#otherTold !== undefined && typeof this.#state === 'string') meter.set('identity_shared', 0);
    if (other !== undefined && other !== this.#otherTold) {
      const why = `give this cluster a --cluster-id of its own; where the other one is gone for good: ipam cluster forget ${other}`;
      logger.error('another cluster goes by the identity of this one', { uid: other, why });
    }
    this.#otherTold = other;
  }

  #judge(found: Presence | undefined): void {
    const changed = !isSame(found, this.#last);
    this.#last = found;
    this.#listen(found, changed);
    this.#seen = this.#strangerIn(found);
    if (this.#seen === undefined) {
      this.#missStranger();
    } else if (changed) {
      this.#suspect(this.#seen);
    } else if (this.#isGone()) {
      this.#become('alone');
    }
  }

  // A look counts for at most the time between two: the clock may jump, and a record that was slow here was so for the others.
  #listen(found: Presence | undefined, changed: boolean): void {
    const { clock, instance, hasLed } = this.#props;
    const nowMs = clock.nowMs();
    const passedMs = Math.min(Math.max(nowMs - this.#lookedMs, 0), LOOK_MS);
    this.#lookedMs = nowMs;
    this.#silentMs = changed ? 0 : this.#silentMs + passedMs;
    const ofOthers = changed && found !== undefined && found.instance !== instance && !hasLed(found.instance);
    this.#othersSilentMs = ofOthers ? 0 : this.#othersSilentMs + passedMs;
    this.#strangerSilentMs += passedMs;
  }

  #isGone(): boolean {
    return typeof this.#state === 'string'
      ? this.#silentMs >= SILENT_LOOKS * LOOK_MS
      : this.#strangerSilentMs >= STRANGER_GONE_MS;
  }

  // Our own sign of life, or that of our leader, says at once that no other cluster is there, unless one was.
  #missStranger(): void {
    this.#looksWithout += 1;
    if (this.#looksWithout >= SILENT_LOOKS) this.#signs = { of: '', count: 0 };
    if (typeof this.#state === 'string' || this.#isGone()) this.#become('alone');
  }

  #suspect(stranger: Presence): void {
    const { of, count } = this.#signs;
    this.#looksWithout = 0;
    this.#strangerSilentMs = 0;
    this.#signs = { of: stranger.instance, count: of === stranger.instance ? count + 1 : 1 };
    if (this.#signs.count >= SIGNS && this.#props.leader() !== '') this.#become(stranger);
  }

  #hasBegun(): boolean {
    return this.#work?.begun === true;
  }

  // That one ended in order says nothing of a cluster that is not ours: its next leader may begin in a moment.
  #strangerIn(found: Presence | undefined): Presence | undefined {
    if (found === undefined) return undefined;
    const { instance, leader, hasLed } = this.#props;
    const isOurs = [instance, leader()].includes(found.instance) || (found.ended && hasLed(found.instance));
    return isOurs ? undefined : found;
  }

  #become(state: 'alone' | Presence): void {
    const { logger, meter, instance } = this.#props;
    const before = this.#state;
    this.#state = state;
    this.#wasSure = true;
    if (typeof state !== 'string') {
      meter.set('identity_shared', 1);
      if (typeof before === 'string') {
        const hint = 'give one of both clusters a --cluster-id of its own, or shut it down';
        logger.error('another cluster goes by the identity of this one', {
          host: state.at,
          identity: instance,
          why: hint,
        });
      }
    } else if (typeof before !== 'string' && this.#props.origin.other() === undefined) {
      meter.set('identity_shared', 0);
      logger.warn('no other cluster goes by the identity of this one any more', { host: before.at });
    }
  }

  #beginWork(): void {
    const work = this.#work;
    if (work === undefined || work.begun) return;
    work.begun = true;
    work.begin();
  }

  async #say(ended: boolean): Promise<void> {
    const { note, instance, at } = this.#props;
    this.#beat += 1;
    await note(JSON.stringify({ instance, at: await at(), beat: this.#beat, ended }));
  }
}

function isSame(one: Presence | undefined, other: Presence | undefined): boolean {
  return one?.instance === other?.instance && one?.beat === other?.beat;
}

function presenceIn(text: string): Presence | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isMap(value)) return undefined;
  const { instance, at, beat, ended } = value;
  if (typeof beat !== 'number' || textOf(instance) === '') return undefined;
  return { instance: textOf(instance), at: textOf(at), beat, ended: ended === true };
}
