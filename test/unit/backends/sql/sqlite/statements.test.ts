import { DatabaseSync } from 'node:sqlite';
import { ARCHIVE_SQL, pageSql, PAST_SQL } from '../../../../../operator/backends/sql/sqlite/archive-statements';
import { migrate } from '../../../../../operator/backends/sql/sqlite/schema';
import { CLAIM_SQL, LIST_SQL, ROW_SQL } from '../../../../../operator/backends/sql/sqlite/statements';

let db: DatabaseSync;

beforeAll(() => {
  db = new DatabaseSync(':memory:');
  migrate(db, ':memory:');
});
afterAll(() => {
  db.close();
});

/** Steps of the query plan that walk over a whole table or index. */
function walks(sql: string): readonly string[] {
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
  // a scan of what a subquery or sorter has already found is no walk over a table
  return plan.map((row) => String(row['detail'])).filter((detail) => /^SCAN (?!\(|CONSTANT|setting)/u.test(detail));
}

// Read once when the store opens, or stop at the first row.
const WALKS_ON_PURPOSE = new Set(['counts', 'prefixCounts', 'someHeld', 'expiredEverywhere']);
const RENAMES = ['renameKeys', 'renameHolders', 'renameForeign'];
const PLANNED = /^(SELECT|UPDATE|INSERT)/u;

describe('statements', () => {
  test.each(Object.entries(LIST_SQL))('find the records of query "%s" by an index', (_by, sql) => {
    expect(walks(sql)).toEqual([]);
  });

  const others = Object.entries({ ...CLAIM_SQL, ...ROW_SQL }).filter(([, sql]) => PLANNED.test(sql));
  test.each(others.filter(([name]) => !WALKS_ON_PURPOSE.has(name)))('run "%s" by an index', (_name, sql) => {
    expect(walks(sql)).toEqual([]);
  });

  // one row for each cluster; a count of everything, at a start that lost a key or on demand; a rename by an administrator
  const whole = new Set(['clusters', 'clusterClaims', 'keyUse', 'unbound', 'prefixes', ...RENAMES]);
  const archive = Object.entries({ ...ARCHIVE_SQL, ...PAST_SQL }).filter(([name]) => !whole.has(name));
  test.each(archive)('tell "%s" by an index', (_name, sql) => {
    expect(walks(sql)).toEqual([]);
  });

  test('count what is not bound without a look at what is', () => {
    const tables = walks(ARCHIVE_SQL.unbound).filter((step) => step.startsWith('SCAN holder'));
    expect(tables).toEqual(
      ['reserved', 'retained', 'contested'].map((state) => `SCAN holder USING INDEX holder_${state}`),
    );
  });

  test.each([
    ['everything', {}],
    ['a zone', { pool: 'z' }],
    ['a cluster', { cluster: 'c' }],
    ['a namespace and its quarantines', { namespace: 'a', state: 'quarantined' }],
    ['a state of a network', { network: 'n', state: 'reserved' }],
  ] as const)('find a later page of %s by an index, in the order of the pages', (_what, filter) => {
    const sql = pageSql('a.id', filter, true);
    expect(walks(sql).filter((step) => !/USING (COVERING )?INDEX address_live/u.test(step))).toEqual([]);
  });

  test('find expired quarantines without a look at held addresses', () => {
    const [step] = db.prepare(`EXPLAIN QUERY PLAN ${CLAIM_SQL.expiredEverywhere}`).all();
    expect(step!['detail']).toContain('INDEX address_quarantine');
  });
});
