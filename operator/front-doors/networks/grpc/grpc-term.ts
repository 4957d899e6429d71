import { faultFields } from '../../../errors/trace';
import type { Tools } from '../../../ports/tools';
import { whileLeading, type LeaderWork } from '../../../runtime/leadership';

/** Pause before a port that could not be had is tried again. */
const LISTEN_AGAIN_MS = 2_000;
/** Pause between two looks at what leads callers to this process. */
const LOOK_MS = 30_000;
/** Pause before what could not be written is tried again. */
const AGAIN_MS = 1_000;
/** Time in which running calls finish at the end of a term. */
const GRACE_MS = 5_000;

/** A server for one term. */
interface TermServer {
  listen(): Promise<{ readonly host: string; readonly port: number }>;
  serving(isServing: boolean): void;
  close(graceMs: number): Promise<void>;
}

/** Objects that lead callers to the process that serves. */
interface Announcement {
  announce(): Promise<boolean>;
  withdraw(): Promise<boolean>;
}

/** Server, announcement and tools of {@link grpcTerm}. */
export interface GrpcTermParts extends Tools {
  readonly open: () => TermServer;
  /** Absent where nothing is to be written. */
  readonly announcement?: Announcement;
  /** Follows whether calls are decided. */
  readonly follow: (listener: (isGiving: boolean) => void) => () => void;
  /** Is told why the port cannot be had; undefined once it listens. */
  readonly onProblem: (problem: string | undefined) => void;
}

/**
 * Serves gRPC while this process leads, and is announced while calls are decided.
 *
 * @param parts - server, announcement, tools
 * @returns the work of the leader
 */
export function grpcTerm(parts: GrpcTermParts): LeaderWork {
  return whileLeading(() => {
    const term = new GrpcTerm(parts);
    return () => term.end();
  });
}

class GrpcTerm {
  readonly #parts: GrpcTermParts;
  readonly #stopFollowing: () => void;
  #server: TermServer | undefined;
  #listening: Promise<void>;
  #isListening = false;
  #isGiving = false;
  #isAnnounced = false;
  #ended = false;
  #cancel: () => void = () => undefined;
  /** The writes of the announcement, one after the other. */
  #writes: Promise<void> = Promise.resolve();

  constructor(parts: GrpcTermParts) {
    this.#parts = parts;
    this.#listening = this.#listen();
    this.#stopFollowing = parts.follow((isGiving) => {
      this.#isGiving = isGiving;
      this.#tell();
    });
  }

  async end(): Promise<void> {
    this.#ended = true;
    this.#stopFollowing();
    this.#cancel();
    this.#parts.onProblem(undefined);
    this.#server?.serving(false);
    // callers go elsewhere first
    await this.#writes;
    if (this.#isAnnounced) await this.#parts.announcement?.withdraw();
    await this.#listening;
    await this.#server?.close(GRACE_MS);
  }

  async #listen(): Promise<void> {
    const { clock, logger, open, onProblem } = this.#parts;
    const server = open();
    try {
      const address = await server.listen();
      this.#server = server;
      this.#isListening = true;
      onProblem(undefined);
      logger.info('listening', { name: 'networks-grpc', ...address });
      this.#tell();
    } catch (thrown) {
      await server.close(0);
      if (this.#ended) return;
      logger.error('the gRPC API cannot listen and tries again', faultFields(thrown));
      onProblem('the gRPC API of networks cannot listen; the log says why');
      this.#cancel = clock.after(LISTEN_AGAIN_MS, () => {
        this.#listening = this.#listen();
      });
    }
  }

  #tell(): void {
    if (!this.#isListening || this.#ended) return;
    this.#server?.serving(this.#isGiving);
    this.#writes = this.#writes.then(() => this.#announce());
  }

  async #announce(): Promise<void> {
    const { announcement, clock } = this.#parts;
    if (announcement === undefined || this.#ended) return;
    this.#cancel();
    const isWanted = this.#isGiving;
    if (!isWanted && !this.#isAnnounced) return;
    const done = await (isWanted ? announcement.announce() : announcement.withdraw());
    // a write that failed may have come through
    this.#isAnnounced = isWanted || !done;
    this.#cancel = clock.after(done ? LOOK_MS : AGAIN_MS, () => {
      this.#writes = this.#writes.then(() => this.#announce());
    });
  }
}
