import { DatabaseSync } from 'node:sqlite';
import { addressOf } from '../../../../../operator/addressing/address';
import { toColumn } from '../../../../../operator/backends/sql/shared/address-column';
import { ClaimTables } from '../../../../../operator/backends/sql/sqlite/claim-tables';
import { GroupCommit } from '../../../../../operator/backends/sql/sqlite/group-commit';
import { storeError } from '../../../../../operator/backends/sql/sqlite/open-database';
import { migrate } from '../../../../../operator/backends/sql/sqlite/schema';
import { prepareStatements, type Statements } from '../../../../../operator/backends/sql/sqlite/statements';
import { wireTake, type NewPlace, type WireTake } from '../../../../../operator/backends/sql/sqlite/take-wire';
import type { WireAnswer, WireRequest } from '../../../../../operator/backends/sql/sqlite/wire';
import { holderOf, leaseOf, NOW, taking, type Taking } from '../../../../support/claim-requests';

/** A group commit on a database in memory, some of whose statements a test may break. */
class World {
  readonly db = new DatabaseSync(':memory:');
  readonly statements: Statements;
  readonly tables: ClaimTables;
  readonly groups: GroupCommit;
  readonly log: string[] = [];
  /** Statements that read, in their order. */
  readonly reads: string[] = [];
  breaks: (name: string, parameters: readonly unknown[]) => boolean = () => false;

  constructor() {
    migrate(this.db, ':memory:');
    this.statements = prepareStatements(this.db);
    const { statements } = this;
    const watched = new Proxy(statements, {
      get: (target, name: keyof Statements) => this.#watched(name, target[name]),
    });
    this.tables = new ClaimTables(watched);
    this.groups = new GroupCommit(this.tables, (error) => storeError(error, ':memory:'));
  }

  #watched(name: string, statement: Statements[keyof Statements]): never {
    const run = (...parameters: unknown[]): unknown => {
      this.log.push(name);
      if (this.breaks(name, parameters)) throw Object.assign(new TypeError('broken by the test'), { errcode: 13 });
      return (statement as { run: (...all: unknown[]) => unknown }).run(...parameters);
    };
    return new Proxy(statement, {
      get: (target, property) => {
        if (property === 'run') return run;
        const value = Reflect.get(target, property) as unknown;
        if (property === 'get' || property === 'all') this.reads.push(name);
        else if (typeof value === 'object') this.reads.push(`${name} by ${String(property)}`);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    }) as never;
  }
}

function firstTake(name: string, change: Taking & { readonly known?: boolean } = {}): WireRequest {
  const unless = ['owner', 'name'] as const;
  return { ...(take(name, { holder: leaseOf(name, 300), ...change }) as WireTake), verb: 'takeFirst', unless };
}

const SPACE = [[toColumn(addressOf('10.0.0.0')), toColumn(addressOf('10.0.0.7'))]] as const;

function take(name: string, change: Taking & { readonly known?: boolean } = {}): WireRequest {
  const { known = false, ...rest } = change;
  return wireTake(taking(name, rest), { nowMs: NOW, ranges: () => (known ? undefined : SPACE) });
}

function outcomes(answers: readonly WireAnswer[]): string[] {
  return answers.map((answer) => {
    if (!answer.ok) return answer.error.code;
    const { result, changes } = answer as {
      result: { ok: boolean; refusal?: { code: string } };
      changes: readonly unknown[];
    };
    return result.ok ? `ok, ${changes.length} told` : (result.refusal?.code ?? '');
  });
}

function firstMade(answers: readonly WireAnswer[]): NewPlace {
  const [answer] = answers as unknown as [{ result: { value: [{ place: NewPlace }] } }];
  return answer.result.value[0].place;
}

describe('GroupCommit', () => {
  test('runs a whole group in one transaction', () => {
    const world = new World();
    const answers = world.groups.run([take('a'), take('b'), take('c')]);
    expect(outcomes(answers)).toEqual(['ok, 1 told', 'ok, 1 told', 'ok, 1 told']);
    expect(world.log.filter((name) => name === 'begin' || name === 'commit')).toEqual(['begin', 'commit']);
  });

  test('begins no transaction for readers', () => {
    const world = new World();
    world.groups.run([{ verb: 'tally', nowMs: NOW }]);
    expect(world.log).toEqual([]);
  });

  test('answers a refusal beside its neighbours', () => {
    const world = new World();
    const wish = { address: '10.0.0.5' };
    const answers = world.groups.run([take('a', wish), take('b', wish), take('c')]);
    expect(outcomes(answers)).toEqual(['ok, 1 told', 'address/held', 'ok, 1 told']);
  });

  test('undoes alone what one broken request did', () => {
    const world = new World();
    world.breaks = (name, parameters) => name === 'insertService' && parameters.includes('b');
    const answers = world.groups.run([take('a'), take('b'), take('c')]);
    expect(outcomes(answers)).toEqual(['ok, 1 told', 'store/unavailable', 'ok, 1 told']);
    const rows = world.db.prepare('SELECT address, version FROM address ORDER BY address').all();
    expect(rows.map((row) => Object.values(row))).toEqual([
      [0x0a000000, 1],
      [0x0a000001, 2],
    ]);
    expect(world.tables.counts.heldIn('default', 'z')).toBe(2);
  });

  test('takes no savepoint unless a request broke, and serves all when it does not break again', () => {
    const world = new World();
    world.groups.run([take('a')]);
    expect(world.log).not.toContain('savepoint');
    let inserts = 0;
    world.breaks = (name) => name === 'insertService' && ++inserts === 1;
    expect(outcomes(world.groups.run([take('b'), take('c')]))).toEqual(['ok, 1 told', 'ok, 1 told']);
    expect(world.log.filter((name) => name === 'savepoint')).toHaveLength(2);
    expect(world.tables.counts.heldIn('default', 'z')).toBe(3);
  });

  test('answers nobody with success when the group could not be stored', () => {
    const world = new World();
    world.groups.run([take('before')]);
    world.breaks = (name) => name === 'commit';
    const request: WireRequest = { verb: 'tally', nowMs: NOW };
    expect(outcomes(world.groups.run([take('a'), request]))).toEqual(['store/unavailable', 'store/unavailable']);
    expect(world.db.prepare('SELECT count(*) AS n FROM address').get()!['n']).toBe(1);
    expect(world.tables.counts.heldIn('default', 'z')).toBe(1);
    expect(world.tables.takeChanges()).toEqual([]);
  });

  test('goes on after a failure with addresses, numbers and versions of the rows', () => {
    const world = new World();
    world.groups.run([take('before')]);
    world.breaks = (name) => name === 'commit';
    world.groups.run([take('a'), take('b')]);
    world.breaks = () => false;
    const [, address, version] = firstMade(world.groups.run([take('c', { known: true })]));
    expect([Number(address), version]).toEqual([0x0a000001, 2]);
  });

  test('looks once for an owner that was never heard of, and counts the reservations of a namespace once', () => {
    const world = new World();
    world.groups.run([firstTake('a', { maxReservedInNamespace: 64 })]);
    world.reads.length = 0;
    const answers = world.groups.run(
      ['b', 'c'].map((name) => firstTake(name, { known: true, maxReservedInNamespace: 64 })),
    );
    expect(outcomes(answers)).toEqual(['ok, 1 told', 'ok, 1 told']);
    expect(world.reads).toEqual(['anyTrace', 'anyTrace']);
  });

  test('counts the reservations of a namespace anew after a rollback', () => {
    const world = new World();
    const limited = { known: true, maxReservedInNamespace: 2 };
    world.groups.run([firstTake('a', { maxReservedInNamespace: 2 })]);
    world.breaks = (name) => name === 'commit';
    world.groups.run([firstTake('b', limited)]);
    world.breaks = () => false;
    const answers = world.groups.run([firstTake('c', limited), firstTake('d', limited)]);
    expect(outcomes(answers)).toEqual(['ok, 1 told', 'reservation/limit']);
  });

  test('remembers a space whose first request failed, since it is sent only once', () => {
    const world = new World();
    world.breaks = (name) => name === 'begin';
    expect(outcomes(world.groups.run([take('a')]))).toEqual(['store/unavailable']);
    world.breaks = () => false;
    expect(outcomes(world.groups.run([take('a', { known: true })]))).toEqual(['ok, 1 told']);
  });

  test('tries the next address when the unique index knows more than the pool', () => {
    const world = new World();
    world.groups.run([
      take('a'),
      take('b', { pool: 'y', address: '10.0.0.1' }),
      take('c', { pool: 'y', address: '10.0.0.2' }),
    ]);
    expect(Number(firstMade(world.groups.run([take('d', { known: true })]))[1])).toBe(0x0a000003);
  });

  test('writes the counter of changes once in a group, and not at all for refusals', () => {
    const world = new World();
    world.groups.run([take('a'), take('b')]);
    expect(world.log.filter((name) => name === 'setSetting')).toHaveLength(1);
    world.log.length = 0;
    world.groups.run([take('c', { address: '10.0.0.0', holder: holderOf('c') })]);
    expect(world.log).not.toContain('setSetting');
  });

  test('answers everybody when nothing can be read after a rollback, and goes on once it can', () => {
    const world = new World();
    world.groups.run([take('a')]);
    world.breaks = (name) => name === 'commit';
    const reload = jest.spyOn(world.tables, 'reload').mockImplementation(() => {
      throw Object.assign(new TypeError('broken by the test'), { errcode: 11 });
    });
    const damaged = {
      ok: false,
      error: { code: 'store/unavailable', message: 'the store ":memory:" is damaged; restore it from a backup' },
    };
    expect(world.groups.run([take('b'), take('c')])).toEqual([damaged, damaged]);
    expect(world.groups.run([{ verb: 'tally', nowMs: NOW }])).toEqual([damaged]);
    reload.mockRestore();
    world.breaks = () => false;
    expect(outcomes(world.groups.run([take('b')]))).toEqual(['ok, 1 told']);
    expect(world.tables.counts.heldIn('default', 'z')).toBe(2);
  });
});
