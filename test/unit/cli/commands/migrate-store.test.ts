import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { CliOperator, SHOP_ZONES } from '../../../support/cli-operator';
import { removeSharedPostgres, sharedPostgres } from '../../../support/postgres-server';

const operator = new CliOperator(SHOP_ZONES);
const at = operator.at.bind(operator);

afterAll(async () => {
  await operator.dispose();
  await removeSharedPostgres();
});

test('FU-105 migrate-store moves every claim to PostgreSQL, where the operator goes on with the same keys', async () => {
  const server = await sharedPostgres();
  writeFileSync(at('dsn'), await server.newDatabase());
  const postgres = ['--store', 'postgres', '--postgres-dsn-file', at('dsn')];
  const move = ['migrate-store', '--sqlite-file', at('ipam.sqlite'), '--postgres-dsn-file', at('dsn')];
  await operator.start();
  await operator.claimShop();
  const before = await operator.json('services');
  expect(await operator.run([...move, '--yes'])).toMatchObject({
    code: 4,
    err: expect.stringContaining('store/locked') as string,
  });
  await operator.stop();
  const lost = { code: 'store/lost', message: expect.stringContaining('ipam migrate-store') as string };
  await expect(operator.start(...postgres)).rejects.toMatchObject(lost);
  expect(await operator.run(move)).toMatchObject({
    code: 0,
    out: expect.stringContaining('would move 2 addresses') as string,
    err: expect.stringContaining('--yes') as string,
  });
  expect(await operator.run([...move, '--yes'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('moved 2 addresses') as string,
    err: expect.stringContaining('set the store postgres now') as string,
  });
  await expect(operator.start()).rejects.toMatchObject({ code: 'store/moved' });
  // the simulated cluster of a standalone operator is not on record
  writeFileSync(at('hash-key.standalone'), randomBytes(32).toString('base64'));
  await operator.start(...postgres);
  expect(await operator.json('services')).toEqual(before);
  await operator.claim('cluster-a', 'shop.new');
  expect(await operator.json('services')).toHaveLength(3);
  expect(await operator.run([...move, '--cancel'])).toMatchObject({ code: 2 });
});

test('FU-105 migrate-store never shows the password of the connection string', async () => {
  writeFileSync(at('wrong'), 'postgresql://ipam:hunter2@127.0.0.1:1/ipam?sslmode=disable');
  const { code, out, err } = await operator.run([
    'migrate-store',
    ...['--sqlite-file', at('ipam.sqlite'), '--postgres-dsn-file', at('wrong')],
  ]);
  expect(code).toBe(4);
  expect(out + err).toContain('127.0.0.1:1/ipam');
  expect(out + err).not.toContain('hunter2');
});
