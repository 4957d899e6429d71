import { parseDsn, tlsOptions } from '../../../../../operator/backends/sql/postgres/postgres-dsn';
import { faultOf, storeError } from '../../../../../operator/backends/sql/postgres/postgres-fault';

describe('parseDsn', () => {
  test('takes a connection string apart, with every character that was escaped', () => {
    expect(parseDsn('  postgresql://ipam:p%40ss%2Fw%25@db.example:6432/claims?sslmode=verify-ca\n')).toEqual({
      host: 'db.example',
      port: 6432,
      database: 'claims',
      user: 'ipam',
      password: 'p@ss/w%',
      applicationName: 'cdk8s-ipam',
      tls: 'verify-ca',
    });
  });

  test('verifies the server unless it is told otherwise, but for sockets', () => {
    expect(parseDsn('postgres://u:p@h/d')).toMatchObject({ port: 5432, tls: 'verify-full' });
    expect(parseDsn('postgres://u@localhost/d?host=/run/postgresql')).toMatchObject({
      host: '/run/postgresql',
      tls: 'disable',
      password: undefined,
    });
    expect(parseDsn('postgres://u:p@[2001:db8::1]/d').host).toBe('2001:db8::1');
  });

  test.each([
    ['', 'is empty'],
    ['host=db user=ipam password=s3cret', 'cannot be read'],
    ['postgresql://u:s3cret@h:99999/d', 'cannot be read'],
    ['postgresql://u:s3cret%@h/d', 'has a "%" that is not the start of an escape'],
    ['mysql://u:s3cret@h/d', 'is no URL of PostgreSQL'],
    ['postgresql://:s3cret@h/d', 'names no user'],
    ['postgresql://u:s3cret@h', 'names no database'],
    ['postgresql://u:s3cret@h/d?sslmode=prefer', 'has an sslmode that is not one of disable, require, verify-ca'],
    ['postgresql://u@h/d?password=s3cret', 'has a parameter that is not one of sslmode, host, application_name'],
  ])('refuses %j without quoting it', (text, why) => {
    const thrown = (() => {
      try {
        return parseDsn(text);
      } catch (error) {
        return error as Error;
      }
    })() as Error;
    expect(thrown).toMatchObject({ code: 'settings/invalid', message: expect.stringContaining(why) as string });
    expect(`${String(thrown.stack)} ${String(thrown.cause)}`).not.toContain('s3cret');
  });
});

describe('tlsOptions', () => {
  const options = (query: string, ca?: string) => tlsOptions(parseDsn(`postgresql://u:p@db.example/d${query}`), ca);

  test('verifies chain and name by default, with the given CA', () => {
    expect(options('', 'PEM')).toEqual({ ca: 'PEM', rejectUnauthorized: true });
    expect(options('')).toEqual({ rejectUnauthorized: true });
  });

  test('verifies as little as it is asked to', () => {
    expect(options('?sslmode=disable', 'PEM')).toBe(false);
    expect(options('?sslmode=require')).toEqual({ rejectUnauthorized: false });
    expect(options('?sslmode=require', 'PEM')).toMatchObject({ ca: 'PEM', rejectUnauthorized: true });
    const chainOnly = options('?sslmode=verify-ca', 'PEM');
    expect(chainOnly !== false && chainOnly.checkServerIdentity?.('other', {} as never)).toBeUndefined();
  });
});

describe('faultOf', () => {
  const said = (code: string) => ({ code, severity: 'ERROR', message: `message of ${code}` });

  test.each(['40001', '40P01', '55P03', '57014', '53300', '25006', '53100'])('tries again after %s', (code) => {
    expect(faultOf(said(code), true)).toMatchObject({ again: true, unknown: false });
  });

  test.each(['57P01', '57P02', '08006'])('does not know what became of a statement after %s', (code) => {
    expect(faultOf(said(code), true)).toMatchObject({ again: true, unknown: true });
    expect(faultOf(said(code), false)).toMatchObject({ again: true, unknown: false });
  });

  test.each(['23505', '22P02', '28P01', '42P01'])('gives up after %s', (code) => {
    expect(faultOf(said(code), true)).toMatchObject({ again: false, unknown: false });
  });

  test('takes what no repeating helps for a fault of the program, and repeats no value', () => {
    const fault = faultOf({ ...said('22P02'), message: 'invalid input syntax for type inet: "of-a-user"' }, true);
    expect(fault).toEqual({ again: false, unknown: false, forGood: true, words: expect.any(String) as string });
    const at = { host: 'db', port: 5432, database: 'ipam' };
    const error = storeError(at, fault);
    expect([error.code, error.message]).toEqual([
      'internal',
      'the PostgreSQL store "db:5432/ipam" failed: it refuses a statement of this program (SQLSTATE 22P02)',
    ]);
    expect(storeError(at, faultOf(said('23514'), true)).message).toContain('(SQLSTATE 23514): message of 23514');
    // an administrator can grant what is missing
    expect(storeError(at, faultOf(said('42501'), true)).code).toBe('store/unavailable');
  });

  test('does not know what became of a statement whose connection broke', () => {
    const broken = Object.assign(new TypeError('read ECONNRESET'), { code: 'ECONNRESET' });
    expect(faultOf(broken, true)).toEqual({ again: true, unknown: true, words: 'read ECONNRESET' });
    const many = new AggregateError([new TypeError('connect ECONNREFUSED ::1:5432')]);
    expect(faultOf(many, false)).toMatchObject({ unknown: false, words: 'connect ECONNREFUSED ::1:5432' });
  });
});
