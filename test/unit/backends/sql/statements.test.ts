import { DatabaseSync } from 'node:sqlite';
import { migrate } from '../../../../operator/backends/sql/schema';
import { CLAIM_SQL, LIST_SQL, ROW_SQL } from '../../../../operator/backends/sql/statements';

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
const WALKS_ON_PURPOSE = new Set(['counts', 'someHeld', 'expiredEverywhere']);
const PLANNED = /^(SELECT|UPDATE|INSERT)/u;

describe('statements', () => {
  test.each(Object.entries(LIST_SQL))('find the records of query "%s" by an index', (_by, sql) => {
    expect(walks(sql)).toEqual([]);
  });

  const others = Object.entries({ ...CLAIM_SQL, ...ROW_SQL }).filter(([, sql]) => PLANNED.test(sql));
  test.each(others.filter(([name]) => !WALKS_ON_PURPOSE.has(name)))('run "%s" by an index', (_name, sql) => {
    expect(walks(sql)).toEqual([]);
  });

  test('find expired quarantines without a look at held addresses', () => {
    const [step] = db.prepare(`EXPLAIN QUERY PLAN ${CLAIM_SQL.expiredEverywhere}`).all();
    expect(step!['detail']).toContain('INDEX address_quarantine');
  });
});
