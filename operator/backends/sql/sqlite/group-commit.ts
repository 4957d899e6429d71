import { refusalOf, type IpamError } from '../../../errors/ipam-error';
import { isForArchive, readsOnly, type ArchiveRequest } from './archive-wire';
import { bindClaim, releaseClaim } from './change-claim';
import type { ClaimRow } from '../shared/claim-row';
import type { ClaimTables } from './claim-tables';
import { readsOutside } from '../shared/outside-tables';
import { serveArchive, tallyClaims } from './serve-archive';
import { exchangeClaims } from './exchange-claims';
import { renamedProblem } from './renamed-clusters';
import { keepSpaces, takeClaim, takeFirst } from './take-claim';
import type { WireAnswer, WireRequest, WireResults } from './wire';
import { tryWrite, type WriteHealth } from './write-health';

/** Most requests in one transaction: bounds how long the first of them waits for the last one. */
export const MAX_GROUP = 256;

type Result = WireResults[keyof WireResults];
type PingRequest = Extract<WireRequest, { verb: 'ping' }>;
type ReadRequest = Extract<WireRequest, { verb: 'get' | 'list' | 'revision' | 'tally' }>;

function isReading(request: WireRequest): boolean {
  const { verb } = request;
  if (isForArchive(request)) return readsOnly(request);
  if (verb === 'outside') return readsOutside(request.statement);
  return isRead(request);
}

function isRead(request: WireRequest): request is ReadRequest {
  const { verb } = request;
  return verb === 'get' || verb === 'list' || verb === 'revision' || verb === 'tally';
}

function keyFingerprint(tables: ClaimTables, candidate: string | undefined): string {
  const { statements } = tables;
  // no claim is held: no stored hash depends on the old key any more
  if (candidate !== undefined && statements.someHeld.get() === undefined)
    statements.setSetting.run('keyFingerprint', candidate);
  return (statements.setting.get('keyFingerprint')?.['value'] as string | undefined) ?? '';
}

type ClaimRequest = Exclude<WireRequest, ArchiveRequest | PingRequest>;

function serve(tables: ClaimTables, request: ClaimRequest): Result {
  return isRead(request) ? read(tables, request) : (renamedProblem(tables, request) ?? write(tables, request));
}

function write(tables: ClaimTables, request: Exclude<ClaimRequest, ReadRequest>): Result {
  const { statements } = tables;
  switch (request.verb) {
    case 'take':
      return takeClaim(tables, request);
    case 'takeFirst':
      return takeFirst(tables, request);
    case 'bind':
      return bindClaim(tables, request);
    case 'release':
      return releaseClaim(tables, request);
    case 'exchange':
      return exchangeClaims(tables, request);
    case 'keyFingerprint':
      return keyFingerprint(tables, request.candidate);
    case 'outside':
      return statements.outside[request.statement].all(...request.values) as unknown as readonly (readonly unknown[])[];
    case 'close':
      return undefined;
  }
}

function read(tables: ClaimTables, request: ReadRequest): Result {
  const { statements } = tables;
  switch (request.verb) {
    case 'get': {
      const { network, address, length, nowMs: now } = request;
      return statements.claim.all({ network, address, length, now }) as unknown as readonly ClaimRow[];
    }
    case 'list': {
      const parameters = { ...request.parameters, now: request.nowMs };
      return statements.list[request.by].all(parameters) as unknown as readonly ClaimRow[];
    }
    case 'revision':
      return tables.revision;
    case 'tally':
      return tallyClaims(tables, request.nowMs);
  }
}

/**
 * Runs many requests in one transaction, each for itself: what one of them breaks is undone alone, and no caller is answered
 * before everything is on the disk.
 *
 * One caller at a time; holds no resources of its own.
 */
export class GroupCommit {
  readonly #tables: ClaimTables;
  readonly #explain: (error: unknown) => IpamError;
  readonly #health: WriteHealth | undefined;
  /** True where the copy in memory could not be read again after a rollback: nothing may be decided on it. */
  #stale = false;

  /**
   * Starts on open tables.
   *
   * @param tables - where the requests work
   * @param explain - turns what the database throws into an error of the catalogue
   * @param health - follows what becomes of writes; absent for tables without a file
   */
  constructor(tables: ClaimTables, explain: (error: unknown) => IpamError, health?: WriteHealth) {
    this.#tables = tables;
    this.#explain = explain;
    this.#health = health;
  }

  /**
   * Serves a group.
   *
   * @param requests - at most {@link MAX_GROUP}
   * @returns one answer for each request, in order; errors instead of every answer when the group could not be stored
   */
  run(requests: readonly WireRequest[]): readonly WireAnswer[] {
    try {
      if (this.#stale) this.#tables.reload();
      this.#stale = false;
      return this.#serveAll(requests);
    } catch (error) {
      // A rollback whose rows cannot be read again, as on damaged pages: an answer for each, or the thread would die.
      this.#stale = true;
      const failed = { ok: false, error: this.#wireError(error) } as const;
      return requests.map(() => failed);
    }
  }

  #serveAll(requests: readonly WireRequest[]): readonly WireAnswer[] {
    // nothing can change under a reader, since this process alone has the file
    if (requests.every((request) => this.#onlyReads(request))) return requests.map((request) => this.#answer(request));
    // Requests check before they write, so one that fails half-way is a rare thing: a savepoint for each, which copies every
    // page that is touched (a third of all work), is only taken when a group has such a request.
    return this.#transaction(requests, { isolated: false }) ?? this.#transaction(requests, { isolated: true }) ?? [];
  }

  // A look at the store writes only where no claim did lately.
  #onlyReads(request: WireRequest): boolean {
    return request.verb === 'ping' ? this.#health?.isInDoubt !== true : isReading(request);
  }

  // Undefined: a request that was not isolated broke, and everything was undone.
  #transaction(
    requests: readonly WireRequest[],
    { isolated }: { isolated: boolean },
  ): readonly WireAnswer[] | undefined {
    const { statements } = this.#tables;
    const answers: WireAnswer[] = [];
    try {
      statements.begin.run();
      const before = this.#tables.revision;
      for (const request of requests) {
        const answer = isolated ? this.#isolated(request) : this.#answer(request);
        if (!answer.ok && !isolated) {
          this.#undo(requests);
          return undefined;
        }
        answers.push(answer);
      }
      if (this.#tables.revision !== before) statements.setSetting.run('revision', this.#tables.revision);
      statements.commit.run();
      this.#health?.stored();
      return answers;
    } catch (error) {
      this.#undo(requests);
      const failed = { ok: false, error: this.#wireError(error) } as const;
      return requests.map(() => failed);
    }
  }

  #isolated(request: WireRequest): WireAnswer {
    const { statements } = this.#tables;
    statements.savepoint.run();
    const { revision } = this.#tables;
    const answer = this.#answer(request);
    if (!answer.ok) {
      statements.undoSavepoint.run();
      this.#tables.reload();
      // the row of the counter is written once, at the end of the group
      this.#tables.revision = revision;
    }
    statements.keepSavepoint.run();
    return answer;
  }

  #answer(request: WireRequest): WireAnswer {
    try {
      return { ok: true, result: this.#serve(request), changes: this.#tables.takeChanges() };
    } catch (error) {
      return { ok: false, error: this.#wireError(error) };
    }
  }

  #serve(request: WireRequest): Result {
    if (isForArchive(request)) return serveArchive(this.#tables, request);
    if (request.verb !== 'ping') return serve(this.#tables, request);
    this.#health?.check();
    if (!this.#onlyReads(request)) tryWrite(this.#tables, request.nowMs);
    else this.#tables.statements.setting.get('revision');
    return undefined;
  }

  #undo(requests: readonly WireRequest[]): void {
    try {
      this.#tables.statements.rollback.run();
    } catch {
      // some errors (disk full, I/O) have ended the transaction already
    }
    // a space travels once, so it must outlive the failure of the request that brought it
    for (const request of requests) {
      const { verb } = request;
      if (verb === 'take' || verb === 'takeFirst' || verb === 'peek') keepSpaces(this.#tables, request);
    }
    this.#tables.reload();
  }

  #wireError(error: unknown): { code: IpamError['code']; message: string } {
    const explained = this.#explain(error);
    this.#health?.failed(error, explained);
    const { code, message } = refusalOf(explained);
    return { code, message };
  }
}
