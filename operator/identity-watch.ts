import { isMap, textOf } from './contract/loose-json';
import { isIpamError } from './errors/ipam-error';
import type { LeaderWork } from './leadership';
import type { Tools } from './surroundings';

/** Between two looks. */
export const LOOK_MS = 5_000;
/** Looks without a sign of life after which whoever wrote last counts as gone. */
const SILENT_LOOKS = 2;

/** A place that every operator on the record can read and write: the text that stood there, replaced where one is given. */
type PresenceNote = (text?: string) => Promise<string>;

/** What an operator says of itself. */
interface Presence {
  /** Of one process. */
  readonly instance: string;
  /** Where it runs, for people. */
  readonly at: string;
  /** Grows with each sign of life. */
  readonly beat: number;
  /** It went in order, so nobody waits for it. */
  readonly ended: boolean;
}

/** What an {@link IdentityWatch} works with. */
export interface IdentityWatchProps extends Tools {
  readonly note: PresenceNote;
  /** This process, as the Lease of the cluster names it. */
  readonly instance: string;
  /** Where it runs, for people. */
  readonly at: () => Promise<string>;
  /** Who leads in this cluster as far as is known here; empty: nobody. */
  readonly leader: () => string;
}

/**
 * Notices that another cluster goes by the identity of this one, after both were restored from one backup: each would release
 * what the other one's Services use. The leader of each cluster leaves signs of life at the record. Whoever finds those of a
 * stranger that is alive neither gives nor releases anything, until the stranger is silent; a newcomer leaves none of its own, so
 * whoever was there first is not disturbed.
 */
export class IdentityWatch {
  readonly #props: IdentityWatchProps;
  #cancel: () => void = () => undefined;
  #looking: Promise<void> = Promise.resolve();
  #closed = false;
  #beat = 0;
  #seen: Presence | undefined;
  /** The last sign of life, whoever left it, and when it was seen to change. */
  #last: Presence | undefined;
  #changedMs = 0;
  #silent = 0;
  /** What is known of others: nothing yet, that nobody else is there, or who is. */
  #state: 'unsure' | 'alone' | Presence = 'unsure';
  /** Until then nobody knows whether what stands at the record is from a cluster of this identity that is alive. */
  #wasSure = false;
  #work: { readonly begin: () => void; begun: boolean } | undefined;

  /**
   * Begins to look.
   *
   * @param props - the note, who this is, who leads here, tools
   */
  constructor(props: IdentityWatchProps) {
    this.#props = props;
    props.meter.set('identity_shared', 0);
    this.#looking = this.#look().finally(() => {
      this.#lookAgain(LOOK_MS);
    });
  }

  /**
   * Tells who else goes by the identity of this cluster.
   *
   * @returns where it runs; undefined while nobody is known to
   */
  stranger(): string | undefined {
    return typeof this.#state === 'string' ? undefined : this.#state.at;
  }

  /**
   * Tells whether somebody may be there of whom nothing is known yet; only at the start of a process.
   *
   * @returns after the first look
   */
  async suspects(): Promise<boolean> {
    if (!this.#wasSure) await this.#looking;
    return !this.#wasSure && this.#state === 'unsure' && this.#seen !== undefined;
  }

  /**
   * Puts off what a leader does until it is sure that nobody else is there; from then on it leaves signs of life.
   *
   * @param work - of the leader
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
        this.#seen = undefined;
        this.#silent = 0;
        this.#lookAgain(0);
      },
      end: async () => {
        const begun = this.#hasBegun();
        this.#work = undefined;
        await this.#looking;
        await work.end();
        if (begun && this.#state === 'alone') await this.#say(true).catch(() => undefined);
      },
    };
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
          this.#lookAgain(LOOK_MS);
        });
    });
  }

  async #look(): Promise<void> {
    const { note, logger } = this.#props;
    try {
      this.#judge(presenceIn(await note()));
      if (this.#work === undefined) return;
      if (this.#state === 'alone') this.#beginWork();
      if (this.#work.begun) await this.#say(false);
    } catch (thrown) {
      // while the record is away nothing is given or released anyway
      logger.debug('no look at the identity', { code: isIpamError(thrown) ? thrown.code : 'internal' });
    }
  }

  #judge(found: Presence | undefined): void {
    const nowMs = this.#props.clock.nowMs();
    const changed = !isSame(found, this.#last);
    if (changed) this.#changedMs = nowMs;
    this.#last = found;
    const before = this.#seen;
    this.#seen = this.#strangerIn(found);
    if (this.#seen === undefined) {
      // our own sign of life, or that of our leader, says at once that nobody else is there
      this.#becomeAloneAfter(this.stranger() === undefined ? 1 : SILENT_LOOKS);
    } else if (changed) {
      this.#silent = 0;
      // it wrote after this process did, or while this one looked
      if (this.#hasBegun() || before?.instance === this.#seen.instance) this.#become(this.#seen);
    } else if (nowMs - this.#changedMs >= SILENT_LOOKS * LOOK_MS) {
      this.#become('alone');
    }
  }

  #hasBegun(): boolean {
    return this.#work?.begun === true;
  }

  #strangerIn(found: Presence | undefined): Presence | undefined {
    const { instance, leader } = this.#props;
    return found === undefined || found.ended || [instance, leader()].includes(found.instance) ? undefined : found;
  }

  #becomeAloneAfter(looks: number): void {
    this.#silent += 1;
    if (this.#silent >= looks) this.#become('alone');
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
        logger.error('another cluster goes by the identity of this one', { stranger: state.at, instance, hint });
      }
    } else if (typeof before !== 'string') {
      meter.set('identity_shared', 0);
      logger.warn('no other cluster goes by the identity of this one any more', { stranger: before.at });
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
