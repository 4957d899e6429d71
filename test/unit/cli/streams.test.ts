import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { CliOperator } from '../../support/cli-operator';

const operator = new CliOperator('version: 1\nzones: []\n');
let server: Server | undefined;

/** Puts a server of the test in the place of the operator. */
async function answerWith(listener: RequestListener): Promise<void> {
  server = createServer(listener);
  server.listen(operator.at('admin.sock'));
  await once(server, 'listening');
}

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  rmSync(operator.at('admin.sock'), { force: true });
});

afterAll(() => operator.dispose());

const service = { clusterUid: 'c', namespaceUid: 'n', namespace: 'shop', serviceName: 'web' };
const entry = {
  service,
  network: 'default',
  zone: 'inet',
  family: 'ipv4',
  address: '10.0.0.1',
  state: 'bound',
  stale: false,
};

/** Pages of a listing that never become fewer until the last one. */
const listing =
  (pages: number): RequestListener =>
  (request, reply) => {
    const page = Number(new URL(request.url ?? '', 'http://x').searchParams.get('after') ?? 0) + 1;
    const entries = Array.from({ length: 1_000 }, () => entry);
    reply.setHeader('content-type', 'application/json');
    reply.end(JSON.stringify({ entries, ...(page < pages ? { next: String(page) } : {}) }));
  };

describe('ipam', () => {
  test('lists every page of a long listing', async () => {
    await answerWith(listing(150));
    const { code, out } = await operator.run(['services']);
    expect(code).toBe(0);
    expect(out.split('\n')).toHaveLength(150_002);
  });

  test('ends well when its reader has seen enough', async () => {
    await answerWith(listing(20));
    const child = operator.begin(['services']);
    child.stdout.once('data', () => child.stdout.destroy());
    const closed = once(child, 'close') as Promise<[number]>;
    const [err, [code]] = [await text(child.stderr), await closed];
    expect([code, err]).toEqual([0, '']);
  });

  test('ends at ctrl-C with 130, and leaves no half backup', async () => {
    await answerWith((_request, reply) => {
      reply.writeHead(200, { 'content-length': 1_000_000 });
      reply.write('SQLite format 3');
    });
    const child = operator.begin(['backup', operator.at('copy')]);
    const closed = once(child, 'close');
    await appears(operator.at('copy.part'));
    child.kill('SIGINT');
    expect((await closed)[0]).toBe(130);
    expect(existsSync(operator.at('copy.part'))).toBe(false);
    expect(existsSync(operator.at('copy'))).toBe(false);
  });

  test('exits with 4 when the answer breaks off, does not come, or is another one', async () => {
    await answerWith((_request, reply) => {
      reply.writeHead(200, { 'content-length': 1_000 }).write('{');
      reply.destroy();
    });
    expect(await operator.run(['zones'])).toMatchObject({ code: 4, out: '' });
    server?.removeAllListeners('request').on('request', () => undefined);
    const silent = await operator.run(['zones', '--timeout', '1']);
    expect(silent).toMatchObject({ code: 4, err: expect.stringContaining('no byte in time') as string });
    server?.removeAllListeners('request').on('request', (_request, reply) => reply.end('<html>'));
    expect(await operator.run(['zones'])).toMatchObject({ code: 4, out: '' });
  });

  test('exits with 1 for a socket path that no kernel takes, and for a backup that cannot be written', async () => {
    const long = await operator.run(['zones', '--socket', `/${'x'.repeat(120)}`]);
    expect(long).toMatchObject({ code: 1, err: expect.stringContaining('at most 107 bytes') as string });
    await answerWith((_request, reply) => reply.end('SQLite format 3'));
    writeFileSync(operator.at('file'), '');
    for (const place of ['none/copy', 'file/copy'])
      expect(await operator.run(['backup', operator.at(place)])).toMatchObject({ code: 1, out: '' });
  });

  test('writes no escape sequence of a name to the terminal', async () => {
    await answerWith((_request, reply) => {
      const evil = { ...entry, service: { ...service, namespace: '\u009b31mred' } };
      reply.end(JSON.stringify({ entries: [evil] }));
    });
    expect((await operator.run(['services'])).out).not.toMatch(/[\u0080-\u009f]/u);
  });

  test('shows its version', async () => {
    expect(await operator.run(['--version'])).toMatchObject({ code: 0, err: '' });
  });
});

async function appears(path: string): Promise<void> {
  const { watch } = await import('node:fs/promises');
  const watching = watch(operator.at('.'))[Symbol.asyncIterator]();
  while (!existsSync(path)) await watching.next();
  await watching.return?.();
}
